import pytest

from tools.web.crawling.traps import SimilarAddresses, address_shape, is_endless


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("/calendar/2026/11", "/calendar/#/#"),
        ("/calendar/2026-11-27?view=day", "/calendar/#-#-#?"),
        ("/item/3f9a88bc", "/item/#"),
        ("/2026/11/how-herons-nest", "/#/#/how-herons-nest"),
        ("/wiki/%D0%9C%D0%B0%D0%B9", "/wiki/Май"),
    ],
)
def test_addresses_that_only_count_on_have_one_shape(path: str, shape: str) -> None:
    assert address_shape(f"https://s.example{path}") == shape


def test_so_many_of_one_shape_pass_and_those_with_a_name_of_their_own_always_do() -> None:
    similar = SimilarAddresses(3, ["https://s.example/day/1"])
    days = [similar.admit(f"https://s.example/day/{day}") for day in range(2, 7)]
    assert days == [True, True, False, False, False]
    assert all(similar.admit(f"https://s.example/{name}") for name in ("a", "b", "c", "d", "a"))
    assert [similar.admit(f"https://s.example/list?by={by}") for by in ("a", "b", "c", "d")] == [
        True,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("path", "endless"),
    [("/a/b/c", False), ("/a/b/a/b/a/b/a/b", True), ("/" + "/".join("abcdefghijklmnopqrstuvw"), True)],
)
def test_a_path_that_repeats_itself_or_is_endlessly_long_is_known(path: str, endless: bool) -> None:
    assert is_endless(f"https://s.example{path}") == endless

"""A key comes from the environment or from a file that only its owner can read, and no message has it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from utils.errors import ConfigError
from utils.network.api_keys import read_api_key
from utils.secrets import hide_learnt, redact_secrets

KEY = "sk-quiet-magpie-4815162342"


def key_file(folder: Path, text: str = f"{KEY}\n", mode: int = 0o600) -> str:
    path = folder / "key"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_the_first_variable_that_has_a_key_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FIRST_KEY", "  ")
    monkeypatch.setenv("SECOND_KEY", f"{KEY}\n")
    assert read_api_key(("NO_KEY", "FIRST_KEY", "SECOND_KEY"), key_file(tmp_path, "another")) == KEY


def test_without_a_variable_the_file_counts_and_without_a_file_there_is_no_key(tmp_path: Path) -> None:
    assert read_api_key(("NO_KEY",), key_file(tmp_path)) == KEY
    assert read_api_key(("NO_KEY",), "") == ""


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620, 0o666])
def test_a_file_that_others_can_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(ConfigError, match=r"can be read by others\. .*chmod 600") as refused:
        read_api_key((), key_file(tmp_path, mode=mode))
    assert KEY not in str(refused.value)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (lambda folder: str(folder / "none"), "there is no such file"),
        (lambda folder: str(folder), "it is a folder"),
        (lambda folder: "/dev/zero", "it is no regular file"),
        (lambda folder: key_file(folder, ""), "is empty"),
        (lambda folder: key_file(folder, f"{KEY}\n{KEY}\n"), "has a line break in it"),
        (lambda folder: key_file(folder, f"my key: {KEY}"), "has characters that no key has"),
        (lambda folder: key_file(folder, f"{KEY}ü"), "has characters that no key has"),
        (lambda folder: key_file(folder, KEY * 1000), "larger than 10,000 bytes"),
    ],
)
def test_what_is_no_key_is_told_without_showing_it(tmp_path: Path, place: Callable[[Path], str], said: str) -> None:
    with pytest.raises(ConfigError, match=said) as refused:
        read_api_key((), place(tmp_path))
    assert KEY not in f"{refused.value}{refused.value.__cause__}"


@pytest.mark.parametrize("key", [f"{KEY}\nX-Other: 1", f"{KEY}\r\n{KEY}", f"{KEY} {KEY}", f"{KEY}\x00", "k" * 10_001])
def test_a_variable_that_no_header_can_carry_is_told_without_showing_it(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr("os.environ", {"SOME_KEY": key})
    with pytest.raises(ConfigError, match="The key in SOME_KEY") as refused:
        read_api_key(("SOME_KEY",), "")
    assert KEY not in str(refused.value) and "kkk" not in str(refused.value)


def test_a_key_in_the_place_of_its_file_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="looks like a key itself") as refused:
        read_api_key((), KEY)
    assert KEY not in str(refused.value)
    (tmp_path / KEY).touch(0o600)
    with pytest.raises(ConfigError, match="is empty"):
        read_api_key((), str(tmp_path / KEY))


def test_a_key_that_was_read_is_known_whatever_its_form(tmp_path: Path) -> None:
    plain = "heather-and-plover"
    assert redact_secrets(plain, 100) == plain
    assert read_api_key((), key_file(tmp_path, plain)) == plain
    assert redact_secrets(f"It is {plain}.", 100) == "It is hea…."
    assert hide_learnt(f"It is {plain}.") == "It is …."

"""What is found wrong with Strudel code in an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.profiles.strudel.check import code_blocks, find_code_problem, find_problem

VALID = (
    's("bd*4, [~ hh]*4").bank("RolandTR909").gain(.8)',
    '$: s("bd*4")\n$: note("<c3 e3 g3>*2").sound("sawtooth").lpf(sine.range(200, 2000).slow(8))',
    'setcpm(120/4)\nstack(\n  s("bd sd"),\n  n("0 .. 7").scale("C4:minor").s("piano")\n).room(.3)',
    "samples('github:tidalcycles/dirt-samples')\ns(\"bd\")",
    'samples("github:tidalcycles/dirt-samples; main")',
    "s(`bd sd\n  [hh hh]`)",
    'const drums = s("bd(3,8)")\ndrums.jux(x => x.rev())',
    '"c3 e3 g3".note().add(note(12)).sometimes(x => x.speed("2"))',
    "note(`c${1 + 2}`)",
    'chord("<C^7 Am7>").voicing().struct("x(3,8)")',
    'arrange([4, "<c a f e>(3,8)"], [2, "c3*4"]).note()',
    'all(x => x.color("#ff0000"))',
    "// nothing but a comment",
    "await initHydra()\nosc(10).out()",
    's("a\\"b")',
)


@pytest.mark.parametrize("code", VALID)
def test_what_strudel_runs_is_valid(code: str) -> None:
    assert find_code_problem(code) == ""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ('s("bd*4").bank("x"', "line 1: the ( is not closed"),
        ('s("bd"))', "line 1: ) closes nothing"),
        ('stack(\n  s("bd"),\n  s("hh"]\n)', "line 3: ] closes nothing"),
        ('s("bd")\nconst x = 3 +', "line 2: it cannot be read from const on"),
        ('s("bd").every(3, x =>)', "line 1: it cannot be read from => on"),
        ('s("bd [sd hh")', 'line 1: in the pattern "bd [sd hh" the [ is not closed'),
        ('s("bd")\n  .struct("x(3,8")', 'line 2: in the pattern "x(3,8" the ( is not closed'),
        ('s("bd sd").n("<0 1 2")', 'line 1: in the pattern "<0 1 2" the < is not closed'),
        ('d1 $ sound "bd*2"', "line 1: it cannot be read from d1 on"),
        ("x" * 50_001, "it is longer than 50,000 characters"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(code: str, said: str) -> None:
    assert find_code_problem(code) == said


def test_only_blocks_of_code_are_checked_and_only_those_of_strudel() -> None:
    assert find_problem('In Strudel `s("bd [sd")` would be wrong (it has no closing bracket.') == ""
    assert find_problem('```python\nprint("[")\n```\n\n```js\ns("bd")\n```') == ""
    assert find_problem('Here:\n\n```strudel\ns("bd [sd")\n```\n') != ""
    assert find_problem('~~~\ns("bd"\n~~~') != ""


def test_a_block_that_was_cut_off_is_checked_as_it_is() -> None:
    assert code_blocks('So:\n```js\ns("bd")\n  .gai') == [("js", 's("bd")\n  .gai\n')]
    assert find_problem('```js\nstack(s("bd"),') == "line 1: the ( is not closed"


@given(st.text(max_size=200))
def test_any_text_is_checked(text: str) -> None:
    find_code_problem(text)
    find_problem(f"```\n{text}\n```")


def test_deep_code_is_checked_without_going_deep() -> None:
    assert find_code_problem("(" * 20_000) == "line 1: the ( is not closed"

from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_toolkit.document import Document

from chatbot.frontends.terminal.typing.folding import Folded, fold_label
from chatbot.frontends.terminal.typing.pasted import LONG, Pasted

LINES = "\n".join(map(str, range(LONG)))
LABEL = f"[pasted: {LONG} lines]"


def test_a_long_paste_is_found_wherever_it_stands_and_a_short_one_is_not() -> None:
    pasted = Pasted()
    pasted.note_pasted(LINES)
    pasted.note_pasted("only\na few")
    size = len(LINES)
    assert pasted.long_parts(f"a {LINES} only\na few {LINES}") == [(2, 2 + size), (14 + size, 14 + 2 * size)]
    assert pasted.long_parts(f"a {LINES[:-1]}") == []


def test_of_pastes_that_contain_one_another_the_longer_one_is_found() -> None:
    pasted = Pasted()
    pasted.note_pasted(LINES)
    pasted.note_pasted(f"more\n{LINES}\n")
    assert pasted.long_parts(f"more\n{LINES}\n{LINES}") == [(0, len(LINES) + 6), (len(LINES) + 6, 2 * len(LINES) + 6)]


def test_the_last_end_of_a_line_makes_no_line() -> None:
    assert fold_label(LINES + "\n") == LABEL


@settings(deadline=None)
@given(st.lists(st.text(alphabet="ab \n", max_size=8), min_size=1, max_size=5), st.data())
def test_a_fold_is_one_line_and_the_cursor_is_where_it_was_beside_it(around: list[str], data: st.DataObject) -> None:
    text = LINES.join(around)
    pasted = Pasted()
    pasted.note_pasted(LINES)
    spans = pasted.long_parts(text)
    outside = [place for place in range(len(text) + 1) if not any(begin < place < end for begin, end in spans)]
    cursor = data.draw(st.sampled_from(outside))
    folded = Folded(Document(text, cursor), spans, " so")
    assert folded.document.text == (LABEL + " so").join(around)
    assert folded.document.text_before_cursor == text[:cursor].replace(LINES, LABEL + " so")
    assert [folded.document.text[begin:end] for begin, end in folded.labels] == [LABEL + " so"] * len(spans)


def test_of_pastes_that_overlap_the_longer_one_is_folded_and_none_twice() -> None:
    texts = Pasted()
    short, long = "b\n" * 10, "a\n" + "b\n" * 10 + "c"
    for text in (short, long):
        texts.note_pasted(text)
    typed = f"{short} {long} {short}"
    places = [typed[begin:end] for begin, end in texts.long_parts(typed)]
    assert places == [short, long, short]

"""Every page and file that is made to break its reader ends in its text or in one sentence, and the next is read."""

import os
import re

from tests.attacks.bombs import run_bombs
from tests.conftest import Tally
from tests.fakes.attacks import needs_attacks

SENTENCE = re.compile(r"text|[^\n]{10,300}\.")
# What takes its whole time takes it in every run; of each kind one is enough here.
QUICK = (
    *("deep-div-200k", "deep-b-50k", "table-nest-2k", "colspan-bomb", "attrs-100k", "nul-bytes", "entity-bomb-doctype"),
    *("xxe", "json-ld-deep", "mixed-bidi", "empty", "ws", "binary-pdf", "docx-laughs", "docx-deep", "epub-laughs"),
    *("pdf-zeros", "json-deep", "pdf-pages-in-a-ring", "pdf-header-only", "notebook-deep", "markdown-deep"),
)


@needs_attacks
async def test_whatever_is_to_be_read_ends_in_time_with_its_text_or_a_sentence(tally: Tally) -> None:
    whole = bool(os.environ.get("ATTACK"))
    ends = await (run_bombs(10.0) if whole else run_bombs(1.0, QUICK))
    assert len(ends) >= (49 if whole else len(QUICK))
    # Three seconds on the wall for each of processor time: the machine has other work.
    longest = 3.5 * (10 if whole else 1)
    wrong = {name: end for name, end in ends.items() if not SENTENCE.fullmatch(end.said) or end.seconds > longest}
    tally("pages and files made to break their readers", len(ends), wrong)

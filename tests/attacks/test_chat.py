"""Every escape through every path of the real chat, on a pseudo-terminal: what reached it is looked at byte by byte."""

import os
from pathlib import Path

from tests.attacks.chat import walk
from tests.conftest import Tally
from tests.fakes.attacks import escapes, needs_attacks


@needs_attacks
def test_what_reaches_the_terminal_is_text_colours_moves_and_links(tmp_path: Path, tally: Tally) -> None:
    payloads = [text for text in escapes().values() if len(text) <= 1000]
    payloads += ["a\ud800b\udfff", "\x00", "\x1b[8mx\x9b8m"]
    found = walk(tmp_path, payloads, 1 if os.environ.get("ATTACK") else 5)
    tally("escapes through every path of the real chat", len(payloads), found)

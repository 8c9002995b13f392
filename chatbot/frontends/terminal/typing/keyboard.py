"""The keyboard while something else has the screen: what is typed meanwhile is kept for the prompt and not echoed."""

import sys
import termios
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

from prompt_toolkit.input import Input
from prompt_toolkit.input.vt100 import Vt100Input

_LOCAL_FLAGS, _INPUT, _CONTROL = 3, 0, 6
_PASTE_ON, _PASTE_OFF = "\x1b[?2004h", "\x1b[?2004l"


_PRINTS: ContextVar[bool] = ContextVar("prints", default=False)


class UnechoedInput(Vt100Input):
    """The terminal's keys: what arrives while Magpie prints above the prompt is left to the prompt.

    Other programs, as the user's editor, get the terminal as programs expect it, which echoes what is typed or pasted.
    """

    def cooked_mode(self) -> AbstractContextManager[None]:
        """Have the terminal as what takes the prompt's place needs it."""
        return nullcontext() if _PRINTS.get() else super().cooked_mode()


def unechoed_input() -> Input | None:
    """What the prompt reads; None where standard input is no terminal."""
    return UnechoedInput(sys.stdin) if sys.stdin.isatty() else None


@contextmanager
def printing() -> Iterator[None]:
    """Around what only prints in the place of the prompt."""
    before = _PRINTS.set(True)
    try:
        yield
    finally:
        _PRINTS.reset(before)


@contextmanager
def held_back() -> Iterator[None]:
    """Keep keys in the terminal's own buffer, unread and unseen; Ctrl-C still interrupts and loses none of them."""
    if not sys.stdin.isatty():
        yield
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    held = termios.tcgetattr(descriptor)
    held[_LOCAL_FLAGS] = (held[_LOCAL_FLAGS] | termios.ISIG | termios.NOFLSH) & ~(termios.ECHO | termios.ICANON)
    # Enter arrives as it was typed, so that the prompt's own keys take it.
    held[_INPUT] &= ~termios.ICRNL
    controls = list(held[_CONTROL])
    controls[termios.VSUSP] = controls[termios.VQUIT] = b"\0"
    held[_CONTROL] = controls
    termios.tcsetattr(descriptor, termios.TCSANOW, held)
    sys.stdout.write(_PASTE_ON)
    sys.stdout.flush()
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)
        sys.stdout.write(_PASTE_OFF)
        sys.stdout.flush()

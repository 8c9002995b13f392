"""The keyboard while a turn runs: what is typed ahead is kept for the next prompt and not echoed."""

import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

_LOCAL_FLAGS, _INPUT, _CONTROL = 3, 0, 6
_PASTE_ON, _PASTE_OFF = "\x1b[?2004h", "\x1b[?2004l"


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

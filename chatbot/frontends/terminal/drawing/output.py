"""What prompt_toolkit draws on: the terminal, without characters that could deceive in a name, a title or a paste."""

import sys

from prompt_toolkit.output import ColorDepth, Output, create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.utils import get_bell_environment_variable, get_term_environment_variable

from utils.text import without_controls


class _Guarded(Vt100_Output):
    def write(self, data: str) -> None:
        """Write text; the cursor's own moves are all that may be in it beside."""
        super().write(without_controls(data) if data.strip("\r\n") else data)


def guarded_output() -> Output:
    """The output of this process's terminal, as prompt_toolkit would make it."""
    if not sys.stdout.isatty():
        return create_output()
    return _Guarded.from_pty(
        sys.stdout,
        term=get_term_environment_variable(),
        default_color_depth=ColorDepth.from_env(),
        enable_bell=get_bell_environment_variable(),
    )

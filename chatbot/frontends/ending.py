"""How a command that is not a chat ends, whatever it did."""

import sys
from collections.abc import Callable, Coroutine
from typing import Any

from utils.errors import MagpieError


async def run_to_end(work: Coroutine[Any, Any, int], show_failure: Callable[[MagpieError], None]) -> int:
    """The exit code of `work`; 1 after a failure, which is shown, and where whoever read us has gone."""
    try:
        return await work
    except MagpieError as error:
        show_failure(error)
    except BrokenPipeError:
        # As in `magpie ... | head -1`: nothing is left to say, to nobody.
        sys.stdout = None
    return 1

"""What tests of the library share."""

import os
import sys
from collections.abc import Callable

import pytest


@pytest.fixture
def torture_report(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Prints a line of figures, past pytest's capture, where `make torture` asks for them."""
    manager = request.config.pluginmanager.getplugin("capturemanager")

    def report(line: str) -> None:
        if not os.environ.get("TORTURE"):
            return
        with manager.global_and_fixture_disabled():
            sys.stdout.write(f"\n{line}\n")
            sys.stdout.flush()

    return report

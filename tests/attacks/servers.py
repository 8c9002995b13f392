"""Every broken behaviour of the hostile Ollama server under a whole turn, as it is shown in the chat.

ends = await run_modes(MODES)      # all 37, slow ones beside each other: half a minute
"""

import asyncio
import io
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from rich.console import Console

from chatbot.frontends.terminal.drawing.screen import Screen
from chatbot.frontends.terminal.drawing.status import Status
from chatbot.frontends.terminal.drawing.theme import THEME
from chatbot.frontends.terminal.view import View
from chatbot.models.base import ModelInfo
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.settings import Generation
from tests.fakes.app import FakeApp
from tests.fakes.attacks import ATTACKS
from tests.fakes.hostile import foreign
from utils.errors import MagpieError

SERVER = ATTACKS / "ollama" / "fake_ollama.py"
SLOW, VAST = ("slowtok",), ("bigtok", "infinite", "thinking-inf", "tool-huge-args")
MODES = (
    *(
        "ok",
        "refuse500",
        "notfound404",
        "html503",
        "hang-before-first",
        "hang-mid",
        "close-mid",
        "rst-mid",
        "half-line",
    ),
    *("badjson-line", "error-mid", "nodone", "dupdone", "emptyline", "utf8split", "latin1", "ansi", "nulls", "tool-ok"),
    *("tool-loop", "tool-unknown", "tool-args-str", "tool-args-badjson", "tool-args-list", "tool-args-null"),
    *("tool-args-missing", "tool-args-nested", "tool-1000", "tool-name-null", "tool-name-ansi", "tool-in-text"),
    *("tool-exfil", *VAST, *SLOW),
)


class _KnownModel(OllamaModel):
    """A model that need not be asked for: the hostile server is as broken on /api/show as on /api/chat."""

    async def describe(self) -> ModelInfo:
        return ModelInfo(self.name, "ollama", 8192, can_call_tools=True)


@asynccontextmanager
async def hostile_server() -> AsyncIterator[str]:
    """Its address."""
    process = await asyncio.create_subprocess_exec(sys.executable, str(SERVER), "0", stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    try:
        yield f"http://127.0.0.1:{(await process.stdout.readline()).split()[-1].decode()}"
    finally:
        process.kill()
        await process.communicate()


async def run_modes(modes: Sequence[str], patience: float = 2.0) -> dict[str, str]:
    """How a turn with each of these ends: `answered`, the sentence that is said, or what is wrong.

    `patience` is the seconds for which the server may be silent.
    """
    async with hostile_server() as url:
        ends = await asyncio.gather(*(_turn(url, mode, patience) for mode in modes))
    return dict(zip(modes, ends, strict=True))


async def _turn(url: str, mode: str, patience: float) -> str:
    file = io.StringIO()
    screen = Screen(Console(file=file, width=80, theme=THEME, color_system="standard", force_terminal=False))
    model = _KnownModel(f"f:{mode}", OllamaSettings(host=url), Generation(request_timeout=patience))
    with tempfile.TemporaryDirectory() as folder:
        app = FakeApp(model, Path(folder), url)
        config = app.configuration.values
        view = View(screen, Status(lambda: config), lambda: config)
        said = ""
        try:
            async for event in app.chat.agent.ask("What is the weather?"):
                view.show_event(event)
                said = type(event).__name__.lower()
        except MagpieError as error:
            view.show_failure(error)
            said = str(error)
        finally:
            await model.close()
            await app.close()
    wrong = foreign(file.getvalue())
    return f"reached the terminal: {wrong[:3]}" if wrong else said

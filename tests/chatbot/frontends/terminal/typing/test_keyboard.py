"""What is typed while something is printed above the prompt stands in the prompt, and nowhere else."""

from pathlib import Path

from tests.fakes.terminal import Terminal

PROGRAM = """
import asyncio, sys, time
from pathlib import Path
from prompt_toolkit.application import create_app_session
from chatbot.config import Config
from chatbot.frontends.terminal.drawing.status import Status
from chatbot.frontends.terminal.typing.keyboard import unechoed_input
from chatbot.frontends.terminal.typing.prompt import InputPrompt

def show():
    print("printing", flush=True)
    while not Path("typed").exists():
        time.sleep(0.01)
    print("printed", flush=True)

async def run():
    shown = asyncio.Event()
    prompt = InputPrompt(None, Status(Config), shown.set)
    reading = asyncio.create_task(prompt.read_input())
    await shown.wait()
    await prompt.run_above(show)
    print("Read:", repr(await reading))

with create_app_session(input=unechoed_input()):
    asyncio.run(run())
"""


def test_what_is_pasted_while_news_are_printed_is_not_echoed_and_comes_to_the_prompt(tmp_path: Path) -> None:
    terminal = Terminal(["-c", PROGRAM], tmp_path)
    try:
        terminal.wait_for("printing")
        # The terminal itself echoes, if it does, before this returns.
        terminal.type("\x1b[200~one\ntwo\x1b[201~")
        (tmp_path / "typed").touch()
        terminal.wait_for("printed")
        assert terminal.lines[terminal.lines.index("printing") + 1] == "printed"
        terminal.wait_for("two")
        terminal.type("\r")
        terminal.wait_for("Read: 'one\\ntwo'")
    finally:
        terminal.child.close(force=True)

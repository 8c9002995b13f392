"""The list of backends: all that names them is made of it, and one more is one file and one line."""

import ast
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from chatbot.models.backends import BACKENDS, backend_names
from chatbot.models.ollama.backend import OLLAMA
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.provider import ModelBackend, ModelSurroundings, UnaskedChoice
from chatbot.models.providers import WantedModel
from chatbot.models.selection import Models
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.fakes.parrot import PARROT, ParrotSettings
from tests.fakes.places import ROOT
from utils.errors import ModelError, ModelNotFound, ModelUnavailable
from utils.network.access import NetworkAccess

ADDED = """
from chatbot.models.backends import BACKENDS
from tests.fakes.parrot import PARROT
BACKENDS.append(PARROT)
"""
TALK = """
import asyncio, sys
from pathlib import Path
from chatbot.commands.registry import run_command
from chatbot.config import load_configuration
from tests.fakes.site_app import running_chat

async def main():
    async with running_chat(load_configuration(Path(sys.argv[1]))) as running:
        for line in ("/model", "/model parrot:coco", "/model"):
            async for event in run_command(running.ready, line):
                print(event)
        async for event in running.chat.agent.ask("What is six times seven?"):
            print(event)

asyncio.run(main())
"""


def magpie(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A Magpie with one more backend in its list."""
    command = [sys.executable, "-c", ADDED + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)


def chooser(
    folder: Path, backend: str = "auto", model: str = "", *, asleep: bool = False
) -> tuple[Models, list[UnaskedChoice]]:
    """What chooses between a server that is not there and the parrot, and what it says."""
    told: list[UnaskedChoice] = []
    settings = {"ollama": OllamaSettings(), "parrot": ParrotSettings(asleep=asleep)}
    around = ModelSurroundings(folder, Generation(), NetworkAccess(), ModelState(folder), told.append)
    backends: list[ModelBackend] = [OLLAMA, PARROT]
    return Models(WantedModel(backend, model, settings), around, backends=backends), told


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    monkeypatch.setattr("chatbot.models.ollama.errors.DEFAULT_PORT", 9)


def test_a_backend_that_is_added_is_an_option_and_a_setting(tmp_path: Path) -> None:
    code = "from chatbot.cli import main; raise SystemExit(main())"
    helped = magpie(code, "--help").stdout
    assert "what runs the model: auto, ollama, openai, anthropic, embedded, parrot" in " ".join(helped.split())
    wrong = magpie(code, "--set", "backend=owl", "Who is there?").stderr
    assert wrong.startswith("backend cannot be 'owl'")
    assert "it must be auto, ollama, openai, anthropic, embedded or parrot." in wrong
    assert "There is no setting parrot.words" in magpie(code, "--set", "parrot.words=Ahoy", "Who is there?").stderr


def test_a_backend_that_is_added_answers_with_its_own_settings(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"data_dir": str(tmp_path), "parrot": {"word": "Ahoy"}}))
    code = "from chatbot.cli import main; raise SystemExit(main())"
    done = magpie(code, "--config", str(path), "-b", "parrot", "What is six times seven?")
    assert (done.returncode, done.stdout) == (0, "Ahoy from parrot:polly.\n"), done.stderr


def test_a_backend_that_is_added_is_listed_and_chosen_in_a_chat(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"data_dir": str(tmp_path), "backend": "parrot", "ollama": {"keep_alive": "1m"}}))
    done = magpie(TALK, str(path))
    assert "('', 'parrot:coco', '1.0 GB', '')" in done.stdout, done.stderr
    assert "('', 'embedded:0.5b', " in done.stdout
    assert "parrot:coco answers from now on." in done.stdout
    assert "('●', 'parrot:coco', " in done.stdout
    assert "ToolFinished" in done.stdout
    assert "Answered(text='Hello from parrot:coco.'" in done.stdout
    assert json.loads((tmp_path / "models.json").read_text())["last_used"] == "parrot:coco"


def test_a_named_model_answers_by_its_name_alone_and_stands_in_the_accounts_under_it(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    own = {"bird": {"backend": "parrot", "model": "coco", "word": "Ahoy", "price": {"prompt": 1e6}}}
    path.write_text(json.dumps({"data_dir": str(tmp_path), "models": own, "history": {"title_model": "bird"}}))
    code = "from chatbot.cli import main; raise SystemExit(main())"
    done = magpie(code, "--config", str(path), "-m", "bird", "What is six times seven?")
    assert (done.returncode, done.stdout) == (0, "Ahoy from parrot:coco.\n"), done.stderr
    wrong = magpie(code, "--config", str(path), "-m", "brid", "What is six times seven?")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "There is no model 'brid' here. Nearest: bird" in wrong.stderr
    done = magpie(TALK.replace('"/model parrot:coco", "/model"', '"/model bird", "/usage"'), str(path))
    assert "('', 'bird', '1.0 GB', 'parrot:coco of parrot')" in done.stdout, done.stderr
    assert "bird answers from now on." in done.stdout
    assert "('today', 'bird', '1 answer', '20', '8', '4', '20.0000')" in done.stdout
    assert "Answered(text='Ahoy from parrot:coco.'" in done.stdout


async def test_auto_takes_the_first_that_can_serve_and_says_why(tmp_path: Path) -> None:
    models, told = chooser(tmp_path, model="qwen3:8b")
    model = await models.start_model()
    assert (models.current, await models.tell_ability(model)) == ("parrot:polly", "calls tools itself")
    where = "No Ollama server answers at http://127.0.0.1:9"
    said = f"{where}; the parrot model is used. It has no qwen3:8b."
    assert told == [UnaskedChoice(said, "no Ollama for qwen3:8b")]
    models, told = chooser(tmp_path, asleep=True)
    with pytest.raises(ModelUnavailable, match=rf"^{where}; The parrot is asleep\. Choose another backend"):
        await models.start_model()
    await models.close()


async def test_the_backend_that_was_asked_for_must_serve(tmp_path: Path) -> None:
    models, _ = chooser(tmp_path, "parrot", asleep=True)
    with pytest.raises(ModelUnavailable, match=r"^The parrot is asleep\. Choose another backend"):
        await models.start_model()
    await models.close()


async def test_the_last_model_used_is_gone_on_with_while_its_backend_serves(tmp_path: Path) -> None:
    models, _ = chooser(tmp_path)
    await models.use_model("parrot:coco")
    again, told = chooser(tmp_path)
    await again.start_model()
    assert (again.current, told) == ("parrot:coco", [])
    gone, _ = chooser(tmp_path, asleep=True)
    with pytest.raises(ModelUnavailable):
        await gone.start_model()
    await gone.close()


async def test_a_backend_that_fetches_nothing_and_has_no_such_model_says_so(tmp_path: Path) -> None:
    models, _ = chooser(tmp_path)
    with pytest.raises(
        ModelNotFound, match=r"^There is no model 'parrot:poly' here\. Nearest: parrot:polly, parrot:coco\.$"
    ):
        await models.use_model("parrot:poly")
    with pytest.raises(ModelError, match=r"^The model parrot:polly cannot be fetched with /pull\."):
        models.pull_model("parrot:polly")
    await models.close()


def test_settings_and_options_wait_for_nothing_that_only_a_model_needs() -> None:
    code = (
        "import sys, chatbot.cli, chatbot.config; from chatbot.models.backends import BACKENDS;"
        "heavy = {'ollama', 'httpx', 'xllamacpp', 'pydantic', 'asyncio', 'chatbot.models.base'};"
        "heavy |= {f'chatbot.models.{one.name}.provider' for one in BACKENDS};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "[]\n"


def test_the_documents_have_every_backend() -> None:
    told = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    assert [name for name in backend_names() if f"| `backend: {name}` |" not in told] == []


def test_a_section_is_named_as_its_backend_and_has_defaults_for_all() -> None:
    names = backend_names()
    assert len(set(names)) == len(names) == len(BACKENDS) + 1
    for backend in BACKENDS:
        settings = backend.settings()
        assert replace(settings) == settings


def test_the_names_of_backends_stand_in_their_own_rooms_alone() -> None:
    # Servers that embed are a list of their own, whose names are those of the same servers.
    rooms = (*(ROOT / "chatbot" / "models" / backend.name for backend in BACKENDS), ROOT / "rag" / "embedding")
    names = {backend.name for backend in BACKENDS}
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for folder in ("chatbot", "tools", "rag", "utils")
        for path in (ROOT / folder).rglob("*.py")
        if not any(room in path.parents for room in rooms)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in names
    ]
    assert found == []

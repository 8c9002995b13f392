"""What every test shares."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from chatbot.models.embedded.model import EmbeddedModel, engine_for
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.pipeline.model import PipelineModel
from chatbot.models.settings import Generation
from rag.embedding.onnx_model import export_folder
from rag.embedding.selector import FastEmbedder
from rag.embedding.sentence_model import PACKAGED, SentenceEmbedder
from tests.fakes.places import ROOT
from tests.fakes.postgres import PostgresServer, running_server

# What a script starts in the background ignores Ctrl-C, and so would every program that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SMALL = EmbeddedSettings(size="0.5b")
REPEATABLE = Generation(temperature=0, seed=1, context_window=4096)

ENGINE, NODE = "the embedded engine", "the official suites"
LONGEST = (
    ENGINE,
    "tests/end_to_end/test_alone.py",
    NODE,
    "tests/end_to_end/test_keys.py",
    "tests/rag/test_torture.py",
    "tests/rag/test_torture_damage.py",
    "tests/chatbot/engine/test_faults.py",
    "tests/chatbot/engine/test_chats.py",
    "tests/attacks/test_http_api.py",
    "tests/end_to_end/test_keys_elsewhere.py",
)
"""Groups that take longest, which begin first: a worker that began one last would let the others wait for it."""
READER = "tests/end_to_end/test_alone_engine.py"
"""Has the 0.5B read all prompts on its way; where it comes before all others with a model, none does so again."""


@cache
def group_of(file: str) -> str:
    """What one worker runs, a test after the other: files with tests of the real model, the official suites, or a file.

    An engine takes all cores, so that a second one would only slow it down; it is started once for all its tests.
    """
    if "pytest.mark.model\n" in Path(ROOT, file).read_text():
        return ENGINE
    return NODE if file.startswith("tests/conformance/") else file


class GroupScheduling(LoadScopeScheduling):
    """Gives the workers of pytest-xdist whole groups. Its own, by mark, are lost on pytest 9.2."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid.partition("::")[0])


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> GroupScheduling:
    """How the tests are spread over the workers."""
    return GroupScheduling(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put what takes longest first where workers are to share the tests; alone, all stays in its order."""
    if hasattr(config, "workerinput"):
        rank = {group: place for place, group in enumerate(LONGEST)}
        files = {item: item.nodeid.partition("::")[0] for item in items}
        items.sort(key=lambda item: (rank.get(group_of(files[item]), len(rank)), files[item] != READER))


@pytest.fixture(scope="session")
def small_engine_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with the 0.5B's weights, whose engine runs until the tests are over."""
    folder = tmp_path_factory.mktemp("engine")
    engine = asyncio.run(engine_for(SMALL, REPEATABLE, folder, lambda label, done, total: None))
    asyncio.run(engine.connect_engine())
    yield folder
    engine.release_lease()


@pytest.fixture
async def small_model(small_engine_dir: Path) -> AsyncIterator[EmbeddedModel]:
    """The 0.5B at temperature 0 with a window of 4,096 tokens, on the engine that all tests share."""
    model = EmbeddedModel(SMALL, REPEATABLE, small_engine_dir)
    yield model
    await model.close()


@pytest.fixture
def small_weights_dir(small_engine_dir: Path, tmp_path: Path) -> Path:
    """A data folder of the test's own that has the 0.5B's weights and no engine yet."""
    (tmp_path / "models").mkdir()
    for file in (small_engine_dir / "models").glob("*.gguf*"):
        (tmp_path / "models" / file.name).hardlink_to(file)
    return tmp_path


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL that runs until the tests are over."""
    with running_server() as server:
        yield server


@pytest.fixture
def postgres(postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> PostgresServer:
    """The same with no library in it, named in the environment."""
    postgres_server.empty()
    monkeypatch.setenv("MAGPIE_POSTGRES_URL", postgres_server.address)
    return postgres_server


@pytest.fixture(scope="session")
def embedder() -> SentenceEmbedder:
    """The real MiniLM, loaded at its first use."""
    return SentenceEmbedder()


@pytest.fixture(scope="session")
def shared_dir(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Where the workers keep what the first of them that needs it makes for all."""
    own = tmp_path_factory.getbasetemp()
    return own if worker_id == "master" else own.parent


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """A folder that is made where no worker has done so yet."""
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            draft = folder.with_name(f"{folder.name}.new")
            make(draft)
            draft.rename(folder)
    return folder


@pytest.fixture(scope="session")
def exports(shared_dir: Path) -> Path:
    """A folder with a real export of MiniLM for ONNX Runtime, made as a chat makes it: after its first use."""
    return made_once(shared_dir / "onnx", lambda draft: asyncio.run(export_to(draft)))


@pytest.fixture
def exported(tmp_path: Path, exports: Path) -> Path:
    """A data folder, `data`, as after the first chats: whoever finds an export there does not load PyTorch."""
    data = tmp_path / "data"
    data.mkdir(0o700)
    (data / "onnx").symlink_to(exports)
    return data


async def export_to(root: Path) -> None:
    """Make the export, beside what one that was killed has left."""
    killed = root / f"{export_folder(root, SentenceEmbedder().fingerprint).name}.new"
    killed.mkdir(parents=True)
    (killed / "model.onnx").write_text("what an export that was killed has left")
    fast = FastEmbedder(PACKAGED, root, delay=0)
    await fast.embed(["nest"])
    while not await fast.is_prepared():
        await asyncio.sleep(0.1)
    await fast.close()


@pytest.fixture(scope="session")
def keep_states(shared_dir: Path) -> Callable[[Path], Path]:
    """Keeps the states of the prompts that an engine has read, for all workers."""

    def keep(states: Path) -> Path:
        return made_once(shared_dir / "states", lambda draft: shutil.copytree(states, draft))

    return keep


@pytest.fixture(scope="session")
def read_prompts(
    request: pytest.FixtureRequest, embedder: SentenceEmbedder, shared_dir: Path, keep_states: Callable[[Path], Path]
) -> Path:
    """The kept states of the steps' prompts, read once by the 0.5B."""
    if (shared_dir / "states").exists():
        return shared_dir / "states"
    folder: Path = request.getfixturevalue("small_engine_dir")

    async def read() -> None:
        model = EmbeddedModel(SMALL, REPEATABLE, folder)
        await PipelineModel(model, embedder).warm_up([])
        await model.close()

    asyncio.run(read())
    return keep_states(folder / "engine" / "states")


@pytest.fixture
def prepared_dir(small_weights_dir: Path, read_prompts: Path, exports: Path) -> Path:
    """A data folder of the test's own as after the first chat with the 0.5B: prompts are read, MiniLM is exported."""
    shutil.copytree(exports, small_weights_dir / "onnx")
    shutil.copytree(read_prompts, small_weights_dir / "engine" / "states")
    return small_weights_dir


TALLIES = pytest.StashKey[list[tuple[str, int, int]]]()
Tally = Callable[[str, int, Collection[object]], None]


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """Counts attacks of a kind: how many were tried, and those that succeeded, of which there must be none."""

    def count(kind: str, tried: int, succeeded: Collection[object]) -> None:
        request.config.stash.setdefault(TALLIES, []).append((kind, tried, len(succeeded)))
        assert tried and list(succeeded) == []

    return count


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The table of `make attack`."""
    tallies = config.stash.get(TALLIES, [])
    if not (tallies and os.environ.get("ATTACK")):
        return
    wide = max(len(kind) for kind, _, _ in tallies)
    terminalreporter.write_line(f"\n{'attacks':{wide}}  {'tried':>8}  {'stopped':>8}  {'succeeded':>9}")
    for kind, tried, failed in tallies:
        terminalreporter.write_line(f"{kind:{wide}}  {tried:8,}  {tried - failed:8,}  {failed:9,}")


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

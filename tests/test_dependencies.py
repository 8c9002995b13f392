"""What Magpie stands on: packages that reach the network end at a release that was watched."""

import sys
import tomllib
from importlib.metadata import version

from packaging.requirements import Requirement

from tests.fakes.places import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NETWORK = {
    *("chromadb", "ddgs", "httpcore", "httpx", "httpx2", "huggingface-hub", "mcp", "ollama", "onnx", "onnxruntime"),
    *("anthropic", "fastapi", "openai", "prometheus-client"),
    *("sentence-transformers", "starlette", "tiktoken", "tokenizers", "torch", "trafilatura", "truststore"),
    *("python-telegram-bot", "urllib3", "uvicorn"),
    *("langchain-core", "opentelemetry-sdk", "primp", "transformers", "xllamacpp"),
    *("playwright", "psycopg", "psycopg-pool"),
}
"""Those that open connections, listen, or are not Python inside and could; and of what they bring along the same."""
CONNECT = "Only these connect to anything"
PACKAGE_OF = {"telegram": "python-telegram-bot"}
"""Packages that are not called as what is imported of them."""


def test_what_reaches_the_network_ends_at_the_release_that_was_watched() -> None:
    project = PYPROJECT["project"]
    extras = project["optional-dependencies"]
    stated = [*project["dependencies"], *extras["postgres"], *extras["browser"]]
    required = {made.name: made.specifier for made in map(Requirement, stated)}
    assert required.keys() >= NETWORK
    # A minor release can bring what reports home: ONNX Runtime 1.29 did.
    for name in NETWORK:
        installed = version(name).split("+")[0]
        major, minor = map(int, installed.split(".")[:2])
        assert required[name].contains(installed), name
        assert not required[name].contains(f"{major}.{minor + 1}"), name


def test_what_may_connect_is_among_what_ends_at_a_release() -> None:
    [contract] = [one for one in PYPROJECT["tool"]["importlinter"]["contracts"] if one["name"] == CONNECT]
    connecting = {line.rpartition(" -> ")[2].replace("_", "-") for line in contract["ignore_imports"]}
    assert {PACKAGE_OF.get(name, name) for name in connecting - set(sys.stdlib_module_names)} <= NETWORK

"""What Magpie stands on: packages that reach the network end at a release that was watched."""

import tomllib
from importlib.metadata import version
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
NETWORK = {
    *("chromadb", "ddgs", "httpcore", "httpx", "huggingface-hub", "mcp", "ollama", "onnx", "onnxruntime"),
    *("sentence-transformers", "tokenizers", "torch", "trafilatura", "truststore", "urllib3", "uvicorn", "xllamacpp"),
}
"""Those that open connections, listen, or are not Python inside and could."""


def test_what_reaches_the_network_ends_at_the_release_that_was_watched() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {made.name: made.specifier for made in map(Requirement, project["dependencies"])}
    assert required.keys() >= NETWORK
    # A minor release can bring what reports home: ONNX Runtime 1.29 did.
    for name in NETWORK:
        installed = version(name).split("+")[0]
        major, minor = map(int, installed.split(".")[:2])
        assert required[name].contains(installed), name
        assert not required[name].contains(f"{major}.{minor + 1}"), name

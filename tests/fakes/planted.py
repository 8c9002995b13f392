"""Keys that are planted wherever one may stand, runs of the real program, and where the keys are found afterwards."""

import asyncio
import base64
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.end_to_end.test_answers import LIGHTHOUSE
from tests.end_to_end.test_canary import watch
from tests.fakes.mcp_servers import GOOD
from tests.fakes.openai import FakeOpenAI
from tests.fakes.places import ROOT
from tests.fakes.site import Site

OF_FILE = "sk-file-7Qm2Zx91Lw40"
OF_ENVIRONMENT = {"OPENAI_API_KEY": "sk-open-4Tn8Rb35Vc62", "ANTHROPIC_API_KEY": "sk-ant-6Hd1Kp73Yf05"}
MODEL = {"id": "qwen3-8b", "owned_by": "me"}
APPROVED: Mapping[str, Any] = {"weather": {"command": sys.executable, "args": [str(GOOD)]}}
ASKED: Sequence[Sequence[str]] = (("mcp", "approve", "weather"), ("--json", LIGHTHOUSE))


@dataclass
class Left:
    """What runs of Magpie left, by the place where it is."""

    said: str = ""
    aside: str = ""
    code: int = 0
    """Of the last run."""
    children: dict[str, bytes] = field(default_factory=dict)
    sent: str = ""
    """The bodies of all that the model's server was asked, and the queries of searches."""
    files: dict[str, bytes] = field(default_factory=dict)

    def places_of(self, *keys: str) -> list[str]:
        """Where one of the keys stands, whole and plain, percent-encoded, in base64 or in hexadecimal."""
        forms = [form for key in keys for form in forms_of(key)]
        everywhere = {"standard output": self.said.encode(), "standard error": self.aside.encode()}
        everywhere |= {f"environment of {command}": text for command, text in self.children.items()}
        everywhere |= {"what was sent": self.sent.encode(), **self.files}
        return [place for place, text in everywhere.items() if any(form in text for form in forms)]

    def read_files(self, folder: Path, *own: str) -> None:
        """Take all files below a folder but those in which a user has put keys."""
        found = [path for path in folder.rglob("*") if path.is_file() and str(path.relative_to(folder)) not in own]
        self.files = {str(path): path.read_bytes() for path in found}


def forms_of(key: str) -> list[bytes]:
    """A key as it may stand somewhere."""
    raw = key.encode()
    return [raw, quote(key, safe="").encode(), base64.b64encode(raw), raw.hex().encode()]


def file_with_key(folder: Path, key: str = OF_FILE) -> str:
    """A file that holds a key as it should."""
    path = folder / "key"
    path.touch(0o600)
    path.write_text(f"{key}\n")
    return str(path)


def environment_of(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a user with keys of makers in it."""
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT), **OF_ENVIRONMENT, **more}


def write_settings(
    folder: Path, settings: Mapping[str, Any], site: Site, servers: Mapping[str, Any] = APPROVED
) -> Path:
    """The configuration of a run, and its file of MCP servers."""
    shared = {
        "data_dir": str(folder / "data"),
        "backend": "openai",
        "model": "openai:qwen3-8b",
        "verbose": True,
        "request_timeout": 5,
        "search": {"searxng_url": site.searxng_url, "engines": [], "news_engines": []},
        "fetch": {"allow_hosts": [site.host]},
    }
    config = folder / "config.json"
    config.write_text(json.dumps({**shared, **settings}))
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    return config


async def run_magpie(
    folder: Path,
    settings: Mapping[str, Any],
    fakes: tuple[FakeOpenAI, Site],
    runs: Sequence[Sequence[str]] = ASKED,
    *,
    servers: Mapping[str, Any] = APPROVED,
    before: str = "",
    own: Sequence[str] = ("config.json", "key"),
    **environment: str,
) -> Left:
    """Command lines of the real program, one after the other, with keys of makers in their environment.

    `before` is Python that runs before the program's own; `own` are the files in which the user has put keys.
    """
    server, site = fakes
    config, left = write_settings(folder, settings, site, servers), Left()
    program = ["-c", f"{before}\nfrom chatbot.cli import entry\nentry()"] if before else [str(ROOT / "main.py")]
    for words in runs:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *program, *words, "--config", str(config)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment_of(folder, **environment),
            cwd=folder,
        )
        watching = asyncio.create_task(watch(process, left.children))
        said, aside = await process.communicate()
        await watching
        left.said, left.aside = left.said + said.decode(), left.aside + aside.decode()
        left.code = process.returncode or 0
    left.sent = json.dumps([server.requests, site.queries])
    left.read_files(folder, *own)
    return left

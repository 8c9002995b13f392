"""What signing in to servers brought: tokens and registrations, in one file that only its owner can read."""

import json
import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from utils.errors import FileMissing, FileUnreadable
from utils.files import read_json
from utils.paths import private_dir, write_private

log = logging.getLogger("magpie.mcp")

_LOCK_WAIT_SECONDS = 5.0
"""Seconds for another process to let go of the file."""


@dataclass(frozen=True)
class SignedIn:
    """What is kept of one server; the parts are as they came, in the SDK's form."""

    url: str
    """Where the server is: what is kept counts for that address alone."""
    tokens: Mapping[str, Any] = field(default_factory=dict)
    expires: float = 0.0
    """When the access token ends, in seconds since 1970; 0 where nobody said."""
    client: Mapping[str, Any] = field(default_factory=dict)
    """As what Magpie is registered."""
    issuer: Mapping[str, Any] = field(default_factory=dict)
    """The authorization server's metadata: its token endpoint is where the refresh token may go."""
    resource: Mapping[str, Any] = field(default_factory=dict)
    """The metadata of what the tokens are for."""


class Tokens:
    """The file; `read_only`: nothing is written, and what comes in is known in this run alone."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self._own: dict[str, SignedIn] = {}
        """What came in and is not written down."""
        self._changing = threading.RLock()

    def read_signed_in(self, server: str, url: str) -> SignedIn:
        """What is kept of a server at this address; empty for none, and where the address is another now."""
        kept = self._own.get(server) or _read_entry(self._read_all().get(server))
        return kept if kept and kept.url == url else SignedIn(url)

    def keep_signed_in(self, server: str, signed_in: SignedIn) -> None:
        """Keep this of a server in place of what was kept; raises `OSError` and filelock's `Timeout`."""
        if self._read_only:
            self._own[server] = signed_in
            return
        try:
            with self._lock_file():
                kept = {**self._read_all(), server: asdict(signed_in)}
                write_private(self._path, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
            self._own.pop(server, None)
        except (OSError, Timeout):
            self._own[server] = signed_in
            raise

    @contextmanager
    def _lock_file(self) -> Iterator[None]:
        private_dir(self._path.parent)
        with self._changing, FileLock(f"{self._path}.lock", timeout=_LOCK_WAIT_SECONDS, thread_local=False):
            yield

    def _read_all(self) -> dict[str, Any]:
        try:
            kept = read_json(self._path)
        except FileMissing:
            return {}
        except FileUnreadable as error:
            # Without it the user signs in again.
            log.warning("%s", error)
            return {}
        return kept if isinstance(kept, dict) else {}


def _read_entry(kept: Any) -> SignedIn | None:
    try:
        return SignedIn(**kept)
    except TypeError:
        return None

"""The tokens that let people in: only their hashes are kept, each with whose it is."""

import hashlib
import hmac
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock

from chatbot.engine.people import OWNER, require_person_name
from chatbot.frontends.serving.token_file import MAX_TOKEN_CHARS, make_token
from utils.errors import ConfigError, FileMissing, FileUnreadable
from utils.files import read_json
from utils.paths import private_dir, write_private

TOKENS_FILE_NAME = "api_tokens.json"
MAX_TOKENS_BYTES = 1_000_000
"""Bytes of the file: some thousand tokens."""


@dataclass(frozen=True)
class PersonToken:
    """What is kept of a token."""

    person: str
    """Whose it is; empty: the owner's."""
    sha256: str
    """Of its text, hexadecimal. It has 256 bits of chance in it, so that nothing slower is needed."""
    made: str
    """When, ISO 8601."""


class PersonTokens:
    """The tokens in a data folder; what another process adds or drops counts at once."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / TOKENS_FILE_NAME
        self._folder = folder
        self._read: tuple[int, tuple[PersonToken, ...]] | None = None
        """What was read last, and when the file had been written then."""

    def add(self, person: str) -> str:
        """A new token of a person, which is told this once; raises `ConfigError`."""
        if person != OWNER:
            require_person_name(person)
        token = make_token()
        made = datetime.now(UTC).isoformat(timespec="seconds")
        self._rewrite(lambda kept: [*kept, PersonToken(person, hash_token(token), made)])
        return token

    def drop(self, person: str) -> int:
        """Have the tokens of a person let nobody in any more; how many there were. Raises `ConfigError`."""
        before = len(self.list_tokens())
        self._rewrite(lambda kept: [one for one in kept if one.person != person])
        return before - len(self.list_tokens())

    def find_person(self, token: str) -> str | None:
        """Whose token it is; None: nobody's. How long that takes says nothing of the tokens. Raises `ConfigError`."""
        sent, found = hash_token(token[:MAX_TOKEN_CHARS]), None
        for kept in self.list_tokens():
            if hmac.compare_digest(kept.sha256, sent):
                found = kept.person
        return found

    def list_tokens(self) -> tuple[PersonToken, ...]:
        """What is kept of each token; raises `ConfigError`."""
        try:
            written = self.path.stat().st_mtime_ns
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be read: {error.strerror}.", "Check its permissions.") from error
        if self._read is None or self._read[0] != written:
            self._read = (written, self._read_file())
        return self._read[1]

    def _read_file(self) -> tuple[PersonToken, ...]:
        try:
            rows = read_json(self.path, MAX_TOKENS_BYTES)
            return tuple(PersonToken(str(row["person"]), str(row["sha256"]), str(row["made"])) for row in rows)
        except FileMissing:
            return ()
        except FileUnreadable as error:
            raise ConfigError(error.problem, "Move it away, and make new tokens.") from error
        except (TypeError, KeyError) as error:
            raise ConfigError(f"{self.path} is no list of tokens.", "Move it away, and make new tokens.") from error

    def _rewrite(self, change: Callable[[Sequence[PersonToken]], Sequence[PersonToken]]) -> None:
        try:
            with FileLock(private_dir(self._folder) / f".{TOKENS_FILE_NAME}.lock"):
                self._read = None
                kept = [asdict(one) for one in change(self.list_tokens())]
                write_private(self.path, json.dumps(kept, indent=1) + "\n")
                self._read = None
        except OSError as error:
            raise ConfigError(
                f"{self.path} cannot be written: {error.strerror}.", "Make room, or check data_dir."
            ) from error


def hash_token(token: str) -> str:
    """The SHA-256 of a token, hexadecimal."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()

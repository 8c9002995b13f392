"""The log: calls, connections, consents, and what went wrong; a JSON object a line."""

import json
import logging
import os
import re
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from utils.errors import FileMissing, MagpieError
from utils.files import open_regular, read_text
from utils.paths import private_dir
from utils.secrets import redact_secrets

LOGGER_NAME = "magpie"
"""Loggers of that name and below tell of what Magpie did: `magpie.tools`, `magpie.network`, `magpie.consent`."""
_OPENED = frozenset({f"{LOGGER_NAME}.tools", f"{LOGGER_NAME}.consent"})
"""Those that tell which addresses were opened. Of the others' only the origin is written: the rest may be a token."""
_LOGGED_ADDRESS = re.compile(r"((?:https?|wss?)://)(?:[^\s/?#@\"'<>]*@)?([^\s/?#@\"'<>]*)[^\s\"'<>]*", re.IGNORECASE)
_MAX_LOG_BYTES = 1_000_000
_FILES_KEPT = 5
_MAX_VALUE_CHARS = 2000
"""Characters of one value of a line."""
_MAX_TRACEBACK_CHARS = 20_000
"""Of the end of a traceback, where what went wrong stands."""


class JsonLines(logging.Formatter):
    """A record as one JSON object; its `data` become fields, and nothing that looks secret is written out."""

    def format(self, record: logging.LogRecord) -> str:
        """The object: `time` (UTC), `level`, `from`, `event`, the data, and the traceback of an error."""
        told: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "event": record.getMessage(),
        }
        told |= getattr(record, "data", {})
        whole = record.name in _OPENED
        safe = {name: _make_safe(value, whole) for name, value in told.items()}
        if record.exc_info and record.exc_info[1]:
            lines = "".join(traceback.format_exception(record.exc_info[1]))
            # Cut when it is safe: the end of a secret that was cut in two is not known as one.
            safe["traceback"] = str(_make_safe(lines, whole, len(lines)))[-_MAX_TRACEBACK_CHARS:]
        return json.dumps(safe, ensure_ascii=False)


def log_path(folder: Path) -> Path:
    """Where the log of a data folder is."""
    return folder / "magpie.log"


class LogFile(RotatingFileHandler):
    """The log: a regular file of its owner; what cannot be written to it is told to nobody, least of all on a screen.

    Where the disk is full, so it is for the error, and whoever keeps what was said tells the user.
    """

    def _open(self) -> TextIOWrapper:
        opened = open_regular(Path(self.baseFilename), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        return os.fdopen(opened, "a", encoding=self.encoding, errors=self.errors)

    def handleError(self, record: logging.LogRecord) -> None:
        """Note in the place of a line that it could not be made; where the file cannot be written, nothing."""
        error = sys.exc_info()[1]
        if self.stream is None or isinstance(error, OSError):
            return
        told = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "level": "error", "from": record.name}
        with suppress(OSError, ValueError):
            self.stream.write(json.dumps({**told, "event": f"a line is lost: {type(error).__name__}"}) + "\n")
            self.flush()


def start_log(folder: Path | None, *, verbose: bool = False) -> str:
    """From now on write what Magpie does, and the warnings of all libraries, to the log in `folder`; None: nowhere.

    With `verbose` everything that any part tells is written. The log begins anew past a megabyte; five older ones are
    kept. Only its owner can read it. Where it cannot be written nothing is, and a sentence that says so comes back.
    Raises `MagpieError` where there is no such folder and none can be made.
    """
    handler: logging.Handler = logging.NullHandler()
    problem = ""
    try:
        if folder:
            handler = _file_handler(log_path(_make_folder(folder)))
    except OSError as error:
        problem = f"Nothing is written to the log {error.filename}: {(error.strerror or str(error)).lower()}."
    logging.basicConfig(handlers=[handler], level=logging.DEBUG if verbose else logging.WARNING, force=True)
    logging.getLogger(LOGGER_NAME).setLevel(logging.DEBUG if verbose else logging.INFO)
    logging.captureWarnings(True)
    return problem


def read_log(folder: Path, count: int) -> list[dict[str, object]]:
    """The last entries of the log, oldest first, damaged lines passed over; raises `FileUnreadable`."""
    files = [log_path(folder).with_suffix(f".log.{number}") for number in range(_FILES_KEPT, 0, -1)] + [
        log_path(folder)
    ]
    lines: list[str] = []
    for file in reversed(files):
        if len(lines) < count:
            with suppress(FileMissing):
                lines = read_text(file, errors="replace").strip("\n").split("\n") + lines
    return [entry for line in lines[-count:] if (entry := _parse_entry(line))] if count else []


def record_crash(folder: Path, error: BaseException) -> Path:
    """Append a traceback to the log in `folder` and return the log's path; raises `OSError`."""
    path = log_path(private_dir(folder))
    record = logging.LogRecord(
        "magpie.crash", logging.CRITICAL, "", 0, "crash", None, (type(error), error, error.__traceback__)
    )
    opened = open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with os.fdopen(opened, "a", encoding="utf-8", errors="replace") as log:
        log.write(JsonLines().format(record) + "\n")
    return path


def _make_folder(folder: Path) -> Path:
    try:
        return private_dir(folder)
    except OSError as error:
        raise MagpieError(
            f"The data folder {folder} cannot be written: {error.strerror}.", "Name another with --set data_dir=FOLDER."
        ) from error


def _file_handler(path: Path) -> logging.Handler:
    handler = LogFile(path, maxBytes=_MAX_LOG_BYTES, backupCount=_FILES_KEPT, encoding="utf-8", errors="replace")
    handler.setFormatter(JsonLines())
    return handler


def _make_safe(value: object, whole: bool, longest: int = _MAX_VALUE_CHARS) -> object:
    """A value as it may be written: numbers as they are, everything else as text without secrets.

    `whole`: with whole addresses, not their origins alone. `longest` is in characters.
    """
    if isinstance(value, bool | int | float) or value is None:
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return redact_secrets(text if whole else _LOGGED_ADDRESS.sub(r"\1\2", text), longest)


def _parse_entry(line: str) -> dict[str, object]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) and "time" in entry else {}

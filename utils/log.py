"""The log: calls, connections, consents, and what went wrong; a JSON object a line."""

import json
import logging
import traceback
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from utils.errors import MagpieError
from utils.paths import private_dir
from utils.secrets import redacted

OWN = "magpie"
"""Loggers of that name and below tell of what Magpie did: `magpie.tools`, `magpie.network`, `magpie.consent`."""
_LARGEST = 1_000_000
_KEPT = 5
_LONGEST = 2000
"""Characters of one value of a line."""


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
        if record.exc_info and record.exc_info[1]:
            told["traceback"] = "".join(traceback.format_exception(record.exc_info[1]))
        return json.dumps({name: _safe(value) for name, value in told.items()}, ensure_ascii=False)


def log_path(folder: Path) -> Path:
    """Where the log of a data folder is."""
    return folder / "magpie.log"


def start_log(folder: Path | None, *, verbose: bool = False) -> None:
    """From now on write what Magpie does, and the warnings of all libraries, to the log in `folder`; None: nowhere.

    With `verbose` everything that any part tells is written. The log begins anew past a megabyte; five older ones are
    kept. Only its owner can read it. Raises `MagpieError` where the folder cannot be written.
    """
    handler = _file_handler(folder) if folder else logging.NullHandler()
    logging.basicConfig(handlers=[handler], level=logging.DEBUG if verbose else logging.WARNING, force=True)
    logging.getLogger(OWN).setLevel(logging.DEBUG if verbose else logging.INFO)
    logging.captureWarnings(True)


def read_log(folder: Path, count: int) -> list[dict[str, object]]:
    """The last entries of the log, oldest first; lines that are damaged are passed over."""
    files = [log_path(folder).with_suffix(f".log.{number}") for number in range(_KEPT, 0, -1)] + [log_path(folder)]
    lines: list[str] = []
    for file in reversed(files):
        if len(lines) < count and file.exists():
            lines = file.read_text(encoding="utf-8", errors="replace").strip("\n").split("\n") + lines
    return [entry for line in lines[-count:] if (entry := _parsed(line))] if count else []


def record_crash(folder: Path, error: BaseException) -> Path:
    """Append a traceback to the log in `folder` and return the log's path."""
    path = log_path(private_dir(folder))
    path.touch(mode=0o600)
    record = logging.LogRecord(
        "magpie.crash", logging.CRITICAL, "", 0, "crash", None, (type(error), error, error.__traceback__)
    )
    with path.open("a", encoding="utf-8", errors="replace") as log:
        log.write(JsonLines().format(record) + "\n")
    return path


def _file_handler(folder: Path) -> logging.Handler:
    try:
        path = log_path(private_dir(folder))
        path.touch(mode=0o600)
    except OSError as error:
        raise MagpieError(
            f"The data folder {folder} cannot be written: {error.strerror}.", "Name another with --set data_dir=FOLDER."
        ) from error
    handler = RotatingFileHandler(path, maxBytes=_LARGEST, backupCount=_KEPT, encoding="utf-8", errors="replace")
    handler.setFormatter(JsonLines())
    return handler


def _safe(value: object) -> object:
    """A value as it may be written: numbers as they are, everything else as text without secrets."""
    if isinstance(value, bool | int | float) or value is None:
        return value
    text = redacted(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _parsed(line: str) -> dict[str, object]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) and "time" in entry else {}

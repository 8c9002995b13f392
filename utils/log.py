"""The log: what a user need not see and whoever looks for a fault must."""

import logging
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path

from utils.errors import MagpieError
from utils.paths import private_dir

_LARGEST = 1_000_000
_KEPT = 5
_FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def log_path(folder: Path) -> Path:
    """Where the log of a data folder is."""
    return folder / "magpie.log"


def start_log(folder: Path | None) -> None:
    """From now on write warnings of all parts and libraries to the log in `folder`, and nowhere else; None: nowhere.

    The log begins anew past a megabyte; five older ones are kept. Only its owner can read it. Raises `MagpieError`
    where the folder cannot be written.
    """
    handler = _file_handler(folder) if folder else logging.NullHandler()
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(True)


def _file_handler(folder: Path) -> logging.Handler:
    try:
        path = log_path(private_dir(folder))
        path.touch(mode=0o600)
    except OSError as error:
        raise MagpieError(
            f"The data folder {folder} cannot be written: {error.strerror}.", "Name another with --set data_dir=FOLDER."
        ) from error
    handler = RotatingFileHandler(path, maxBytes=_LARGEST, backupCount=_KEPT, encoding="utf-8")
    handler.setFormatter(logging.Formatter(_FORM))
    return handler


def record_crash(folder: Path, error: BaseException) -> Path:
    """Append a traceback to the log in `folder` and return the log's path."""
    path = log_path(private_dir(folder))
    path.touch(mode=0o600)
    with path.open("a", encoding="utf-8") as log:
        log.writelines(traceback.format_exception(error))
    return path

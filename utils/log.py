"""The log: what went wrong in a way that nobody foresaw."""

import traceback
from datetime import datetime
from pathlib import Path

from utils.paths import private_dir

_LARGEST = 1_000_000


def record_crash(folder: Path, error: BaseException) -> Path:
    """Append a traceback to magpie.log in `folder` (begun anew past a megabyte) and return the log's path."""
    path = private_dir(folder) / "magpie.log"
    if path.exists() and path.stat().st_size > _LARGEST:
        path.replace(path.with_suffix(".log.1"))
    path.touch(mode=0o600)
    with path.open("a", encoding="utf-8") as log:
        log.write(f"{datetime.now().astimezone().isoformat(timespec='seconds')}\n")
        log.writelines(traceback.format_exception(error))
    return path

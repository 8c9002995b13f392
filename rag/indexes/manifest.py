"""What an index folder says of itself: from what it was made, how far it has followed, and the digests of its files."""

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from utils.errors import FileUnreadable
from utils.files import read_json
from utils.paths import write_private

MANIFEST = "magpie.json"


@dataclass
class Basis:
    """What an index was made from, and how far it has followed."""

    library: str
    generation: int
    collection: str
    fingerprint: str
    """Of the model, the chunker and the tables."""
    chunk: int = 0
    removal: int = 0

    def fits(self, other: "Basis") -> bool:
        """Whether both are of the same library, model and generation."""
        return self.is_as_new_as(other) and self.fingerprint == other.fingerprint

    def is_as_new_as(self, other: "Basis") -> bool:
        """Whether both are of the same library and generation, whatever model made them."""
        mine, theirs = asdict(self), asdict(other)
        return all(mine[key] == theirs[key] for key in ("library", "generation", "collection"))


def write_manifest(folder: Path, basis: Basis) -> None:
    """Note what is in a folder that was closed."""
    if folder.is_dir():
        manifest = {"basis": asdict(basis), "files": file_digests(folder)}
        write_private(folder / MANIFEST, json.dumps({**manifest, "digest": manifest_digest(manifest)}))


def read_manifest(folder: Path) -> Basis | None:
    """What is in a folder; None where that was not noted, or is not what was noted."""
    try:
        manifest = read_json(folder / MANIFEST)
        # How far the index has followed must be as sure as its files: a wrong number would pass chunks over.
        if manifest.pop("digest") != manifest_digest(manifest) or manifest["files"] != file_digests(folder):
            return None
        return Basis(**manifest["basis"])
    except (FileUnreadable, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def manifest_digest(manifest: Mapping[str, object]) -> str:
    """SHA-256 of what a manifest says."""
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def file_digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file in a folder but the manifest, by its path in it."""
    found: dict[str, str] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST):
        with path.open("rb") as file:
            found[str(path.relative_to(folder))] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def draft_folder(folder: Path) -> Path:
    """Where the index of a folder is made before it takes its place."""
    return folder.with_name(folder.name + ".new")


def clear_place(place: Path) -> None:
    """Remove a folder, or whatever else stands in its place."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)

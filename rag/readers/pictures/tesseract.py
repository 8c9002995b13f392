"""The text in pictures, read by the program tesseract: below the process in which files are read, within its limits."""

import io
import math
import os
import re
import resource
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from rag.readers.pictures.clock import charging_children, seconds_left
from utils.children import foreign_environment
from utils.errors import DocumentError
from utils.languages.scripts import UNSEGMENTED
from utils.platform import die_with_parent

if TYPE_CHECKING:
    from PIL import Image

MOST_LANGUAGES = 4
"""That a picture is read in at once: with each it takes longer, and more is misread."""
SMALL_SIDE = 1000
"""Pixels of the longer side below which a picture is doubled: small letters of a screen are misread."""
_LEAST_CONFIDENCE = 60.0
"""The mean confidence (0 to 100) of its words below which a line is left out: it is mostly no writing."""
_NO_LANGUAGES = frozenset({"osd", "equ", "snum"})
"""Data of tesseract that tells which way up a page is, what is a formula, and a number."""
_FIELDS = 12
_WORD_LEVEL = "5"
_SPACE_WITHIN = re.compile(rf"(?<=[{UNSEGMENTED}]) (?=[{UNSEGMENTED}])")


def find_tesseract() -> str:
    """The path of the program; empty where it is not installed."""
    return shutil.which("tesseract") or ""


def read_by_tesseract(image: "Image.Image", program: str) -> list[str]:
    """The lines in a picture (red, green, blue), from top to bottom; raises `DocumentError` where it breaks down."""
    if not (languages := chosen_languages(_languages_of(program), os.environ)):
        raise DocumentError(
            "The program tesseract has no language to read in.", "Install one of its packages, as tesseract-ocr-eng."
        )
    if max(image.size) < SMALL_SIDE:
        image = image.resize((2 * image.width, 2 * image.height))
    packed = io.BytesIO()
    image.save(packed, "PPM")
    options = ["-l", "+".join(languages), "-c", "tessedit_create_tsv=1"]
    return lines_in(_run(program, ["stdin", "stdout", *options], packed.getvalue()))


def lines_in(table: str) -> list[str]:
    """The lines that a table of tesseract's holds (TSV, a row for each word), without those that it is not sure of."""
    words = defaultdict[tuple[str, ...], list[tuple[float, str]]](list)
    for row in table.splitlines()[1:]:
        fields = row.split("\t", _FIELDS - 1)
        if len(fields) == _FIELDS and fields[0] == _WORD_LEVEL and fields[-1].strip():
            words[tuple(fields[1:5])].append((float(fields[-2]), fields[-1].strip()))
    sure = (line for line in words.values() if sum(each for each, _ in line) >= _LEAST_CONFIDENCE * len(line))
    return [_SPACE_WITHIN.sub("", " ".join(word for _, word in line)) for line in sure]


def chosen_languages(installed: Sequence[str], environment: Mapping[str, str]) -> Sequence[str]:
    """Those in which a picture is read: all where they are few, else the user's and English, as far as they are there.

    Where neither is, the first ones.
    """
    if len(installed) <= MOST_LANGUAGES:
        return installed
    from babel.core import get_global

    alike: Mapping[str, str] = get_global("language_aliases")
    named = next(filter(None, (environment.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    # Tesseract has ISO 639-2 with a script behind it: chi_sim. The locale has ISO 639-1: zh_CN.UTF-8.
    user = re.split(r"[_.@]", named)[0].lower()
    wanted = [code for code in installed if alike.get(code.split("_")[0], code) == user]
    wanted += [code for code in installed if code == "eng" and code not in wanted]
    return (wanted or installed)[:MOST_LANGUAGES]


@cache
def _languages_of(program: str) -> Sequence[str]:
    """The languages that are installed, by tesseract's names."""
    _headline, *names = _run(program, ["--list-langs"]).splitlines() or [""]
    return [name for name in map(str.strip, names) if name and "/" not in name and name not in _NO_LANGUAGES]


def _run(program: str, arguments: Sequence[str], given: bytes = b"") -> str:
    """What the program says; it ends with this process, and with the processor time and memory that this one has."""
    # Threads that wait for each other by counting take more time than they save.
    environment = foreign_environment({"OMP_THREAD_LIMIT": "1"})
    bind = partial(_bind_child, seconds_left())
    try:
        with charging_children():
            done = subprocess.run(
                [program, *arguments], input=given, capture_output=True, env=environment, preexec_fn=bind, check=False
            )
    except OSError as error:
        raise DocumentError(f"The program tesseract cannot be started: {error.strerror}.") from error
    except subprocess.SubprocessError as error:
        raise DocumentError("The program tesseract cannot be started: the system takes no limit for it.") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").split("\n")[0].strip().rstrip(".")
        raise DocumentError(f"The program tesseract broke down: {said or f'exit code {done.returncode}'}.")
    return done.stdout.decode(errors="replace")


def _bind_child(seconds: float) -> None:
    die_with_parent()
    if seconds < math.inf:
        # The system counts whole seconds, and on some machines a tenth more than it tells afterwards. What outlives its
        # time is found to have taken more than there was.
        limit = math.ceil(1.25 * seconds) + 1
        _, highest = resource.getrlimit(resource.RLIMIT_CPU)
        if highest != resource.RLIM_INFINITY:
            # Nobody but root may raise what the user's own shell allows.
            limit = min(limit, highest)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

"""What markitdown makes of the documents of the tests, beside Magpie's own readers.

    python -m benchmarks.readers ~/markitdown/bin/python

The Python is one that has `markitdown[docx,pptx,xlsx,outlook]`. Of each format it prints how many headings, rows of
tables, items of lists and blocks of code are told, in how many milliseconds, and with `--texts` the texts themselves.
"""

import argparse
import json
import re
import subprocess
import tempfile
import time
from pathlib import Path

from rag.readers.formats import named_type, read_one
from tests.fakes.documents import seeds
from utils.errors import DocumentError

_OTHER = """
import json, pathlib, sys, time
from markitdown import MarkItDown
reader, told = MarkItDown(), {}
for file in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    began = time.perf_counter()
    try:
        text = reader.convert(str(file)).markdown
    except Exception as error:
        text = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    told[file.name] = text, time.perf_counter() - began
print(json.dumps(told))
"""
_SEEN = {"headings": r"^#{1,6} \S", "rows": r"^\|", "items": r"^\s*(?:[-*+]|\d{1,3}[.)]) \S", "code": r"^```\S*$"}
"""What is counted, by how Markdown tells it; a block of code has two such lines."""


def main() -> None:
    """Print a line a document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", help="that has markitdown")
    parser.add_argument("--texts", action="store_true", help="print what they make of each as well")
    asked = parser.parse_args()
    documents = seeds()
    with tempfile.TemporaryDirectory() as folder:
        for name, data in documents.items():
            (Path(folder) / name).write_bytes(data)
        command = [asked.python, "-c", _OTHER, folder]
        others = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for name, data in documents.items():
        for whose, (text, seconds) in (("own", own_text(name, data)), ("markitdown", others[name])):
            told = ", ".join(f"{count_of(what, text)} {what}" for what in _SEEN)
            print(f"{name:14} {whose:10} {told}, {len(text):,} characters, {seconds * 1000:.0f} ms", flush=True)
            if asked.texts:
                print(text, flush=True)


def own_text(name: str, data: bytes) -> tuple[str, float]:
    """What Magpie reads, and in how many seconds."""
    began = time.perf_counter()
    try:
        text = read_one(data, named_type(name), name, "")[1]
    except DocumentError as error:
        text = str(error)
    return text, time.perf_counter() - began


def count_of(what: str, text: str) -> int:
    """How many of a kind are in a text."""
    return len(re.findall(_SEEN[what], text, re.MULTILINE)) // (2 if what == "code" else 1)


if __name__ == "__main__":
    main()

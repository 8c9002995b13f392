"""The program reads regular files alone, of a size and a depth that it can bear, and all of them by one reader."""

import ast
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.test_budgets import TREES
from utils.errors import FileMissing, FileUnreadable
from utils.files import expand_home, is_folder, open_regular, read_bytes, read_json, read_text


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "file"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


@pytest.mark.parametrize("read", [read_bytes, read_text, read_json])
@pytest.mark.parametrize(
    ("place", "told"),
    [
        (lambda folder: Path("/dev/zero"), "cannot be read: it is no regular file"),
        (lambda folder: Path("/dev/full"), "cannot be read: it is no regular file"),
        (pipe, "cannot be read: it is no regular file"),
        (lambda folder: folder, "cannot be read: it is a folder"),
        (lambda folder: folder / "none", "cannot be read: there is no such file"),
        (lambda folder: folder / ("n" * 5000), "cannot be read: file name too long"),
        (lambda folder: folder / "a\0b", "cannot be read: its name cannot be one"),
        (lambda folder: folder / "a\ud800b", "cannot be read: its name cannot be one"),
        (lambda folder: written(folder, "x" * 33_000_000), "cannot be read: it is larger than 32,000,000 bytes"),
    ],
)
def test_what_is_no_file_of_a_fit_size_is_told_at_once(
    tmp_path: Path, read: Callable[[Path], object], place: Callable[[Path], Path], told: str
) -> None:
    with pytest.raises(FileUnreadable) as caught:
        read(place(tmp_path))
    assert caught.value.why == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 100_000, "it is nested more than 100 deep"),
        ("[" * 100_000 + "]" * 100_000, "it is nested more than 100 deep"),
        ("[" * 102 + "]" * 102, "it is nested more than 100 deep"),
        ('{"a":' * 300 + "1" + "}" * 300, "it is nested more than 100 deep"),
        ("9" * 5000, "a number in it is too large"),
        ("[1, " + "9" * 4000 + "]", "a number in it is too large"),
        ("1e999", "a number in it is too large"),
        ("NaN", "NaN is no number of JSON"),
        ('{"a": 1,\n}', "Expecting property name enclosed in double quotes at line 2, column 1"),
        ("", "Expecting value at line 1, column 1"),
    ],
)
def test_json_that_is_too_deep_or_has_a_number_too_large_is_not_valid(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(FileUnreadable) as caught:
        read_json(written(tmp_path, text))
    assert caught.value.why == f"is not valid JSON: {told}"


def test_what_is_in_a_file_is_read_as_it_stands(tmp_path: Path) -> None:
    deep = "[" * 100 + "true" + "]" * 100
    assert str(read_json(written(tmp_path, deep))) == deep.replace("true", "True")
    assert read_json(written(tmp_path, '{"a": [170141183460469231731687303715884105728, 1e300]}')) == {
        "a": [170141183460469231731687303715884105728, 1e300]
    }
    assert read_text(written(tmp_path, b"\xef\xbb\xbfa\r\nb\rc\n"), encoding="utf-8-sig") == "a\nb\nc\n"
    assert read_text(Path("/proc/self/statm")).count(" ") == 6
    with pytest.raises(FileUnreadable, match=r"is not UTF-8: invalid start byte at byte 1\."):
        read_text(written(tmp_path, b"a\xff"))
    with pytest.raises(FileMissing):
        read_text(tmp_path / "none")


def test_a_link_to_a_file_is_read_and_one_to_itself_is_told(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(written(tmp_path, "here"))
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    assert read_text(tmp_path / "link") == "here"
    with pytest.raises(FileUnreadable, match="too many levels of symbolic links"):
        read_text(tmp_path / "circle")


def test_a_name_that_no_file_can_have_names_no_folder_and_no_home() -> None:
    assert not is_folder(Path("n" * 5000)) and not is_folder(Path("a\0b")) and is_folder(Path("/"))
    assert expand_home(Path("~nobodyhere/x")) == Path("~nobodyhere/x")
    assert expand_home(Path("~")) == Path.home()


def test_a_file_is_made_for_its_owner_alone_and_never_over_a_pipe(tmp_path: Path) -> None:
    os.close(open_regular(tmp_path / "new", os.O_WRONLY | os.O_CREAT))
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    with pytest.raises(OSError):
        os.close(open_regular(pipe(tmp_path), os.O_RDWR | os.O_CREAT))


def opened(tree: ast.AST) -> list[str]:
    """The calls in a module by which a file is opened, as they are written."""
    return [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call) and opens(node)]


def opens(call: ast.Call) -> bool:
    match call.func:
        case ast.Name("open") | ast.Attribute(ast.Name("os" | "io"), "open"):
            return True
        case ast.Attribute(_, "read_text" | "read_bytes" | "fromfile" | "memmap"):
            return True
        case ast.Attribute(ast.Name("json" | "np" | "pickle"), "load"):
            return True
        case ast.Attribute(_, "open"):
            # A file is opened in a mode; what else is opened is a library, an index, a connection.
            return not call.args or (isinstance(mode := call.args[0], ast.Constant) and isinstance(mode.value, str))
    return False


# What comes with Magpie stands beside the module that reads it.
BESIDE = (
    "FOLDER",
    "(FOLDER /",
    "WORDS_FILE.",
    "TEXTS_FILE.",
    "QUESTIONS_FILE.",
    "SITE_FILE.",
    "STATIC_FOLDER.",
    "Path(__file__)",
    "np.load(WEIGHTS_FILE)",
    "np.load(WEIGHTS)",
)
ELSEWHERE = {
    # The one reader.
    "utils/files.py": {"os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY, 384)"},
    # What is written anew under a name of its own.
    "utils/paths.py": {"os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 384)"},
    "utils/sqlite.py": {"os.open(target, os.O_CREAT | os.O_EXCL, 384)"},
    "chatbot/history/export/files.py": {"os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 384)"},
    "chatbot/models/embedded/hub.py": {"draft.open('ab')"},
    "rag/embedding/selector.py": {"os.open(self._root / 'export.log', os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 384)"},
    "chatbot/models/embedded/engine.py": {"os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 384)"},
    # What Magpie wrote itself, as large as the user's data, read piece by piece or mapped, and known by its digest.
    "chatbot/models/embedded/prompt_cache.py": {"path.open('rb')"},
    "chatbot/models/embedded/gguf_files.py": {
        "draft.open('rb')",
        "draft.open('wb')",
        "part.open('rb')",
        "path.open('rb')",
    },
    "chatbot/history/recovery/page_recovery.py": {"path.read_bytes()", "log.read_bytes()"},
    "chatbot/history/recovery/backups.py": {"draft.open('rb')"},
    "chatbot/history/recovery/reopen.py": {"path.open('rb')"},
    "rag/indexes/manifest.py": {"path.open('rb')"},
    "rag/indexes/exact_on_disk.py": {
        "np.fromfile(self._chunks, '<i8')",
        "np.memmap(self.path, self.number, 'r', shape=(count, width))",
        "os.open(self._chunks, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 384)",
        "os.open(self.path, os.O_RDWR | os.O_CREAT, 384)",
        "self.path.open('ab')",
        "self.path.open('r+b')",
    },
    "rag/embedding/onnx_model.py": {"path.open('rb')"},
    # What the library keeps is handed to the readers' own process, which has limits of its own.
    "rag/readers/__init__.py": {"os.open(path, os.O_RDONLY | os.O_CLOEXEC)"},
    # The system, and what other processes of Magpie say through a pipe.
    "chatbot/frontends/mcp_server/stdio.py": {"Path(os.devnull).open('rb')"},
    "chatbot/models/embedded/engine_process.py": {"json.load(sys.stdin)"},
    "utils/supervisor.py": {"os.open(os.devnull, os.O_RDWR)"},
    # A part of an archive, in memory.
    "rag/readers/archive.py": {"archive.open('mimetype')"},
    # Indexes and conversations, which are opened by methods of that name.
    "chatbot/history/recovery/self_healing.py": {"self.open()"},
    "rag/indexes/index_owner.py": {"index.open()"},
}


def test_wherever_the_program_opens_a_file_the_one_reader_does_it() -> None:
    parts = {name: tree for name, tree in TREES.items() if not name.startswith("benchmarks/")}
    found = {name: {call for call in opened(tree) if not call.startswith(BESIDE)} for name, tree in parts.items()}
    # The kernel's own files: they have no end that could be far.
    del found["utils/platform.py"]
    assert {name: calls for name, calls in found.items() if calls} == ELSEWHERE

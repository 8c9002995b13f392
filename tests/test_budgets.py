"""The size and shape of the code, read from its syntax trees."""

import ast
from collections import Counter

from tests.fakes.places import ROOT

FILES = sorted(
    path for folder in ("chatbot", "tools", "rag", "utils", "benchmarks") for path in (ROOT / folder).rglob("*.py")
)
TREES = {
    str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8")) for path in [ROOT / "main.py", *FILES]
}


def test_no_module_is_longer_than_300_lines() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: length for name, length in lengths.items() if length > 300} == {}


def test_no_function_is_longer_than_40_lines() -> None:
    functions = {
        f"{name}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: length for name, length in functions.items() if length > 40} == {}


def test_no_folder_has_more_than_15_modules() -> None:
    folders = Counter(str(path.parent.relative_to(ROOT)) for path in FILES if path.name != "__init__.py")
    rooms = {name: count for name, count in folders.items() if not name.startswith("benchmarks")}
    assert {name: count for name, count in rooms.items() if count > 15} == {}


def test_no_two_public_classes_have_one_name() -> None:
    names = Counter(
        node.name
        for name, tree in TREES.items()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not name.startswith("benchmarks")
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_every_module_opens_with_a_sentence() -> None:
    assert [name for name, tree in TREES.items() if not (ast.get_docstring(tree) or "").split("\n")[0]] == []


def test_main_hands_over() -> None:
    assert len((ROOT / "main.py").read_text(encoding="utf-8").splitlines()) <= 45


def test_complexity_is_never_waved_through() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in FILES}
    assert [str(path) for path, text in sources.items() if "noqa: C901" in text or "noqa: PLR0913" in text] == []

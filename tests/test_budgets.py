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


def test_at_most_45_percent_of_the_functions_have_a_name_of_one_word() -> None:
    names = [
        node.name.lstrip("_")
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not (name.startswith("benchmarks") or node.name.endswith("__"))
    ]
    assert sum("_" not in name for name in names) <= 0.45 * len(names)


def test_no_two_modules_have_a_constant_of_one_name() -> None:
    names = Counter(
        constant
        for name, tree in TREES.items()
        for constant in {
            each.id
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and "TypeVar(" not in ast.unparse(node)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            for each in ast.walk(target)
            if isinstance(each, ast.Name) and each.id.lstrip("_").isupper()
        }
        if not name.startswith("benchmarks")
    )
    assert [name for name, count in names.items() if count > 1] == []


OURS = ("chatbot", "tools", "rag", "utils")
GATES = (
    # The command line to one front end.
    *("main.py", "chatbot/cli", "chatbot/frontends/library_cli/", "chatbot/frontends/mcp_server/"),
    *("chatbot/frontends/misplaced", "chatbot/frontends/common_options"),
    # The prompt to the engine: the names of all commands complete what is typed.
    *("chatbot/frontends/terminal/", "chatbot/commands/", "chatbot/engine/face", "chatbot/engine/startup"),
    # The engine to a heavy library: the SDK of MCP, httpx, torch, dates in all languages.
    *("chatbot/engine/engine", "chatbot/mcp/", "chatbot/models/ollama/", "chatbot/models/embedded/"),
    *("chatbot/models/anthropic/", "chatbot/models/openai/", "chatbot/models/remote/", "utils/network/api_client"),
    *("chatbot/memory/reminder_time", "rag/embedding/onnx_export"),
)
"""Where modules of ours are imported inside functions, so that nobody waits for what they do not use."""


def test_modules_of_ours_are_imported_inside_functions_at_three_gates_alone() -> None:
    lazy = {
        name
        for name, tree in TREES.items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in OURS
    }
    assert sorted(name for name in lazy if not name.startswith((*GATES, "benchmarks"))) == []


def test_every_module_opens_with_a_sentence() -> None:
    assert [name for name, tree in TREES.items() if not (ast.get_docstring(tree) or "").split("\n")[0]] == []


def test_main_hands_over() -> None:
    assert len((ROOT / "main.py").read_text(encoding="utf-8").splitlines()) <= 45


def test_complexity_is_never_waved_through() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in FILES}
    assert [str(path) for path, text in sources.items() if "noqa: C901" in text or "noqa: PLR0913" in text] == []


def test_of_rapidfuzz_the_package_is_imported_and_none_of_its_parts() -> None:
    parts = {
        f"{name}:{node.lineno}"
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rapidfuzz.")
    }
    assert parts == set()

"""Finds what is wrong with Strudel code: its brackets, its JavaScript, and the patterns in its strings."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from chatbot.profiles.strudel.mini_notation import NotationError, check_notation
from utils.text import one_line

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_CODE_CHARS = 50_000
"""Characters of a block that are checked; longer ones nobody plays."""
BLOCK_LANGUAGES = frozenset({"", "js", "javascript", "strudel", "mjs"})
"""What a block of Strudel code may call its language."""
PLAIN_TEXT_CALLS = frozenset(
    {"samples", "register", "p", "log", "fetch", "loadCsound", "loadOrc", "aliasBank", "soundAlias", "addVoicings"}
    | {"initHydra", "evaluate", "eval", "midi", "midin", "midimap", "osc", "mqtt", "serial", "speak", "markcss", "css"}
    | {"loadSoundfont", "tables", "setVoicingRange", "import", "require", "hydra", "label", "all"}
)
"""Functions whose texts are no patterns."""
_FENCE = re.compile(r"\s*(?:```|~~~)\s*([^\s`~]*)")
_BRACKET_PAIRS = {")": "(", "]": "[", "}": "{"}


def find_problem(answer: str) -> str:
    """What is wrong with the first block of code in an answer that is no valid Strudel; empty where all are, or none
    is there. Blocks."""
    for language, code in code_blocks(answer):
        if language.lower() in BLOCK_LANGUAGES and (problem := find_code_problem(code)):
            return problem
    return ""


def code_blocks(answer: str) -> list[tuple[str, str]]:
    """The blocks of code in an answer: what each calls its language, and the code."""
    blocks = list[tuple[str, list[str]]]()
    is_open = False
    for line in answer.split("\n"):
        fence = _FENCE.match(line)
        if fence and not is_open:
            blocks.append((fence[1], []))
            is_open = True
        elif fence and not fence[1]:
            is_open = False
        elif is_open:
            blocks[-1][1].append(line)
    # One that was cut off has no end.
    return [(language, "".join(f"{line}\n" for line in lines)) for language, lines in blocks]


def find_code_problem(code: str) -> str:
    """What is wrong with a block of code, in a few words without a period; empty where it is valid."""
    if len(code) > MAX_CODE_CHARS:
        return f"it is longer than {MAX_CODE_CHARS:,} characters"
    root = _load_parser().parse(code.encode("utf-8", "replace")).root_node
    leaves = list(_leaves(root))
    if problem := _find_bracket(leaves) or (_find_error(leaves) if root.has_error else ""):
        return problem
    for node in _nodes(root):
        if (pattern := _pattern_of(node)) is not None:
            try:
                check_notation(pattern)
            except NotationError as error:
                line = node.start_point[0] + 1
                return f'line {line}: in the pattern "{one_line(pattern, 60)}" {error}'
    return ""


@cache
def _load_parser() -> "Parser":
    # Loaded where code is checked, which most chats have none of.
    import tree_sitter_javascript
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_javascript.language()))


def _nodes(root: "Node") -> Iterator["Node"]:
    """Every node, in the order of the code; no recursion, for code can be nested as deep as it likes."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def _leaves(root: "Node") -> Iterator["Node"]:
    return (node for node in _nodes(root) if not node.children)


def _find_bracket(leaves: Sequence["Node"]) -> str:
    """The first bracket that is not closed, or closes nothing."""
    opened: list[Node] = []
    for leaf in leaves:
        if leaf.is_missing:
            continue
        sign = "{" if leaf.type == "${" else leaf.type
        if sign in _BRACKET_PAIRS.values():
            opened.append(leaf)
        elif sign in _BRACKET_PAIRS:
            if not opened or ("{" if opened[-1].type == "${" else opened[-1].type) != _BRACKET_PAIRS[sign]:
                return f"line {leaf.start_point[0] + 1}: {sign} closes nothing"
            opened.pop()
    return f"line {opened[-1].start_point[0] + 1}: the {opened[-1].type} is not closed" if opened else ""


def _find_error(leaves: Sequence["Node"]) -> str:
    """Where code that has no parse stops making sense, as near as can be told."""
    for leaf in leaves:
        line = leaf.start_point[0] + 1
        if leaf.is_missing:
            return f"line {line}: {leaf.type} is missing"
        if leaf.is_error or (leaf.parent is not None and leaf.parent.is_error):
            told = one_line((leaf.text or b"").decode("utf-8", "replace"), 40)
            return f"line {line}: it cannot be read from {told} on" if told else f"line {line}: it cannot be read"
    return "it cannot be read as JavaScript"


def _pattern_of(node: "Node") -> str | None:
    """The pattern that a text in the code is; None where it is none, or made of parts."""
    text = (node.text or b"").decode("utf-8", "replace")
    is_text = (node.type == "string" and text.startswith('"')) or node.type == "template_string"
    if not is_text or "\\" in text or any(child.type == "template_substitution" for child in node.children):
        return None
    return None if _is_plain_text(node) else text[1:-1]


def _is_plain_text(node: "Node") -> bool:
    """Whether a text is a name, an address or the like, by the call that it is handed to."""
    above = node.parent
    while above is not None and above.type not in ("call_expression", "program"):
        if above.type in ("import_statement", "export_statement", "subscript_expression", "binary_expression"):
            return True
        if above.type == "pair" and above.child_by_field_name("key") == node:
            return True
        node, above = above, above.parent
    if above is None or above.type == "program":
        return False
    function = above.child_by_field_name("function")
    if function is None or function == node:
        # The text is what the function is called of: "c3 e3".note().
        return False
    named = function.child_by_field_name("property") or function
    return (named.text or b"").decode("utf-8", "replace") in PLAIN_TEXT_CALLS

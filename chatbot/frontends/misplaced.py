"""Commands that were typed where a question stands: misspelt, behind options, or of the chat."""

from collections.abc import Collection, Sequence

from chatbot.frontends.library_cli import arguments as library
from utils.languages.spelling import nearest_name

APPROVE = "approve"
MIN_RESEMBLANCE = 75.0
"""What a word must resemble (0 to 100) to be a misspelt command: "rag dolls" is a question."""


def misplaced_command(question: Sequence[str]) -> str:
    """What to type in the place of a command that a model would be asked; empty where it is a question.

    `question` are the arguments as the shell handed them over: what stands in quotes is one of them.
    """
    first, rest = (question[0], question[1:]) if question else ("", ())
    if first == "rag":
        return _of_shell("rag", rest, library.command_names())
    if first == "research" and rest:
        return "Options stand behind a command: type `magpie research` first, and then the options."
    if first == "mcp":
        return _of_shell("mcp", rest, {APPROVE})
    return _of_chat(" ".join(question)) if first.startswith("/") else ""


def _of_shell(name: str, rest: Sequence[str], commands: Collection[str]) -> str:
    if not rest or rest[0] in commands:
        typed = " ".join([f"magpie {name}", *rest[:1]])
        return f"Options stand behind a command: type `{typed}` first, and then the options."
    near = nearest_name(rest[0].lower(), sorted(commands), MIN_RESEMBLANCE, whole=True)
    if not near:
        return ""
    return f"There is no command `{name} {rest[0]}`. Did you mean `magpie {name} {near}`? A question stands in quotes."


def _of_chat(line: str) -> str:
    from chatbot.commands.registry import find_command, is_command, resembling_command, unknown_command

    if not is_command(line):
        return ""
    name = line[1:].split()[0]
    if find_command(name):
        return f"/{name} is a command of the chat: start `magpie`, and type it there."
    return unknown_command(name) if resembling_command(name) else ""

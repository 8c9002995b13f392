"""What came of wishes: told by what was really done, a line an act."""

import re
from collections.abc import Iterator

from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.turns import Turn
from chatbot.models.pipeline.decision.router import ACT_WORDS
from chatbot.prompts.phrases import fill_phrase

UNDONE = re.compile(r"Not\b")
"""What a tool's word begins with where the user is to agree first."""
_REMINDED_TIME = re.compile(r"reminded ((?:(?!reminded ).)+)\.$")


def act_outcomes(turn: Turn) -> Iterator[tuple[ToolCall, Message]]:
    """Each call of a turn that carries out a wish, with its result."""
    results = {result.call_id: result for result in turn.results}
    for call in turn.calls:
        if call.name in ACT_WORDS and call.id in results:
            yield call, results[call.id]


def tell_acts(turn: Turn, language: str) -> str:
    """What was really done, a line an act, in the user's language."""
    told = [(call, result) for call, result in act_outcomes(turn)]
    # A reminder that was read a second time is told by its last result alone.
    later = [{_meant_by(call) for call, _ in told[place + 1 :]} for place in range(len(told))]
    kept = [
        pair for pair, behind in zip(told, later, strict=True) if not (pair[1].failed and _meant_by(pair[0]) in behind)
    ]
    lines = [tell_act(call, result, language) for call, result in kept]
    return "\n".join(lines)


def _meant_by(call: ToolCall) -> tuple[str, str]:
    """What a call does, and to what: two reminders are two, whenever they are due."""
    return call.name, str(call.arguments.get("text") or call.arguments.get("fact") or call.arguments.get("which") or "")


def tell_act(call: ToolCall, result: Message, language: str) -> str:
    """What came of one act."""
    _, text = _meant_by(call)
    if result.failed:
        return _tell_failure(call.name, text, result.content, language)
    if UNDONE.match(result.content):
        return fill_phrase("asked_to_agree", language, command="/memory")
    match call.name:
        case "remember":
            already = "already" in result.content
            return (
                fill_phrase("remembered_already", language)
                if already
                else fill_phrase("remembered", language, fact=text)
            )
        case "forget":
            return fill_phrase("forgotten", language, fact=result.content.partition(": ")[2] or text)
        case "set_reminder":
            moment = _REMINDED_TIME.search(result.content)
            return fill_phrase("reminder_set", language, text=text, when=moment[1] if moment else "")
        case "cancel_reminder":
            return fill_phrase("reminder_cancelled", language, text=result.content.partition(": ")[2] or text)
    if not result.content.startswith("-"):
        return fill_phrase("no_reminders", language)
    return f"{fill_phrase('reminders_are', language)}\n{result.content}"


def _tell_failure(name: str, text: str, problem: str, language: str) -> str:
    match name:
        case "forget":
            return fill_phrase("nothing_to_forget", language, what=text)
        case "set_reminder" if "no time" in problem:
            return fill_phrase("reminder_needs_time", language, text=text)
        case "cancel_reminder":
            return fill_phrase("no_such_reminder", language, what=text)
    return problem

"""Where turns begin and end in a session, and how one that was cut off or has damaged parts is made whole."""

from collections.abc import Sequence
from dataclasses import replace

from chatbot.conversation.conversation import Compaction
from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.turns import cut_off, has_ended, open_calls
from chatbot.history.entries import AnyValue, Entry, Feedback, Pin
from chatbot.history.log import DAMAGED, Read


def turn_ending(messages: Sequence[Message], text: str, thinking: str) -> list[Message]:
    """What ends a turn that was cut off, with what had arrived of its reply; nothing where none was."""
    if not messages or has_ended(messages):
        return []
    return cut_off(messages, text, thinking)


def ends_turn(values: Sequence[AnyValue]) -> bool:
    """Whether no reply is to be expected after these entries."""
    talk = [value for value in values if isinstance(value, Message)]
    return not talk or has_ended(talk)


def split_entries(entries: Sequence[Entry]) -> list[list[Entry]]:
    """The entries, question by question; what stands before the first one is with it; one turn at least."""
    turns: list[list[Entry]] = [[]]
    for entry in entries:
        if isinstance(entry.value, Message) and entry.value.is_question and _has_message(turns[-1]):
            turns.append([])
        turns[-1].append(entry)
    return turns


def _has_message(turn: Sequence[Entry]) -> bool:
    return any(isinstance(entry.value, Message) for entry in turn)


def last_change(live: Sequence[Read]) -> list[Read]:
    """The entries of the last change: a compaction, or a turn with the pins in it."""
    talk = [read for read in live if isinstance(read.value, Message | Compaction)]
    if not talk:
        return []
    if isinstance(talk[-1].value, Compaction):
        return talk[-1:]
    messages = [read for read in talk if isinstance(read.value, Message)]
    first = next((read for read in reversed(messages) if read.row.label == "user"), messages[0])
    number = messages.index(first)
    return [read for read in live if _belongs_to_turn(read, first.row.id, number)]


def _belongs_to_turn(read: Read, first: int, number: int) -> bool:
    if isinstance(read.value, Pin | Feedback):
        return read.value.message >= number
    return read.row.id >= first and read.row.label not in ("title", "compaction", "collections")


def repair_entries(entries: Sequence[Entry]) -> list[Entry]:
    """The entries with messages in an order that any model accepts, whatever is missing."""
    made: list[Entry] = []
    turn: list[Message] = []
    for index, entry in enumerate(entries):
        message = entry.value
        if not isinstance(message, Message):
            made.append(entry)
            continue
        if message.is_question or has_ended(turn):
            # A turn that was copied while it was under way has no end.
            made += [entry._replace(value=each) for each in turn_ending(turn, "", "")]
            turn = []
        if not turn and message.role in ("assistant", "tool"):
            turn.append(Message("user", DAMAGED, interrupted=True))
            made.append(entry._replace(value=turn[0]))
        if message.is_result and turn[-1].is_question:
            turn.append(
                Message("assistant", DAMAGED, tool_calls=_orphaned_calls(entries, index, turn), interrupted=True)
            )
            made.append(entry._replace(value=turn[-1]))
        mended = _mend_message(message, turn, entries, index)
        turn.append(mended)
        made.append(entry if mended is message else entry._replace(value=mended))
    return made


def place_marks(entries: Sequence[Entry]) -> list[Entry]:
    """The entries with each turn's last mark at its end, wherever it was written, and no other marks."""
    marks = {entry.value.message: entry for entry in entries if isinstance(entry.value, Feedback)}
    if not marks:
        return list(entries)
    made: list[Entry] = []
    start, number = -1, 0
    for entry in entries:
        if isinstance(entry.value, Message):
            if entry.value.is_question:
                made += [marks[start]] if start in marks else []
                start = number
            number += 1
        made += [] if isinstance(entry.value, Feedback) else [entry]
    return made + ([marks[start]] if start in marks else [])


def _mend_message(message: Message, turn: Sequence[Message], entries: Sequence[Entry], index: int) -> Message:
    if message.is_result:
        return _tie_result(message, turn)
    if message.is_answer and (calls := _orphaned_calls(entries, index + 1, turn)):
        return replace(message, tool_calls=calls)
    return message


def _tie_result(result: Message, turn: Sequence[Message]) -> Message:
    """The result, tied to a call that waits for one where it does not say to which."""
    waiting = [] if result.call_id else open_calls(turn)
    return replace(result, call_id=waiting[0].id, tool_name=waiting[0].name) if waiting else result


def _orphaned_calls(entries: Sequence[Entry], start: int, turn: Sequence[Message]) -> tuple[ToolCall, ...]:
    """Calls for the results right after a message that do not belong to any call."""
    known = {call.id for message in turn for call in message.tool_calls}
    calls: list[ToolCall] = []
    for place in range(start, len(entries)):
        following = entries[place].value
        if not isinstance(following, Message):
            continue
        if not following.is_result:
            break
        if following.call_id not in known:
            calls.append(ToolCall(following.tool_name, {}, following.call_id))
    return tuple(calls)

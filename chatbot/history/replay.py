"""A kept conversation as the events that it was when it was had."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from chatbot.conversation import events
from chatbot.conversation.conversation import Compaction
from chatbot.conversation.events import AnswerDelta, AnswerWithdrawn, Asked, Event, Notice, ThinkingDelta, ToolFinished
from chatbot.conversation.messages import Message, Source
from chatbot.conversation.turns import INTERRUPTED_MARK
from chatbot.history.entries import ChosenCollections, Entry, Feedback, TurnAnswered
from chatbot.history.turns import split_entries


def last_turns(entries: Sequence[Entry], count: int) -> tuple[list[Entry], int]:
    """The entries of the last `count` turns, and how many turns there are before them."""
    turns = split_entries(entries)
    return [entry for turn in turns[-count:] for entry in turn], max(0, len(turns) - count)


def replay_entries(entries: Sequence[Entry], sources: dict[int, Source]) -> Iterator[Event]:
    """The events, in order; `sources` are those of the whole conversation by number."""
    turn: list[Message] = []
    for entry in entries:
        match entry.value:
            case Message() as message:
                if message.is_question:
                    turn = []
                turn.append(message)
                yield from _said_events(message, turn)
            case TurnAnswered() as answered:
                yield _answered_event(answered, turn, sources)
            case Feedback() | ChosenCollections() as told:
                yield Notice(told.describe())
            case Compaction(tokens_before=before, tokens_after=after):
                yield Notice(f"Older questions were summarised: {before:,} tokens became {after:,}.")
            case _:
                pass


def _said_events(message: Message, turn: Sequence[Message]) -> Iterator[Event]:
    if message.is_question:
        texts, pictures = (source.passage.title for source in message.sources), (one.name for one in message.pictures)
        yield Asked(message.content, tuple(dict.fromkeys([*texts, *pictures])))
    elif message.is_result:
        call = next((call for said in turn for call in said.tool_calls if call.id == message.call_id), None)
        if call is not None:
            yield ToolFinished(call, not message.failed, message.content, message.seconds, message.sources)
    else:
        if message.thinking:
            yield ThinkingDelta(message.thinking)
        if message.content and message.content != INTERRUPTED_MARK:
            yield AnswerDelta(message.content)
        if message.interrupted:
            # Ends what was streamed, as Ctrl-C did.
            yield AnswerWithdrawn()
            yield Notice("Stopped.")


def _answered_event(answered: TurnAnswered, turn: Sequence[Message], sources: dict[int, Source]) -> events.Answered:
    text = turn[-1].content if turn else ""
    handed = dict.fromkeys(source.number for message in turn if message.is_result for source in message.sources)
    cited = tuple(sources[number] for number in answered.cited if number in sources)
    unused = tuple(sources[number] for number in handed if number not in answered.cited)
    told = (answered.unknown, answered.usage, answered.seconds, answered.truncated)
    whole = events.Answered(text, cited, unused, *told, unsupported=answered.unsupported)
    return replace(whole, form=answered.form, summary=answered.summary)

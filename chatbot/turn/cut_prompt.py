"""A prompt that the server cut, or counts as too long, is sent again with less; the answer to it is withdrawn."""

from collections.abc import AsyncGenerator, Callable, Iterator

from chatbot.conversation.events import AnswerWithdrawn, Notice, TurnEvent
from chatbot.turn.model_reply import ModelReply
from utils.errors import PromptCut, PromptTooLong

RETRIES = 3
"""How often a prompt is sent again, smaller each time."""
AGAIN = "What it answered to that does not count; it is asked again with less."

Steps = AsyncGenerator[TurnEvent, None]


def send_until_whole(
    make_fit: Callable[[], Steps], send: Callable[[bool], Steps], has_arrived: Callable[[], bool]
) -> Iterator[Steps]:
    """The steps of a model call: `make_fit` and `send` by turns, until a prompt was read whole and its reply is there.

    `send` is told whether it may be called once more: then it keeps to itself that a prompt was too long.
    """
    for left in reversed(range(RETRIES + 1)):
        yield make_fit()
        yield send(left > 0)
        if has_arrived():
            return


def withdraw_reply(reply: ModelReply, error: PromptTooLong) -> list[TurnEvent]:
    """Forget a reply to a prompt that was not read whole, and say so to whoever has seen it."""
    reply.forget_arrived()
    return [AnswerWithdrawn(), Notice(f"{error.problem} {AGAIN}", "warning")] if isinstance(error, PromptCut) else []

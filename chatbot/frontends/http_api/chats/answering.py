"""Answers under way: begun in a chat, run in the background, found again by their id, and stopped."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from chatbot.frontends.http_api.chats.held_chats import HeldChat, HeldChats
from chatbot.frontends.http_api.chats.live_answer import LiveAnswer
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.guard.request_rate import too_many
from chatbot.frontends.http_api.metrics import ApiMetrics
from chatbot.settings import ServeSettings
from utils.errors import MagpieError
from utils.faults import record_fault

BUSY_WAIT = 5
"""Seconds after which whoever was one too many may come again."""
MAX_ENDED_KEPT = 200
"""Answers that have ended and whose events are kept; of more, the oldest is forgotten."""


class AnswerWork(Protocol):
    """What makes an answer."""

    @property
    def resumable(self) -> bool:
        """Whether it goes on when nobody listens."""

    async def answer(self, held: HeldChat, answer: LiveAnswer) -> None:
        """Tell the events of the answer; raises what keeps it from being made."""


class Answering:
    """Begins, finds and stops answers."""

    def __init__(self, chats: HeldChats, settings: ServeSettings, metrics: ApiMetrics) -> None:
        self._chats = chats
        self._settings = settings
        self._metrics = metrics
        self._kept: dict[str, LiveAnswer] = {}
        self._running: dict[LiveAnswer, asyncio.Task[None]] = {}
        self._beginning = 0
        """Answers whose chat is being opened."""

    @property
    def running(self) -> int:
        """How many answers are being made."""
        return len(self._running) + self._beginning

    async def begin(self, take: Callable[[], Awaitable[HeldChat]], work: AnswerWork) -> LiveAnswer:
        """Begin an answer in the chat that `take` gives; raises a `MagpieError` where none can be had.

        Of too many at once that is `ApiRefusal` with 429, and nothing was taken.
        """
        if self.running >= self._settings.max_chats:
            raise too_many(f"{self.running:,} answers are being made already.", BUSY_WAIT)
        self._beginning += 1
        try:
            held = await take()
        finally:
            self._beginning -= 1
        person, session = held.chat.person.name, held.chat.session
        answer = LiveAnswer(person, session, self._settings, resumable=work.resumable)
        self._kept[answer.id] = answer
        held.face.attend(answer)
        task = asyncio.create_task(self._run(held, work, answer))
        self._running[answer] = task
        answer.begin(task.cancel)
        return answer

    def find(self, person: str, id: str) -> LiveAnswer:
        """The answer of that person with this id; raises `ApiRefusal`."""
        answer = self._kept.get(id)
        if answer is None or answer.person != person:
            raise ApiRefusal(404, "There is no such answer.", "Its events are kept for a while only.", code="no_chat")
        return answer

    async def close(self) -> None:
        """Stop all answers; what had arrived of them is kept."""
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def _run(self, held: HeldChat, work: AnswerWork, answer: LiveAnswer) -> None:
        outcome = "answered"
        try:
            await work.answer(held, answer)
        except asyncio.CancelledError:
            outcome = "left" if answer.was_left else "stopped"
            answer.fail(MagpieError("The answer was stopped.", "Ask again to go on."))
        except Exception as error:  # noqa: BLE001 - whoever listens is told, and all else goes on
            outcome = "failed"
            answer.fail(record_fault(error, "Answering"))
        finally:
            self._metrics.count_answer(outcome, answer.events)
            answer.finish()
            del self._running[answer]
            self._forget_later(answer)
            self._chats.give_back(held)

    def _forget_later(self, answer: LiveAnswer) -> None:
        ended = [one for one in self._kept.values() if one.done]
        for oldest in ended[: max(0, len(ended) - MAX_ENDED_KEPT)]:
            self._kept.pop(oldest.id, None)
        loop = asyncio.get_running_loop()
        loop.call_later(self._settings.keep_seconds, self._kept.pop, answer.id, None)

"""What the user asked to have remembered: short facts that every chat begins with, never written behind their back."""

import asyncio
import math
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from chatbot.conversation.events import Notice
from chatbot.conversation.fact_clauses import clauses_of, is_clause, without_clause
from chatbot.conversation.messages import Message
from chatbot.conversation.wishes import asks_to_remember, correction_in, is_courtesy, lasting_statements
from chatbot.memory.profile import Profile
from chatbot.prompts.loader import read_prompt
from chatbot.settings import MemorySettings
from chatbot.trust.authorship import has_half_the_words, is_typed, is_users_own, words_of
from chatbot.trust.taint import INSIDE
from utils.errors import MagpieError, ProfileError, ToolError
from utils.text import one_line

PROPOSALS = 5
"""Facts that wait for the user's word at once: what proposes more is a page, not a user."""
MAX_FACT_CHARS = 300
"""Characters of a fact: it is to be short."""
_BYTES_PER_TOKEN = 3
"""Of English a token has more, so that the count errs on the side of too many."""


@dataclass(frozen=True)
class Fact:
    """Something to remember; not `kept` while it is only proposed."""

    number: int
    """Never given to another fact."""
    text: str
    kept: bool


@dataclass(frozen=True)
class Selection:
    """Which facts a system message has room for, oldest first, and what they take."""

    told: tuple[Fact, ...]
    tokens: int


class Memory:
    """The facts, and the two tools that write them.

    `heard` gives the messages of the conversation, by which the tools tell the user's wish from a page's; `tell`
    shows the user what is proposed.
    """

    def __init__(
        self,
        profile: Profile,
        settings: MemorySettings,
        heard: Callable[[], Sequence[Message]],
        tell: Callable[[Notice], None],
    ) -> None:
        self.settings = settings
        self._profile = profile
        self._heard = heard
        self._tell = tell
        self._briefing = ""
        self._news: list[str] = []

    @property
    def writable(self) -> bool:
        """Whether anything can be remembered or forgotten by the model."""
        return self.settings.enabled and not self._profile.read_only

    @property
    def briefing(self) -> str:
        """What the system message says of the facts: the same for a whole session."""
        return self._briefing

    async def begin_session(self) -> None:
        """Take what is known now into the system message; a file that cannot be read is said."""
        told: tuple[Fact, ...] = ()
        try:
            if self.settings.enabled:
                told = select_facts(await self.list_facts(), self.settings.max_tokens).told
        except ProfileError as error:
            self._tell(Notice(str(error), "error"))
        self._briefing = "\n".join([read_prompt("memory"), *(f"- {fact.text}" for fact in told)]) if told else ""
        self._news.clear()

    def take_news(self) -> str:
        """What changed by command since the session began, once: the model did not hear of it otherwise."""
        news, self._news = self._news, []
        return " ".join(news)

    async def list_facts(self) -> list[Fact]:
        """All facts and proposals, oldest first; raises `ProfileError`."""

        def read_facts() -> list[Fact]:
            with self._profile.reading() as db:
                rows = db.execute("SELECT id, text, kept FROM facts ORDER BY id").fetchall() if db else []
            return [Fact(number, text, bool(kept)) for number, text, kept in rows]

        return await asyncio.to_thread(read_facts)

    async def told_facts(self) -> Sequence[str]:
        """The facts that a model is told now, oldest first; none where they cannot be read, which was said before."""
        if not self.settings.enabled:
            return ()
        try:
            return [fact.text for fact in select_facts(await self.list_facts(), self.settings.max_tokens).told]
        except ProfileError:
            return ()

    async def add_fact(self, text: str) -> Fact:
        """Remember what the user wrote; raises a `MagpieError`."""
        fact = await self._write_fact(text, kept=True)
        self._news.append(f"The user asks you to remember: {fact.text}.")
        return fact

    async def edit_fact(self, number: int, text: str) -> Fact:
        """Put other words in a fact's place; raises a `MagpieError`."""
        old, text = await self.find_fact(str(number)), _shorten_fact(text)
        await self._change_facts("UPDATE facts SET text = ?, kept = 1 WHERE id = ?", text, old.number)
        self._news.append(f'The user corrects "{old.text}" to "{text}".')
        return Fact(old.number, text, True)

    async def keep_proposal(self, number: int) -> Fact:
        """Agree to a proposal; raises a `MagpieError`."""
        fact = await self.find_fact(str(number))
        await self._change_facts("UPDATE facts SET kept = 1 WHERE id = ?", fact.number)
        self._news.append(f"The user agrees that you remember: {fact.text}.")
        return replace(fact, kept=True)

    async def drop_fact(self, which: str) -> Fact:
        """Take out the fact of that number or text; raises a `MagpieError`."""
        fact = await self.find_fact(which)
        await self._change_facts("DELETE FROM facts WHERE id = ?", fact.number)
        if fact.kept:
            self._news.append(f"The user had you forget: {fact.text}.")
        return fact

    async def find_fact(self, which: str) -> Fact:
        """The one fact of that number, or with all words of that text; raises `MagpieError` for none or several."""
        facts = await self.list_facts()
        found = [fact for fact in facts if str(fact.number) == which.strip()]
        found = found or [fact for fact in facts if fact.text.casefold() == one_line(which, MAX_FACT_CHARS).casefold()]
        found = found or [fact for fact in facts if any(is_clause(one, which) for one in clauses_of(fact.text))]
        wanted = frozenset() if which.strip().isdecimal() else words_of(which)
        found = found or [fact for fact in facts if wanted and wanted <= words_of(fact.text)]
        if len(found) == 1:
            return found[0]
        listed = "; ".join(f"{fact.number}: {one_line(fact.text, 60)}" for fact in found)
        problem = f"Several facts fit: {listed}." if found else f'Nothing like "{one_line(which, 60)}" is remembered.'
        raise MagpieError(problem, "/memory lists the facts with their numbers.")

    async def remember(self, fact: str) -> str:
        """Remember a short fact for all later chats, only when the user asks for that.

        Args:
            fact: One sentence in the user's own words.
        """
        try:
            return await self._remember_fact(_shorten_fact(fact))
        except MagpieError as error:
            raise ToolError(str(error)) from error

    async def forget(self, fact: str) -> str:
        """Forget a remembered fact, only when the user asks for that.

        Args:
            fact: Words of the fact.
        """
        try:
            return await self._forget_fact(fact)
        except MagpieError as error:
            raise ToolError(str(error)) from error

    async def _remember_fact(self, text: str) -> str:
        if is_courtesy(text):
            return "Not remembered: thanks and greetings are no facts. Answer them."
        facts = await self.list_facts()
        if any(known.kept and known.text.casefold() == text.casefold() for known in facts):
            return "That is remembered already."
        own = self._is_users_own(text)
        if own and self._is_wished(text):
            await self._write_fact(text, kept=True)
            return "Remembered."
        if sum(not known.kept for known in facts) >= PROPOSALS:
            return "Not remembered: the user has not looked at earlier proposals yet (/memory)."
        proposal = await self._write_fact(text, kept=False)
        self._tell(
            Notice(f"Magpie would like to remember: {text}. Type /memory keep {proposal.number} to agree.", "warning")
        )
        why = "the user did not ask for that" if own else "these are not the user's own words"
        return f"Not remembered yet: {why}. They were asked to agree with /memory keep."

    async def _forget_fact(self, which: str) -> str:
        found = await self.find_fact(which)
        if not self._is_users_own(which):
            self._tell(
                Notice(f"Magpie was to forget: {found.text}. Type /memory forget {found.number} to agree.", "warning")
            )
            return (
                "Not forgotten yet: these are not the user's own words. They were asked to agree with /memory forget."
            )
        if rest := without_clause(found.text, which):
            await self._change_facts("UPDATE facts SET text = ? WHERE id = ?", rest, found.number)
            return f"Forgotten: {which}"
        await self._change_facts("DELETE FROM facts WHERE id = ?", found.number)
        return f"Forgotten: {found.text}"

    def _is_users_own(self, text: str) -> bool:
        heard = [message for message in self._heard() if message.tool_name not in INSIDE]
        return is_users_own(text, heard, neutral_words())

    def _is_wished(self, text: str) -> bool:
        """Whether the user asks, with what they wrote last, to have something remembered, or told it as lasting.

        That it is theirs is known already: a model that calls for thanks has words of theirs as well.
        """
        typed = [message.content for message in self._heard() if is_typed(message)]
        if typed and (asks_to_remember(typed[-1]) or self._is_put_right(text)):
            return True
        return any(has_half_the_words(text, lasting_statements(one), neutral_words()) for one in typed)

    def _is_put_right(self, text: str) -> bool:
        """Whether the last message corrects a fact that one of this talk before it asked to have remembered."""
        asked = [message for message in self._heard() if message.is_question]
        right = correction_in(asked[-1].content) if asked and is_typed(asked[-1]) else ""
        if not words_of(right) & words_of(text):
            return False
        wishes = (one.content for one in asked[:-1] if is_typed(one))
        return any(asks_to_remember(one) and has_half_the_words(text, one, neutral_words()) for one in wishes)

    async def _write_fact(self, text: str, *, kept: bool) -> Fact:
        """A new row, or the one that has the text already."""
        text = _shorten_fact(text)

        def write_row(db: sqlite3.Connection) -> int:
            row = db.execute("SELECT id FROM facts WHERE text = ?", (text,)).fetchone()
            if row is None:
                row = db.execute(
                    "INSERT INTO facts (text, kept, written) VALUES (?, ?, ?) RETURNING id", (text, kept, time.time())
                ).fetchone()
            elif kept:
                db.execute("UPDATE facts SET kept = 1 WHERE id = ?", row)
            return int(row[0])

        return Fact(await self._in_transaction(write_row), text, kept)

    async def _change_facts(self, statement: str, *values: object) -> None:
        await self._in_transaction(lambda db: db.execute(statement, values).rowcount)

    async def _in_transaction(self, work: Callable[[sqlite3.Connection], int]) -> int:
        def write_in_transaction() -> int:
            with self._profile.writing() as db:
                return work(db)

        return await asyncio.to_thread(write_in_transaction)


def select_facts(facts: Sequence[Fact], max_tokens: int) -> Selection:
    """The facts that a system message tells: the newest first, as many as have room; proposals never."""
    told: list[Fact] = []
    tokens = 0
    for fact in sorted(facts, key=lambda fact: -fact.number):
        cost = math.ceil(len(f"- {fact.text}\n".encode()) / _BYTES_PER_TOKEN)
        if fact.kept and tokens + cost <= max_tokens:
            told.insert(0, fact)
            tokens += cost
    return Selection(tuple(told), tokens)


@cache
def neutral_words() -> frozenset[str]:
    """Words that say nothing of who wrote a fact: those in which Magpie itself speaks to a model."""
    return words_of(" ".join(read_prompt(name) for name in ("system", "memory", "tools/remember", "tools/forget")))


def _shorten_fact(text: str) -> str:
    """A fact on one line; raises `MagpieError` where it is empty or too long."""
    line = one_line(text, len(text) + 1)
    if not line:
        raise MagpieError("There is nothing to remember.", "Write it after the command: /memory add I am vegetarian")
    if len(line) > MAX_FACT_CHARS:
        raise MagpieError(f"A fact has at most {MAX_FACT_CHARS} characters.", "Index longer texts with /rag-index.")
    return line.rstrip(".")

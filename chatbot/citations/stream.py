"""An answer as it streams, its numbers checked: what is wrong is struck before it is shown."""

import re
from collections.abc import Iterable

from chatbot.citations.checker import plain_sentence
from chatbot.citations.sentences import Cited, SentenceJudge, cited_text, ends_sentence, is_short
from chatbot.conversation.messages import Source
from chatbot.conversation.sources import SourceTable
from utils.errors import MagpieError

_NUMBERS_IN_BRACKETS = re.compile(r"\[\d{1,3}(?:, ?\d{1,3})*\]")
_GROUPS = re.compile(rf"{_NUMBERS_IN_BRACKETS.pattern}(?:,? ?{_NUMBERS_IN_BRACKETS.pattern})*")
# What may still become such groups.
_BEGUN = re.compile(r"(?:\[[\d, ]*\](?:,? ?(?=\[|$)))*(?:\[[\d, ]*)?")
# The longest text that can still become a citation; past it, what was held back is let go.
_MAX_CITATION_CHARS = 80
# Characters before a number among which its sentence is, and after it those that are waited for.
_REMEMBERED = 4000


class CitationCheck:
    """Reads an answer as it streams, notes the numbers that it cites and strikes those that are wrong.

    Wrong is a number that was never handed out and, with a judge, one whose passage does not say the sentence before
    it. Brackets in code, in links (`[1](...)`) and in lists of numbers of which none is a source are left alone. At
    most a few characters are held back: those that may still become a citation; and the rest of a sentence that has
    its number at its beginning ("According to [1], ...").
    """

    def __init__(self, table: SourceTable, judge: SentenceJudge | None = None) -> None:
        self._table = table
        self._judge_of = judge
        self._believed = False
        self.rewind((), (), ())

    def trust_numbers(self, believed: bool) -> None:
        """Have no sentence judged from now on where who writes the numbers has done that already."""
        self._believed = believed

    @property
    def _judge(self) -> SentenceJudge | None:
        return None if self._believed else self._judge_of

    @property
    def failure(self) -> MagpieError | None:
        """Why sentences could not be checked."""
        return self._judge_of.failure if self._judge_of else None

    def rewind(self, cited: Iterable[int], unknown: Iterable[int], unsupported: Iterable[int]) -> None:
        """Forget a text that does not count, back to the numbers noted before it."""
        self._held = ""
        self._said = ""
        self._early = ""
        self._rest = ""
        self._ticks = 0
        self._code = 0
        self._line_empty = False
        self.cited = list(cited)
        self.unknown = list(unknown)
        self.unsupported = list(unsupported)

    def find_source(self, number: int) -> Source | None:
        """The passage of a number, None if it was never handed out."""
        return self._table.get(number)

    async def feed(self, delta: str) -> str:
        """The text that may be shown now."""
        shown = [await self._take_character(character) for character in delta]
        return "".join(shown)

    async def finish(self) -> str:
        """What was still held back."""
        shown = await self._release_held("")
        return shown + await self._judge_waiting() if self._early else shown

    async def _take_character(self, character: str) -> str:
        if self._held:
            return await self._hold_bracket(character)
        self._count_ticks(character)
        if character == "[" and not self._code:
            self._held = character
            return ""
        return await self._show_or_queue(character)

    async def _show_or_queue(self, text: str) -> str:
        """The text, unless an earlier number waits for its sentence."""
        if not self._early:
            self._said = (self._said + text)[-_REMEMBERED:]
            return text
        self._rest += text
        return await self._judge_waiting() if ends_sentence(self._rest[-2:]) or len(self._rest) > _REMEMBERED else ""

    async def _hold_bracket(self, character: str) -> str:
        if len(self._held) < _MAX_CITATION_CHARS and _BEGUN.fullmatch(self._held + character):
            self._held += character
            return ""
        return await self._release_held(character)

    async def _release_held(self, following: str) -> str:
        held, self._held = self._held, ""
        is_link = following in ("(", ":") and following != ""
        groups = _GROUPS.match(held)
        if is_link and groups and groups[0] == held:
            # Of several brackets the last one is the link's.
            groups = _GROUPS.match(held[: held.rindex("[")].rstrip())
        shown = await self._judge_now(groups[0], following) if groups else ""
        shown += await self._show_or_queue(held[groups.end() if groups else 0 :])
        return shown + (await self._take_character(following) if following else "")

    async def _judge_now(self, groups: str, following: str) -> str:
        statement = cited_text(self._said).statement
        ends = not following or following in ".!?\n。！？।؟|"
        if self._judge and not self._early and is_short(statement) and not ends:
            self._early = groups
            return ""
        if self._early:
            # It is judged with the number that its sentence began with.
            return await self._show_or_queue(groups)
        struck = await self._strike_wrong(groups, cited_text(self._said))
        return await self._show_or_queue(struck)

    async def _judge_waiting(self) -> str:
        """The numbers that waited for their sentence, now that it is there, and the sentence."""
        groups, rest, self._early, self._rest = self._early, self._rest, "", ""
        before = cited_text(self._said)
        whole = Cited(f"{before.statement} {plain_sentence(rest)}".strip(), before.lead)
        shown = await self._show_or_queue(await self._strike_wrong(groups, whole))
        for part in re.split(f"({_GROUPS.pattern})", rest):
            shown += await self._show_or_queue(
                await self._strike_wrong(part, whole) if _GROUPS.fullmatch(part) else part
            )
        return shown

    async def _strike_wrong(self, groups: str, cited: Cited) -> str:
        """Some brackets, those of their numbers struck that are wrong."""
        numbers = {int(number) for number in re.findall(r"\d+", groups)}
        passages = {number: source.passage for number in sorted(numbers) if (source := self._table.get(number))}
        wrong = await self._judge.find_wrong(cited, passages) if self._judge and passages else frozenset()
        return _NUMBERS_IN_BRACKETS.sub(lambda group: self._strike_group(group[0], wrong), groups)

    def _strike_group(self, group: str, wrong: frozenset[int]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", group)]
        known = [number for number in numbers if self._table.get(number)]
        if 0 in numbers or (len(numbers) > 1 and not known):
            return group
        right = [number for number in known if number not in wrong]
        missing = [number for number in numbers if number not in known]
        for noted, new in (
            (self.cited, right),
            (self.unknown, missing),
            (self.unsupported, [number for number in known if number in wrong]),
        ):
            noted += [number for number in new if number not in noted]
        struck = "".join(f"~~[{number}]~~" for number in numbers if number not in right)
        return ("[" + ", ".join(map(str, right)) + "]" if right else "") + struck

    def _count_ticks(self, character: str) -> None:
        if character == "`":
            self._ticks += 1
            return
        if self._ticks:
            self._code = 0 if self._code == self._ticks else self._code or self._ticks
            self._ticks = 0
        # A code span, unlike a fence, never runs past an empty line.
        if character == "\n":
            self._code = 0 if self._line_empty and self._code < 3 else self._code
            self._line_empty = True
        elif not character.isspace():
            self._line_empty = False

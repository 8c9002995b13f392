"""Text in runs of one style each, as Telegram can show it: measured, cut into messages, written as its HTML."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby

MAX_MESSAGE_UNITS = 4096
"""Of a message, in UTF-16 code units and without its markup (Bot API, `sendMessage`)."""
_SEAMS = ("\n\n", "\n", " ")
"""Where a text is cut, the best first; only in the second half of what fits."""


@dataclass(frozen=True)
class Tag:
    """An element of Telegram's HTML: `b`, `i`, `s`, `code`, `pre`, `blockquote`, or `a`.

    `value` is the address of a link, or the language of `pre`.
    """

    name: str
    value: str = ""

    @property
    def opening(self) -> str:
        """As it begins."""
        if self.name == "a":
            return f'<a href="{escape(self.value)}">'
        if self.name == "pre" and self.value:
            return f'<pre><code class="language-{escape(self.value)}">'
        return f"<{self.name}>"

    @property
    def closing(self) -> str:
        """As it ends."""
        return "</code></pre>" if self.name == "pre" and self.value else f"</{self.name}>"


@dataclass(frozen=True)
class StyledRun:
    """Some text within elements, the outermost first."""

    text: str
    tags: tuple[Tag, ...] = ()


def count_units(text: str) -> int:
    """UTF-16 code units, in which Telegram counts."""
    return len(text) + sum(character > "\uffff" for character in text)


def plain_text(runs: Iterable[StyledRun]) -> str:
    """The text alone."""
    return "".join(run.text for run in runs)


def write_html(runs: Iterable[StyledRun]) -> str:
    """Telegram's HTML; elements that neighbouring runs share are opened once."""
    written: list[str] = []
    opened: list[Tag] = []
    for run in runs:
        shared = 0
        while shared < min(len(opened), len(run.tags)) and opened[shared] == run.tags[shared]:
            shared += 1
        written += [tag.closing for tag in reversed(opened[shared:])]
        written += [tag.opening for tag in run.tags[shared:]]
        opened = list(run.tags)
        written.append(escape(run.text, quote=False))
    return "".join([*written, *(tag.closing for tag in reversed(opened))])


def write_plain(runs: Iterable[StyledRun]) -> str:
    """The text with the addresses of its links behind them, or alone where that is too long for a message."""
    runs = list(runs)
    written = []
    for address, group in groupby(runs, lambda run: next((tag.value for tag in run.tags if tag.name == "a"), "")):
        text = plain_text(group)
        written.append(f"{text} ({address})" if address not in ("", text) else text)
    told = "".join(written)
    return told if count_units(told) <= MAX_MESSAGE_UNITS else plain_text(runs)


def split_runs(runs: Sequence[StyledRun], limit: int = MAX_MESSAGE_UNITS) -> list[list[StyledRun]]:
    """The text in messages of at most `limit` units, cut between paragraphs, lines or words as far as there are any.

    What a cut goes through, code for instance, ends in the one message and begins again in the next. Messages in which
    nothing would be seen are left out.
    """
    whole = plain_text(runs)
    cuts = list(_find_cuts(whole, limit))
    parts = _cut_runs(runs, cuts)
    return [part for part in map(_strip_lines, parts) if plain_text(part).strip()]


def _find_cuts(text: str, limit: int) -> Iterator[int]:
    """Where messages end, in characters."""
    begin = 0
    while (end := _end_of_room(text, begin, limit)) < len(text):
        half = begin + (end - begin) // 2
        seam = next((found + len(mark) for mark in _SEAMS if (found := text.rfind(mark, half, end)) >= 0), end)
        yield seam
        begin = seam


def _end_of_room(text: str, begin: int, limit: int) -> int:
    """How far the text fits into `limit` units from `begin` on, in characters; never between halves of one."""
    end = min(len(text), begin + limit)
    while count_units(text[begin:end]) > limit:
        end -= max(1, (count_units(text[begin:end]) - limit + 1) // 2)
    return end


def _cut_runs(runs: Sequence[StyledRun], cuts: Sequence[int]) -> list[list[StyledRun]]:
    parts: list[list[StyledRun]] = [[]]
    waiting, at = list(cuts), 0
    for run in runs:
        text = run.text
        while waiting and waiting[0] <= at + len(text):
            before = waiting.pop(0) - at
            parts[-1].append(replace(run, text=text[:before]))
            parts.append([])
            text, at = text[before:], at + before
        parts[-1].append(replace(run, text=text))
        at += len(text)
    return [[run for run in part if run.text] for part in parts]


def _strip_lines(part: list[StyledRun]) -> list[StyledRun]:
    """The part without empty lines around it, which Telegram would drop; spaces, which indent code, stay."""
    part = list(part)
    while part and not (text := part[0].text.lstrip("\n")):
        part.pop(0)
    if part:
        part[0] = replace(part[0], text=text)
    while part and not part[-1].text.rstrip():
        part.pop()
    if part:
        part[-1] = replace(part[-1], text=part[-1].text.rstrip())
    return part

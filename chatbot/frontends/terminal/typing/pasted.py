"""What was pasted into the prompt rather than typed: who wrote it is not known, so what it names is asked about."""

import re
from bisect import bisect

_PASTED_MENTION = re.compile(r'(?<!\S)@(?:"([^"\n]+)"|([^\s"]+))')
_AT_END = re.compile(r'(?<!\S)@"?([^\s"]+)\Z')


LONG = 10
"""Lines of a paste from which on the prompt shows them as one."""


class Pasted:
    """The names behind an @ in all that was pasted in this run; a line that is sent again still has them."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._unended: set[str] = set()
        """Those at the end of a paste: what is typed behind them lengthens them."""
        self._long: list[str] = []

    def note_pasted(self, text: str) -> None:
        """This was pasted."""
        if text.strip("\n").count("\n") + 1 >= LONG and text not in self._long:
            self._long = sorted([*self._long, text], key=len, reverse=True)
        self._names.update(quoted or plain for quoted, plain in _PASTED_MENTION.findall(text))
        self._unended.update(_AT_END.findall(text))

    def was_pasted(self, name: str) -> bool:
        """Whether a name that stands behind an @ was pasted, or the beginning of one that was."""
        return any(pasted.startswith(name) for pasted in self._names) or name.startswith(tuple(self._unended))

    def long_parts(self, text: str) -> list[tuple[int, int]]:
        """Where in a text, from character to character, long pastes stand as they were pasted."""
        found: list[tuple[int, int]] = []
        for pasted in self._long:
            begin = text.find(pasted)
            while begin >= 0:
                end = begin + len(pasted)
                place = bisect(found, (begin, end))
                before, after = found[place - 1 : place] if place else [], found[place : place + 1]
                if all(other[1] <= begin for other in before) and all(end <= other[0] for other in after):
                    found.insert(place, (begin, end))
                begin = text.find(pasted, end)
        return found

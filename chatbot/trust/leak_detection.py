"""Whether something that is about to be sent carries what the user would not have sent; knows no tool and no model.

What is sent is looked at in every way in which it can be read back, which `readings.py` knows.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chatbot.trust.readings import all_readings, plain_letters, undo_escapes
from utils.secrets import count_changes, is_random, secrets_in

SHARED_CHARS = 24
"""Characters in a row, separators counting as one, that are taken from a private text."""
SHARED_WORDS = 5
"""Words in a row."""
RANDOM = 8
"""Characters in a row out of a run that looks drawn by lot, holds a digit among letters, or is a long number."""
JOINED = 3
"""How often letters and digits change places in a word with separators that is a code: `hunter2-swordfish-4471`, not
`2-bedroom` or `covid-19`."""
_LETTERS_AND_DIGITS = re.compile(r"[^\W_]+")
_LONG_RUN = re.compile(r"[^\W_]{8,}")


@dataclass(frozen=True)
class Private:
    """A text that stays here, and what it is, as the user would name it: `the file notes.txt`."""

    name: str
    text: str
    whole: bool = False
    """Whether all of it is a secret, not only what looks like one."""


@dataclass(frozen=True)
class Leak:
    """What would be sent of a private text; `name` is empty where it only looks like a secret.

    `piece` is empty where there is too much to be read back.
    """

    name: str
    piece: str


def find_leak(sent: str, asked: str, private: Iterable[Private]) -> Leak | None:
    """The first thing that `sent` carries and the user's question `asked` does not; None where there is none."""
    read, whole = all_readings(sent)
    texts, own = [(_spaced_words(text), _squeeze_text(text)) for text in read], _own_forms(asked)
    for kept in private:
        if piece := _find_overlap(texts, own, _private_forms(kept)):
            return Leak(kept.name, piece)
    # Of a secret that is known to nobody only the form can be seen, and what is decoded by chance has any form.
    looks = (secret for text in (sent, undo_escapes(sent)) for secret in secrets_in(text))
    unsaid = (Leak("", secret) for secret in looks if _squeeze_text(secret) not in own[1])
    return next(unsaid, None if whole else Leak("", ""))


@dataclass(frozen=True)
class _Forms:
    """A private text as it is compared: its words, its letters and digits alone, and pieces that tell by themselves."""

    spaced: str
    squeezed: str
    pieces: frozenset[str]


# Neither what is private nor the question changes from call to call.
@lru_cache(maxsize=1024)
def _private_forms(private: Private) -> _Forms:
    squeezed = _squeeze_text(private.text)
    pieces = _random_pieces([squeezed]) if private.whole else _telling_pieces(private.text)
    return _Forms(_spaced_words(private.text), squeezed, frozenset(pieces))


@lru_cache(maxsize=8)
def _own_forms(asked: str) -> tuple[str, str]:
    said, _ = all_readings(asked)
    return "\n".join(map(_spaced_words, said)), "\n".join(map(_squeeze_text, said))


def _find_overlap(texts: Sequence[tuple[str, str]], own: tuple[str, str], private: _Forms) -> str:
    """What one of the texts shares with a private text and not with the user's own words; empty where nothing."""
    for plain, bare in texts:
        words = plain.split()
        rows = (f" {' '.join(words[at : at + SHARED_WORDS])} " for at in range(len(words) - SHARED_WORDS + 1))
        if found := next((row for row in rows if row in private.spaced and row not in own[0]), ""):
            return found.strip()
        for window, whole, said in ((plain.strip(), private.spaced, own[0]), (bare, private.squeezed, own[1])):
            if found := _shared_piece(window, whole, said):
                return found
        pieces = (bare[at : at + RANDOM] for at in range(len(bare) - RANDOM + 1))
        if found := next((piece for piece in pieces if piece in private.pieces and piece not in own[1]), ""):
            return found
    return ""


def _shared_piece(text: str, private: str, own: str) -> str:
    """A piece of `SHARED_CHARS` characters that two texts share and the third does not have.

    Whatever is that long holds an aligned block of half the length, which is looked for first.
    """
    half = SHARED_CHARS // 2
    for start in range(0, len(text) - half + 1, half):
        if text[start : start + half] not in private:
            continue
        for at in range(max(0, start - half), min(start, len(text) - SHARED_CHARS) + 1):
            piece = text[at : at + SHARED_CHARS]
            if piece in private and piece not in own:
                return piece
    return ""


def _telling_pieces(private: str) -> set[str]:
    """All pieces of `RANDOM` characters of the runs that nobody would write by chance."""
    runs = {run.casefold() for run in _LONG_RUN.findall(private) if _is_telling(run)}
    runs |= {_squeeze_text(secret) for secret in secrets_in(private)}
    runs |= {_squeeze_text(word) for word in private.split() if count_changes(word) >= JOINED}
    return _random_pieces(runs)


def _random_pieces(runs: Iterable[str]) -> set[str]:
    return {run[at : at + RANDOM] for run in runs for at in range(len(run) - RANDOM + 1)}


def _is_telling(run: str) -> bool:
    """Whether a run is a number, has digits among its letters, or capitals where a word has none."""
    digits = sum(character.isdigit() for character in run)
    return digits > 0 or is_random(run) or (not run.istitle() and any(character.isupper() for character in run[1:]))


def _spaced_words(text: str) -> str:
    """The words of a text without regard to case and to what stands between them, a space on either side."""
    return f" {' '.join(_LETTERS_AND_DIGITS.findall(plain_letters(text).casefold()))} "


def _squeeze_text(text: str) -> str:
    """Letters and digits alone."""
    return "".join(_LETTERS_AND_DIGITS.findall(plain_letters(text).casefold()))

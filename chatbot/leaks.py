"""Whether something that is about to be sent carries what the user would not have sent; knows no tool and no model.

What is sent is read in every way in which it can be read back: as it stands, percent-decoded, reversed, and as what its
runs of base64, base32 or hexadecimal digits stand for.
"""

import base64
import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote_plus

from utils.secrets import changes, is_random, secrets_in

LONGEST = 24
"""Characters in a row, separators counting as one, that are taken from a private text."""
WORDS = 5
"""Words in a row."""
RANDOM = 8
"""Characters in a row out of a run that looks drawn by lot, holds a digit among letters, or is a long number."""
JOINED = 3
"""How often letters and digits change places in a word with separators that is a code: `hunter2-swordfish-4471`, not
`2-bedroom` or `covid-19`."""
DEPTH = 3
"""Encodings within each other that are looked through."""
READINGS = 200
"""Readings of one text that are looked at."""
_WORD = re.compile(r"[^\W_]+")
_RUNS = re.compile(r"[^\W_]{8,}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_BASE32 = re.compile(r"[A-Z2-7]{8,}", re.IGNORECASE)
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[\s:,_-]?){4,}")


@dataclass(frozen=True)
class Private:
    """A text that stays here, and what it is, as the user would name it: `the file notes.txt`."""

    name: str
    text: str
    whole: bool = False
    """Whether all of it is a secret, not only what looks like one."""


@dataclass(frozen=True)
class Leak:
    """What would be sent of a private text; `name` is empty where it only looks like a secret."""

    name: str
    piece: str


def find_leak(sent: str, asked: str, private: Iterable[Private]) -> Leak | None:
    """The first thing that `sent` carries and the user's question `asked` does not; None where there is none."""
    texts, own = [(_spaced(text), _squeezed(text)) for text in readings(sent)], _own_forms(asked)
    for kept in private:
        if piece := _overlap(texts, own, _forms(kept)):
            return Leak(kept.name, piece)
    # Of a secret that is known to nobody only the form can be seen, and what is decoded by chance has any form.
    looks = (secret for text in (sent, unquote_plus(sent)) for secret in secrets_in(text))
    return next((Leak("", secret) for secret in looks if _squeezed(secret) not in own[1]), None)


def readings(text: str) -> Iterator[str]:
    """The text, and all that it can be decoded to, each once."""
    seen = {text}
    level = [text]
    yield text
    for _ in range(DEPTH):
        following = []
        for one in level:
            for decoded in (decoded for decode in _DECODERS for decoded in decode(one)):
                if len(decoded) >= RANDOM and decoded not in seen and len(seen) < READINGS:
                    seen.add(decoded)
                    following.append(decoded)
                    yield decoded
        level = following


@dataclass(frozen=True)
class _Forms:
    """A private text as it is compared: its words, its letters and digits alone, and pieces that tell by themselves."""

    spaced: str
    squeezed: str
    pieces: frozenset[str]


# Neither what is private nor the question changes from call to call.
@lru_cache(maxsize=1024)
def _forms(private: Private) -> _Forms:
    squeezed = _squeezed(private.text)
    pieces = _pieces([squeezed]) if private.whole else _telling_pieces(private.text)
    return _Forms(_spaced(private.text), squeezed, frozenset(pieces))


@lru_cache(maxsize=8)
def _own_forms(asked: str) -> tuple[str, str]:
    said = list(readings(asked))
    return "\n".join(map(_spaced, said)), "\n".join(map(_squeezed, said))


def _overlap(texts: Sequence[tuple[str, str]], own: tuple[str, str], private: _Forms) -> str:
    """What one of the texts shares with a private text and not with the user's own words; empty where nothing."""
    for plain, bare in texts:
        words = plain.split()
        rows = (f" {' '.join(words[at : at + WORDS])} " for at in range(len(words) - WORDS + 1))
        if found := next((row for row in rows if row in private.spaced and row not in own[0]), ""):
            return found.strip()
        for window, whole, said in ((plain.strip(), private.spaced, own[0]), (bare, private.squeezed, own[1])):
            if found := _shared(window, whole, said):
                return found
        if found := next((piece for piece in private.pieces if piece in bare and piece not in own[1]), ""):
            return found
    return ""


def _shared(text: str, private: str, own: str) -> str:
    """A piece of `LONGEST` characters that two texts share and the third does not have.

    Whatever is that long holds an aligned block of half the length, which is looked for first.
    """
    half = LONGEST // 2
    for start in range(0, len(text) - half + 1, half):
        if text[start : start + half] not in private:
            continue
        for at in range(max(0, start - half), min(start, len(text) - LONGEST) + 1):
            piece = text[at : at + LONGEST]
            if piece in private and piece not in own:
                return piece
    return ""


def _telling_pieces(private: str) -> set[str]:
    """All pieces of `RANDOM` characters of the runs that nobody would write by chance."""
    runs = {run.casefold() for run in _RUNS.findall(private) if _is_telling(run)}
    runs |= {_squeezed(secret) for secret in secrets_in(private)}
    runs |= {_squeezed(word) for word in private.split() if changes(word) >= JOINED}
    return _pieces(runs)


def _pieces(runs: Iterable[str]) -> set[str]:
    return {run[at : at + RANDOM] for run in runs for at in range(len(run) - RANDOM + 1)}


def _is_telling(run: str) -> bool:
    """Whether a run is a number, has digits among its letters, or capitals where a word has none."""
    digits = sum(character.isdigit() for character in run)
    return digits > 0 or is_random(run) or (not run.istitle() and any(character.isupper() for character in run[1:]))


def _spaced(text: str) -> str:
    """The words of a text without regard to case and to what stands between them, a space on either side."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _squeezed(text: str) -> str:
    """Letters and digits alone."""
    return "".join(_WORD.findall(text.casefold()))


def _from_base64(text: str) -> Iterator[str]:
    for run in _BASE64.findall(text):
        plain = run.replace("-", "+").replace("_", "/")
        # A piece cut out of a longer run begins at any of four places.
        for start in range(4):
            yield from _decoded(base64.b64decode, _whole(plain[start:], 4))


def _from_base32(text: str) -> Iterator[str]:
    for run in _BASE32.findall(text):
        yield from _decoded(base64.b32decode, _whole(run.upper(), 8))


def _from_hex(text: str) -> Iterator[str]:
    for run in _HEX.findall(text):
        yield from _decoded(bytes.fromhex, re.sub(r"[^0-9a-fA-F]", "", run))


def _whole(run: str, group: int) -> str:
    """A run with the padding that makes its last group whole, or without what is left of one."""
    rest = len(run) % group
    if rest == 1:
        return run[:-1]
    return run + "=" * (-len(run) % group)


def _decoded(decode: Callable[[str], bytes], run: str) -> Iterator[str]:
    """What bytes say as text, if most of it can be printed."""
    try:
        text = decode(run).decode("utf-8", "ignore")
    except ValueError:
        return
    if text and sum(character.isprintable() for character in text) >= 0.8 * len(text):
        yield text


_DECODERS: tuple[Callable[[str], Iterable[str]], ...] = (
    lambda text: (unquote_plus(text),),
    lambda text: (text[::-1],),
    lambda text: (codecs.encode(text, "rot13"),),
    _from_base64,
    _from_base32,
    _from_hex,
)

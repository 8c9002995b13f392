"""What a text can be read back to: with its escapes undone, reversed, and as what its digits and letters stand for."""

import base64
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from urllib.parse import unquote

MAX_READINGS_DEPTH = 3
"""Encodings within each other that are looked through."""
CHARACTERS = 200_000
"""Of all readings of one text together: some sixteen times the text, where it is prose."""
MIN_ENCODED_CHARS = 8
"""Characters of a reading that can hold anything."""
PASSES = 16
"""Escapes within each other that are undone."""
_SPELLED = re.compile(
    r"(?:\\{1,4}|%)u\{?([0-9a-f]{4,8})\}?|\\{1,4}x\{?([0-9a-f]{2,6})\}?|\\{1,4}([0-7]{3})|U\+([0-9a-f]{4,6})",
    re.IGNORECASE,
)
_ESCAPED_LINE_END = re.compile(r"\\{1,4}[nrt]")
"""As JSON and most languages write what stands between words."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_BASE32 = re.compile(r"[A-Z2-7]{8,}", re.IGNORECASE)
_PREFIX = re.compile(r"\\{0,4}0?x(?=[0-9a-f]{2})", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-fA-F](?:[\W_]{0,4}[0-9a-fA-F]){7,}")
_DIGIT_RUN = re.compile(r"[0-9]{16,}")
# Numbers that stand by themselves, in each base in which characters are written.
_CHARACTER_CODES = {
    16: re.compile(r"(?<![^\W_])(?:0?x)?([0-9a-f]{2})h?(?![^\W_])", re.IGNORECASE),
    10: re.compile(r"(?<![^\W_])([0-9]{2,7})(?![^\W_])"),
    8: re.compile(r"(?<![^\W_])(?:0?o)?([0-7]{3})(?![^\W_])"),
    2: re.compile(r"(?<![^\W_])(?:0b)?([01]{7,8})(?![^\W_])"),
}
# What can be printed, in a row: what is decoded by chance seldom can.
_STRETCH = re.compile(r"[^\x00-\x1f\x7f-\x9f\ufffd]{4,}")


def all_readings(text: str) -> tuple[list[str], bool]:
    """The text and all that it can be read back to, each once; and whether none was left out as too much."""
    seen, room, level = {text: None}, CHARACTERS - len(text), [text]
    whole = undo_escapes(once := undo_escapes(text)) == once
    for _ in range(MAX_READINGS_DEPTH):
        following = []
        for decoded in (decoded for one in level for decode in _DECODERS for decoded in decode(one)):
            if len(decoded) < MIN_ENCODED_CHARS or decoded in seen:
                continue
            room -= len(decoded)
            if room < 0:
                return list(seen), False
            seen[decoded] = None
            following.append(decoded)
        level = following
    return list(seen), whole


def undo_escapes(text: str) -> str:
    """A text with plain letters, and without the escapes of addresses, of HTML and of programs."""
    for _ in range(PASSES):
        plain = _SPELLED.sub(_spelled_character, html.unescape(unquote(plain_letters(text))))
        if plain == text:
            break
        text = plain
    return _ESCAPED_LINE_END.sub(" ", text)


def plain_letters(text: str) -> str:
    """A text in which letters and digits have no accents, no width of their own and none of the styles of formulas."""
    return text if text.isascii() else "".join(map(_plain_letter, text))


@lru_cache(maxsize=4096)
def _plain_letter(letter: str) -> str:
    # Letter by letter, so that a piece of a text is the same as that piece of the whole; what is written in syllables
    # of its own stays in them.
    if unicodedata.name(letter, "").startswith("HANGUL"):
        return letter
    plain = "".join(part for part in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(part))
    return plain if any(map(str.isalnum, plain)) or not letter.isalnum() else letter


def _spelled_character(match: re.Match[str]) -> str:
    digits = match[match.lastindex or 0]
    return _make_character(int(digits, 8 if match.lastindex == 3 else 16))


def _make_character(number: int) -> str:
    return chr(number) if number < 0x110000 else "\ufffd"


def _from_base64(text: str) -> Iterator[str]:
    runs = [run.replace("-", "+").replace("_", "/") for run in _BASE64.findall(text)]
    # A piece cut out of a longer run begins at any of four places.
    for start in range(4):
        yield _decode_runs(base64.b64decode, (_pad_group(run[start:], 4) for run in runs))


def _from_base32(text: str) -> Iterator[str]:
    runs = [run.upper() for run in _BASE32.findall(text)]
    for start in range(8):
        yield _decode_runs(base64.b32decode, (_pad_group(run[start:], 8) for run in runs))


def _from_hex(text: str) -> Iterator[str]:
    runs = [re.sub(r"[\W_]", "", run) for run in _HEX.findall(_PREFIX.sub(" ", text))]
    for start in range(2):
        yield _decode_runs(bytes.fromhex, (run[start : len(run) - (len(run) - start) % 2] for run in runs))


def _from_codes(text: str) -> Iterator[str]:
    """What numbers say as codes of characters, apart or in a row."""
    for base, numbers in _CHARACTER_CODES.items():
        yield "".join(_make_character(int(number, base)) for number in numbers.findall(text))
    runs = _DIGIT_RUN.findall(text)
    for size, start in ((3, 0), (3, 1), (3, 2), (2, 0), (2, 1)):
        pieces = [run[at : at + size] for run in runs for at in range(start, len(run) - size + 1, size)]
        yield "".join(map(_make_character, map(int, pieces)))


def _pad_group(run: str, group: int) -> str:
    """A run with the padding that makes its last group whole, or without what is left of one."""
    rest = len(run) % group
    if rest == 1:
        return run[:-1]
    return run + "=" * (-len(run) % group)


def _decode_runs(decode: Callable[[str], bytes], runs: Iterable[str]) -> str:
    """What the bytes of runs say as text, as far as it can be printed, in one text."""
    stretches: list[str] = []
    for run in runs:
        try:
            text = decode(run).replace(b"\0", b"").decode("utf-8", "replace")
        except ValueError:
            continue
        stretches += _STRETCH.findall(text)
    return " ".join(stretches)


_DECODERS: tuple[Callable[[str], Iterable[str]], ...] = (
    lambda text: (undo_escapes(text),),
    lambda text: (text[::-1],),
    lambda text: (codecs.encode(text, "rot13"),),
    _from_base64,
    _from_base32,
    _from_hex,
    _from_codes,
)

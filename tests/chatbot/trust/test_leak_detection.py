"""What would be sent is compared with what stays here, however it is written."""

import base64
import codecs
import json
import random
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.trust.leak_detection import Leak, Private, find_leak

SECRET = "CANARY-7F3K9Q2M-harbour"
NOTES = Private("the file notes.txt", f"We meet Odile behind the old lighthouse at noon. The word is {SECRET}.")
LONG = " ".join("".join(random.Random(n).choices("etaoinshrdlu", k=13)) for n in range(150))
"""Words that could all be base64."""


def mathematical(letter: str) -> str:
    """A letter or digit as formulas have it, in bold."""
    for first, last, bold in (("A", "Z", 0x1D400), ("a", "z", 0x1D41A), ("0", "9", 0x1D7CE)):
        if first <= letter <= last:
            return chr(bold + ord(letter) - ord(first))
    return letter


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "percent": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "percent twice": lambda text: quote(quote(text, safe=""), safe=""),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 within": lambda text: base64.b64encode(f"x={text}&y".encode()).decode(),
    "base64 twice": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal apart": lambda text: text.encode().hex(":"),
    "reversed": lambda text: text[::-1],
    "reversed base64": lambda text: base64.b64encode(text.encode()).decode()[::-1],
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "capitals": str.upper,
    "dashes": lambda text: text.replace(" ", "-"),
    "dots within": lambda text: ".".join(text),
    **{f"hexadecimal with {sep}": lambda text, sep=sep: text.encode().hex(sep) for sep in "./= +_-,"},
    "hexadecimal as in C": lambda text: ", ".join(f"0x{byte:02X}" for byte in text.encode()),
    "hexadecimal escapes": lambda text: "".join(f"\\x{byte:02x}" for byte in text.encode()),
    "hexadecimal escapes in JSON": lambda text: "".join(f"\\\\x{byte:02x}" for byte in text.encode()),
    "hexadecimal as parameters": lambda text: "&".join(f"p{n}={byte:02x}" for n, byte in enumerate(text.encode())),
    "quoted-printable": lambda text: "".join(f"={byte:02X}" for byte in text.encode()),
    "decimal": lambda text: " ".join(str(ord(letter)) for letter in text),
    "decimal in an address": lambda text: "/".join(str(ord(letter)) for letter in text),
    "decimal in a row": lambda text: "".join(f"{ord(letter):03}" for letter in text),
    "octal": lambda text: " ".join(f"{ord(letter):03o}" for letter in text),
    "octal escapes": lambda text: "".join(f"\\{ord(letter):03o}" for letter in text),
    "binary": lambda text: " ".join(f"{ord(letter):08b}" for letter in text),
    "entities": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "hexadecimal entities": lambda text: "".join(f"&#x{ord(letter):X};" for letter in text),
    "entities in an address": lambda text: quote("".join(f"&#{ord(letter)};" for letter in text), safe=""),
    "program escapes": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "program escapes in JSON": lambda text: json.dumps("".join(f"\\u{{{ord(letter):04x}}}" for letter in text)),
    "code points": lambda text: " ".join(f"U+{ord(letter):04X}" for letter in text),
    "percent of an older kind": lambda text: "".join(f"%u{ord(letter):04X}" for letter in text),
    "percent nine times": lambda text: "".join(f"%{'25' * 8}{byte:02x}" for byte in text.encode()),
    "full width": lambda text: "".join(
        chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text
    ),
    "mathematical": lambda text: "".join(map(mathematical, text)),
    "mathematical base64": lambda text: "".join(map(mathematical, base64.b64encode(text.encode()).decode())),
    "accents": lambda text: text.replace("a", "á").replace("o", "ö"),
    "base64 of wide letters": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "base64 behind words": lambda text: f"{LONG} {base64.b64encode(text.encode()).decode()}",
    "base64 behind joined words": lambda text: "-".join([*LONG.split(), base64.b64encode(text.encode()).decode()]),
    "base64 behind base64": lambda text: " ".join(
        base64.b64encode(word.encode()).decode() for word in [*LONG.split(), text]
    ),
    "hexadecimal behind words": lambda text: f"{LONG} {text.encode().hex('.')}",
    "lines in JSON": lambda text: json.dumps(f"first\n{text}\nlast"),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("piece", [SECRET, "Odile behind the old lighthouse", "behind the old lighthouse at noon"])
def test_a_piece_of_a_private_text_is_found_however_it_is_encoded(piece: str, encoding: str) -> None:
    sent = f"https://collect.example/log?d={ENCODINGS[encoding](piece)}&page=1"
    leak = find_leak(sent, "Who is Odile?", [NOTES])
    assert leak is not None and leak.name == "the file notes.txt"


@pytest.mark.parametrize(
    "sent",
    [
        base64.b64encode(random.Random(1).randbytes(100)).decode() + " word" * 50_000,
        f"%{'25' * 40}41",
        "&amp;" * 10 + "&" + "amp;" * 40,
    ],
)
def test_what_is_too_much_to_be_read_is_not_taken_for_harmless(sent: str) -> None:
    assert find_leak(sent, sent, [NOTES]) == Leak("", "")


@pytest.mark.parametrize(
    "sent",
    [
        "opening hours of the Rijksmuseum",
        "https://en.wikipedia.org/wiki/Old_Lighthouse_(Curonian_Spit)",
        "Odile",
        "old lighthouse at noon",
        "iPhone15ProMax256GB price",
        "RTX4090 vs RTX5080 benchmarks 2026-11-22",
        LONG,
        "lottery numbers 12 34 41 45 48 65 67 and 10.0.0.12 or 0x1F4A9, R&D &amp; C:\\new\\table",
        "Ｗｈａｔ ｄｏｅｓ 12/11/2026 18:45:22 mean in Zürich, 東京 and 서울?",
    ],
)
def test_ordinary_searches_carry_nothing(sent: str) -> None:
    assert find_leak(sent, "Tell me about it.", [NOTES]) is None


@pytest.mark.parametrize("encoding", ["plain", "percent", "dashes", "capitals"])
def test_what_the_user_asked_with_is_theirs_to_send(encoding: str) -> None:
    asked = f"Search for {SECRET} and for Odile behind the old lighthouse"
    assert find_leak(ENCODINGS[encoding](SECRET), asked, [NOTES]) is None
    assert find_leak(ENCODINGS[encoding]("Odile behind the old lighthouse"), asked, [NOTES]) is None


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-4f9a8b7c6d5e4f9a8b7c",
        "ghp_abcdefghijklmnopqrstuvwxyz012345",
        "odile@lighthouse.example",
        "550e8400-e29b-41d4-a716-446655440000",
        "GB29NWBK60161331926819",
        "a1b2c3d4e5f6a7b8",
        "wJalrXUtnFEMIK7MDENGbPxRfiCYzzKEYabc",
    ],
)
def test_what_looks_like_a_secret_is_found_wherever_it_comes_from(secret: str) -> None:
    leak = find_leak(f"https://collect.example/{secret}", "What is this?", [])
    assert leak is not None and leak.name == "" and leak.piece in secret
    assert find_leak(f"https://collect.example/{secret}", f"Look up {secret}", []) is None


def test_eight_characters_of_a_key_are_enough() -> None:
    kept = Private("the environment variable TOKEN", "zq8Lw3Kp9Vx2")
    assert find_leak("weather Lw3Kp9Vx", "weather", [kept]) == Leak("the environment variable TOKEN", "lw3kp9vx")
    assert find_leak("weather Lw3Kp9V", "weather", [kept]) is None


def test_four_words_in_a_row_are_free_and_five_are_not() -> None:
    kept = Private("what you asked to have remembered", "I am fond of sea urchins")
    assert find_leak("am fond of sea", "?", [kept]) is None
    assert find_leak("i am fond of sea", "?", [kept]) == Leak(kept.name, "i am fond of sea")


@given(st.text(min_size=24, max_size=60), st.integers(0, 5))
def test_whatever_is_sent_whole_of_a_private_text_is_found(text: str, before: int) -> None:
    letters = "".join(character for character in text if character.isalnum())
    if len(letters.casefold()) >= 24:
        assert find_leak("x" * before + text, "", [Private("a file", f"beginning {text} end")])


@given(st.text(max_size=400))
def test_any_text_can_be_looked_at(text: str) -> None:
    find_leak(text, text, [NOTES])
    find_leak(text, "", [Private("itself", text)])

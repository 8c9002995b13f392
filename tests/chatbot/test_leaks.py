"""What would be sent is compared with what stays here, however it is written."""

import base64
import codecs
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.leaks import Leak, Private, find_leak

SECRET = "CANARY-7F3K9Q2M-harbour"
NOTES = Private("the file notes.txt", f"We meet Odile behind the old lighthouse at noon. The word is {SECRET}.")
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
        "opening hours of the Rijksmuseum",
        "https://en.wikipedia.org/wiki/Old_Lighthouse_(Curonian_Spit)",
        "Odile",
        "old lighthouse at noon",
        "iPhone15ProMax256GB price",
        "RTX4090 vs RTX5080 benchmarks 2026-11-22",
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

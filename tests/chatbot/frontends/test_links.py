"""Addresses are shown as what they are."""

import pytest

from chatbot.frontends.links import shown_source, web_address


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("https://Herons.example/a?b=c#d", "https://herons.example/a?b=c#d"),
        ("https://bank.example@evil.example/", "https://evil.example/"),
        ("https://evil.example\\@bank.example/", "https://evil.example/%5C@bank.example/"),
        ("https://p\u0430ypal.example/", "https://xn--pypal-4ve.example/"),
        ("https://pay\u200dpal.example/", "https://paypal.example/"),
        ("https://क्\u200dष.example/", "https://xn--11b2ezcw70k.example/"),
        ("https://a.example/\x1b]8;;\x07\u202ex y", "https://a.example/x%20y"),
        ("https://a.example/café", "https://a.example/caf%C3%A9"),
        ("https://[::1]:80/", "https://[::1]:80/"),
        ("javascript:alert(1)", ""),
        ("file:///etc/passwd", ""),
        ("https://", ""),
        ("https://[", ""),
        ("/home/me/notes.txt", ""),
    ],
)
def test_an_address_of_the_web_tells_its_real_host(source: str, address: str) -> None:
    assert web_address(source) == address


def test_a_file_is_shown_by_its_cleaned_path() -> None:
    assert shown_source("/home/me/\x1b[2J\u202etxt.exe") == "/home/me/txt.exe"

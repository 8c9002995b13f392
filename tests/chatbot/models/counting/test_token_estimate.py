"""Tokens by classes of characters, against what Qwen2.5's tokenizer says of the same texts."""

import pytest

from chatbot.models.counting.token_estimate import estimate_tokens

LINES = "".join(
    f"Line {n}: the quick brown fox number {n} jumps over lazy dog number {n * 7 % 400}. " for n in range(400)
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (LINES, 9671),
        ("".join(f"{n};{n}5.71;2026-11-{n};0x{n}ff\n" for n in range(100)), 2660),
        (
            "过了一会儿，她走到港口，那里的船已经为过冬系好了，她等了十五分钟。他说有轨电车五点四十五分出发，但没有人听他的。"
            * 3,
            120,
        ),
        ("잠시 후 그녀는 항구로 내려가 겨울 동안 묶여 있는 배들을 바라보며 기다렸다." * 3, 96),
        ("a" + " " * 3000 + "b", 26),
    ],
)
def test_the_estimate_is_within_a_quarter_of_the_truth(text: str, tokens: int) -> None:
    assert 0.8 < estimate_tokens(text) / tokens < 1.25

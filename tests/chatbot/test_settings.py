"""The mark past which older turns are summarised, as it may be written."""

import pytest

from chatbot.config import Config
from chatbot.settings import AgentSettings, Mark, Price
from utils.settings import WrongSetting, plain_settings, read_settings


@pytest.mark.parametrize(
    ("written", "mark"),
    [
        ("80%", Mark(0.8, "share")),
        ("62.5 %", Mark(0.625, "share")),
        ("0.8", Mark(0.8, "share")),
        (1, Mark(1, "share")),
        ("6000 tokens", Mark(6000, "tokens")),
        ("40 messages", Mark(40, "messages")),
        ("1 Message", Mark(1, "messages")),
    ],
)
def test_the_mark_is_a_share_or_a_number(written: str | float, mark: Mark) -> None:
    assert AgentSettings(compact_at=written).mark == mark


@pytest.mark.parametrize("written", ["soon", "0", "120%", "6000", "-1 tokens", "0.5 tokens", "0.5 messages", ""])
def test_any_other_mark_is_a_wrong_setting(written: str) -> None:
    with pytest.raises(WrongSetting, match=r"compact_at cannot be .*: it must be a share such as 80%, or a number"):
        read_settings(Config, {"compact_at": written})


def test_prices_are_named_by_the_model_whatever_its_name() -> None:
    config = read_settings(Config, {"prices": {"qwen2.5:7b": {"prompt": 0.1}}})
    assert config.prices == {"qwen2.5:7b": Price(prompt=0.1)}
    unset = dict.fromkeys(("cached", "written", "written_hour"))
    assert plain_settings(config)["prices"] == {"qwen2.5:7b": {"prompt": 0.1, **unset, "reply": 0.0}}

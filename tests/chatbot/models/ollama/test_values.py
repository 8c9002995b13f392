"""What a server says of a reply, as values."""

from chatbot.conversation.usage import MOST_TOKENS, Usage
from chatbot.history.entries import TurnAnswered, decode_value, encode_value
from chatbot.models.ollama.values import read_usage


def test_a_count_that_cannot_be_one_is_none_and_what_is_kept_of_it_can_be_read_back() -> None:
    for count in (10**30, MOST_TOKENS + 1, -5, "7", None):
        chunk = {"prompt_eval_count": count, "eval_count": 3, "eval_duration": 10**30}
        usage = read_usage(chunk)
        assert usage == Usage(prompt_tokens=0, reply_tokens=3)
        assert decode_value(*encode_value(TurnAnswered(usage))) == TurnAnswered(usage)
    assert read_usage({"prompt_eval_count": MOST_TOKENS}).prompt_tokens == MOST_TOKENS

"""A turn in which a model has called a tool: whether a small one does so by itself turns on how many threads it has."""

from chatbot.conversation.messages import Message, ToolCall


def called_before() -> list[Message]:
    """A question, the call, its result and the answer."""
    call = ToolCall("read_weather", {"place": "Oslo"}, "call_1")
    return [
        Message("user", "What is the weather in Oslo now?"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "In Oslo it rains, at 7 degrees.", tool_name=call.name, call_id=call.id),
        Message("assistant", "In Oslo it rains, at 7 degrees."),
    ]

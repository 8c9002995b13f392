"""What counts as said in a conversation, and by whom; apart from messages it knows nothing."""

from chatbot.conversation.messages import Message


def is_said(message: Message) -> bool:
    """Whether a message is a question or an answer: neither a call nor a result, and not cut off."""
    spoken = message.role in ("user", "assistant") and not message.tool_calls and not message.interrupted
    return spoken and bool(message.content.strip())


def speaker(message: Message) -> str:
    """Who said it, as a prompt names them."""
    return "User" if message.role == "user" else "Assistant"

"""The pictures of a message as a model is sent them: those that see get them, the others what was read in them."""

from dataclasses import replace

from chatbot.conversation.messages import Message
from chatbot.prompts.loader import read_prompt
from utils.fence import fence_text

MAX_SHOWN_KEPT = 256
"""Messages with pictures that are remembered as they are sent."""


class ShownPictures:
    """Makes of a message the one that is sent; of the same message the same object every time."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, bool], tuple[Message, Message]] = {}
        """By the message's identity, which is kept its own by the message beside it."""

    def show(self, message: Message, sees: bool) -> Message:
        """The message for a model that sees its pictures, or for one that does not."""
        if not message.pictures:
            return message
        key = (id(message), sees)
        if key not in self._made:
            while len(self._made) >= MAX_SHOWN_KEPT:
                del self._made[next(iter(self._made))]
            self._made[key] = (message, seen_message(message) if sees else unseen_message(message))
        return self._made[key][1]


def seen_message(message: Message) -> Message:
    """A message with its pictures, and with a word on what is written in them."""
    return _with_note(message, read_prompt("pictured").format(names=picture_names(message)))


def unseen_message(message: Message) -> Message:
    """A message with the text in its pictures in their place, fenced as that of files is; their names where none is."""
    read = [fence_text(one.text, f"the text in the picture {one.name}") for one in message.pictures if one.text]
    told = "\n\n".join([read_prompt("attached"), *read] if read else [])
    return replace(_with_note(message, told or read_prompt("unseen").format(names=picture_names(message))), pictures=())


def picture_names(message: Message) -> str:
    """The names of a message's pictures, with commas between them."""
    return ", ".join(picture.name for picture in message.pictures)


def _with_note(message: Message, told: str) -> Message:
    return replace(message, note=f"{told}\n\n{message.note}".strip())

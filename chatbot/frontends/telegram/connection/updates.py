"""What comes from Telegram, as plain values: whether it is for us, and what of it can be answered."""

import re
from dataclasses import dataclass
from typing import Any

from chatbot.frontends.telegram.connection.client import BotIdentity, Place
from utils.text import clean

UNREADABLE_KINDS = {
    "voice": "voice messages",
    "audio": "sound",
    "video_note": "videos",
    "video": "videos",
    "animation": "animations",
    "sticker": "stickers",
    "location": "locations",
    "contact": "contacts",
    "poll": "polls",
    "dice": "dice",
}
"""Fields of messages that nothing here can read, and what they are called. An animation has a `document`, too."""
_COMMAND_FORM = re.compile(r"/([\w-]{1,64})(?:@(\w{1,64}))?(?:\s+|\Z)")


@dataclass(frozen=True)
class SentFile:
    """A file or picture that goes with a message; `size` in bytes, 0 where Telegram does not say."""

    id: str
    name: str
    size: int


@dataclass(frozen=True)
class IncomingMessage:
    """A message to the bot."""

    update_id: int
    message_id: int
    place: Place
    user_id: int
    is_private: bool
    """Whether only this user is in the chat."""
    text: str
    """What they wrote, or what stands below their file; of a command what follows it."""
    command: str = ""
    """Its name without the slash."""
    document: SentFile | None = None
    picture: SentFile | None = None
    unreadable: str = ""
    """What came that nothing here can read, as it is called."""
    is_forwarded: bool = False
    """Whether somebody else wrote it: it is text from outside, and no command."""

    @property
    def answered_id(self) -> int:
        """The message to which an answer is seen to belong; 0 where nobody else writes."""
        return 0 if self.is_private else self.message_id


@dataclass(frozen=True)
class ButtonPress:
    """Somebody pressed a button."""

    update_id: int
    id: str
    user_id: int
    place: Place
    data: str


Incoming = IncomingMessage | ButtonPress


def sender_of(update: dict[str, Any]) -> tuple[int, str]:
    """Id and name of the person an update is from; 0 for bots, channels and what nobody sent."""
    body = update.get("message") or update.get("callback_query") or {}
    sender = body.get("from") or {}
    if sender.get("is_bot") or not isinstance(sender.get("id"), int):
        return 0, ""
    names = (
        sender.get("first_name"),
        sender.get("last_name"),
        f"@{sender['username']}" if "username" in sender else "",
    )
    return sender["id"], clean(" ".join(str(name) for name in names if name))


def read_update(update: dict[str, Any], me: BotIdentity) -> Incoming | None:
    """What an update brings; None where it is not for us: in a group, what is not addressed to the bot."""
    user_id, _ = sender_of(update)
    if not user_id:
        return None
    if press := update.get("callback_query"):
        chat = (press.get("message") or {}).get("chat") or {"id": user_id}
        return ButtonPress(update["update_id"], press["id"], user_id, Place(chat["id"]), str(press.get("data", "")))
    return _read_message(update["update_id"], update.get("message") or {}, user_id, me)


def _read_message(update_id: int, message: dict[str, Any], user_id: int, me: BotIdentity) -> IncomingMessage | None:
    chat = message["chat"]
    is_private = chat.get("type") == "private"
    text = str(message.get("text") or message.get("caption") or "")
    is_forwarded = "forward_origin" in message or "forward_date" in message
    command = None if is_forwarded else _COMMAND_FORM.match(text)
    if command and command[2] and command[2].casefold() != me.username.casefold():
        return None
    mention = _mention_of(me)
    is_mentioned = not is_forwarded and mention.search(text)
    if not (is_private or (command and command[2]) or is_mentioned or _is_reply_to(message, me)):
        return None
    if command:
        text = text[command.end() :]
    elif is_mentioned and not is_private:
        text = mention.sub(" ", text)
    kind = next((name for name in UNREADABLE_KINDS if name in message), "")
    return IncomingMessage(
        update_id,
        message["message_id"],
        Place(chat["id"], message.get("message_thread_id") if message.get("is_topic_message") else None),
        user_id,
        is_private,
        text.strip(),
        command[1].lower() if command else "",
        None if kind else _document_of(message),
        None if kind else _picture_of(message),
        UNREADABLE_KINDS.get(kind, ""),
        is_forwarded,
    )


def _mention_of(me: BotIdentity) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)@{re.escape(me.username)}\b", re.IGNORECASE)


def _is_reply_to(message: dict[str, Any], me: BotIdentity) -> bool:
    answered = message.get("reply_to_message") or {}
    return (answered.get("from") or {}).get("id") == me.id


def _document_of(message: dict[str, Any]) -> SentFile | None:
    document = message.get("document")
    return _read_file(document) if document and not _is_picture(document) else None


def _picture_of(message: dict[str, Any]) -> SentFile | None:
    """A picture that is sent as a file, or the largest of the sizes in which a photo comes, which are JPEG."""
    document = message.get("document")
    if document and _is_picture(document):
        return _read_file(document)
    sizes = message.get("photo") or ()
    largest = max(sizes, key=lambda size: size.get("width", 0) * size.get("height", 0), default=None)
    return SentFile(largest["file_id"], "photo.jpg", largest.get("file_size") or 0) if largest else None


def _is_picture(document: dict[str, Any]) -> bool:
    return str(document.get("mime_type", "")).startswith("image/")


def _read_file(document: dict[str, Any]) -> SentFile:
    return SentFile(document["file_id"], str(document.get("file_name") or "file"), document.get("file_size") or 0)

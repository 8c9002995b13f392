"""What comes from Telegram: from whom, and whether it is for the bot."""

from typing import Any

import pytest

from chatbot.frontends.telegram.connection.client import BotIdentity, Place
from chatbot.frontends.telegram.connection.updates import (
    ButtonPress,
    IncomingMessage,
    SentFile,
    read_update,
    sender_of,
)

ME = BotIdentity(9, "magpie_bot")
ANN = {"id": 7, "is_bot": False, "first_name": "Ann", "username": "ann"}
PRIVATE, GROUP = {"id": 7, "type": "private"}, {"id": -5, "type": "supergroup"}


def message(chat: dict[str, Any] = PRIVATE, **more: Any) -> dict[str, Any]:
    return {"update_id": 1, "message": {"message_id": 2, "date": 3, "chat": chat, "from": ANN, **more}}


def read(chat: dict[str, Any] = PRIVATE, **more: Any) -> IncomingMessage | None:
    found = read_update(message(chat, **more), ME)
    assert found is None or isinstance(found, IncomingMessage)
    return found


def test_a_message_is_read() -> None:
    assert read(text=" When? ") == IncomingMessage(1, 2, Place(7), 7, True, "When?")


def test_a_command_is_read_with_what_follows_it() -> None:
    found = read(text="/Search  two words\nand more")
    assert found and (found.command, found.text) == ("search", "two words\nand more")
    # A path is no command.
    found = read(text="/etc/hosts is what?")
    assert found and (found.command, found.text) == ("", "/etc/hosts is what?")


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"text": "@Magpie_bot when does it leave?"}, "when does it leave?"),
        ({"text": "hey @magpie_bot, when?"}, "hey  , when?"),
        (
            {"caption": "@magpie_bot what is this?", "photo": [{"file_id": "a", "width": 1, "height": 1}]},
            "what is this?",
        ),
        ({"text": "and then?", "reply_to_message": {"from": {"id": 9}}}, "and then?"),
        ({"text": "/clear@magpie_bot"}, ""),
    ],
)
def test_in_a_group_what_is_addressed_to_the_bot_is_for_it(more: dict[str, Any], text: str) -> None:
    found = read(GROUP, **more)
    assert found and not found.is_private and " ".join(found.text.split()) == " ".join(text.split())


@pytest.mark.parametrize(
    "more",
    [
        {"text": "when does it leave?"},
        {"text": "/clear"},
        {"text": "/clear@other_bot"},
        {"text": "@magpie_bots, hello"},
        {"text": "mail me@magpie_bot"},
        {"text": "so?", "reply_to_message": {"from": {"id": 7}}},
        {"new_chat_members": [{"id": 9}]},
        {"text": "@magpie_bot was it you?", "forward_origin": {"type": "hidden_user"}},
    ],
)
def test_in_a_group_nothing_else_is(more: dict[str, Any]) -> None:
    assert read(GROUP, **more) is None


def test_bots_and_channels_are_nobody() -> None:
    bot = message(text="hello")
    bot["message"]["from"] = {"id": 8, "is_bot": True}
    channel = message(text="hello")
    del channel["message"]["from"]
    for update in (bot, channel, {"update_id": 4, "poll": {}}, {"update_id": 4}):
        assert sender_of(update)[0] == 0
        assert read_update(update, ME) is None


def test_files_pictures_and_what_cannot_be_read_are_told_apart() -> None:
    document = {"file_id": "d", "file_name": "notes.txt", "file_size": 12, "mime_type": "text/plain"}
    assert read(document=document).document == SentFile("d", "notes.txt", 12)  # type: ignore[union-attr]
    picture = {"file_id": "p", "file_name": "cat.png", "mime_type": "image/png"}
    found = read(document=picture)
    assert found and (found.document, found.picture) == (None, SentFile("p", "cat.png", 0))
    sizes = [{"file_id": name, "width": size, "height": size} for name, size in (("s", 90), ("l", 800), ("m", 320))]
    assert read(photo=sizes).picture == SentFile("l", "photo.jpg", 0)  # type: ignore[union-attr]
    assert read(voice={"file_id": "v"}).unreadable == "voice messages"  # type: ignore[union-attr]
    found = read(animation={"file_id": "g"}, document={**document, "mime_type": "video/mp4"})
    assert found and (found.unreadable, found.document) == ("animations", None)


def test_in_a_topic_the_answer_belongs_there() -> None:
    found = read(GROUP, text="/help@magpie_bot", is_topic_message=True, message_thread_id=77)
    assert found and found.place == Place(-5, 77)
    found = read(GROUP, text="/help@magpie_bot", message_thread_id=77)
    assert found and found.place == Place(-5)


def test_a_pressed_button_is_read() -> None:
    query = {"id": "q", "from": ANN, "data": "k:once", "message": {"message_id": 2, "chat": GROUP}}
    assert read_update({"update_id": 4, "callback_query": query}, ME) == ButtonPress(4, "q", 7, Place(-5), "k:once")


def test_what_is_forwarded_is_no_command() -> None:
    found = read(text="/clear all of it", forward_origin={"type": "user"})
    assert found and (found.command, found.text, found.is_forwarded) == ("", "/clear all of it", True)

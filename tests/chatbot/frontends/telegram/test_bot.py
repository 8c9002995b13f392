"""Whom the bot serves, what it does when the network fails or it is ended in the middle, and what comes once more."""

import asyncio
import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.events import Notice
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.frontends.telegram import bot
from chatbot.frontends.telegram.bot import REACHED, UNREACHED, AllowedUsers
from chatbot.frontends.telegram.chat import ENDED
from chatbot.frontends.telegram.connection.client import BotClient, Place
from chatbot.frontends.telegram.messages.sender import Sender
from chatbot.frontends.telegram.news import MAX_WAITING_NEWS, ChatNews
from chatbot.models.base import Text
from chatbot.settings import TelegramSettings
from tests.fakes.model import ScriptedModel, says
from tests.fakes.telegram import ANN, BOB, GROUP, TOKEN, FakeTelegram
from tests.fakes.telegram_bot import ScriptedEngine, configure, person, running
from utils.errors import SessionError
from utils.network.access import NetworkAccess
from utils.network.api_client import ApiEndpoint

STRANGER = 6666
NAMED = AllowedUsers(TelegramSettings(allowed_users=(ANN,)))
ALL = AllowedUsers(TelegramSettings(allowed_users=("*",)))


async def said_in(engine: Engine, whose: str) -> list[tuple[str, str, bool]]:
    """Role, text and whether it was cut off of each message of a person's last conversation."""
    async with engine:
        chat = await engine.chat(Face(lambda news: None), whose)
        session = await chat.sessions.latest()
        assert session
        list(await chat.resume(session))
        return [(one.role, one.content, one.interrupted) for one in chat.agent.conversation.messages]


def test_everybody_is_allowed_by_a_star_and_nobody_is_nobody() -> None:
    assert ANN in NAMED and BOB not in NAMED
    assert BOB in ALL and 0 not in ALL


async def test_a_stranger_gets_nothing_and_costs_nothing(server: FakeTelegram, tmp_path: Path) -> None:
    model = ScriptedModel([says("Hello Ann.")])
    engine = ScriptedEngine(configure(tmp_path, server), {person(): model})
    async with running(engine):
        await server.say("Let me in", user=STRANGER)
        await server.say("/start", user=STRANGER)
        await server.say("@magpie_test_bot let me in", user=STRANGER, chat=GROUP)
        server.files["x"] = b"text"
        await server.say(user=STRANGER, document={"file_id": "x", "file_unique_id": "x", "file_name": "x.txt"})
        await server.say("Hello", user=ANN)
        await server.shows("Hello Ann.")
    assert (list(engine.opened), list(server.messages)) == ([person()], [ANN])
    asked = {params["chat_id"] for method, params in server.calls if "chat_id" in params}
    assert asked == {str(ANN)} and not server.called("getFile")
    kept = "".join(path.read_text() for path in (tmp_path / "telegram").rglob("*.json"))
    assert "Let me in" not in kept


async def test_people_have_conversations_of_their_own_and_a_group_has_one(server: FakeTelegram, tmp_path: Path) -> None:
    models: dict[str, Any] = {person(one): ScriptedModel([says(f"To {one}.")] * 2) for one in (ANN, BOB, GROUP)}
    async with running(ScriptedEngine(configure(tmp_path, server), models)):
        await server.say("My code is 4711", user=ANN)
        await server.say("What is her code?", user=BOB)
        for user in (ANN, BOB):
            await server.say(f"@magpie_test_bot question of {user}", user=user, chat=GROUP)
        await server.shows(f"To {ANN}.", ANN)
        await server.shows(f"To {BOB}.", BOB)
        await server.until(lambda: len(server.messages[GROUP]) == 2)
    # In a group it is seen which question an answer belongs to.
    sent = [params for params in server.called("sendMessage") if params["chat_id"] == str(GROUP)]
    assert ["reply_parameters" in params for params in sent] == [True, True]
    seen = {name: "".join(one.prompt_text for sent, _ in model.sent for one in sent) for name, model in models.items()}
    assert ["4711" in seen[person(one)] for one in (ANN, BOB, GROUP)] == [True, False, False]
    assert f"question of {ANN}" in seen[person(GROUP)] and f"question of {BOB}" in seen[person(GROUP)]


@pytest.mark.parametrize(("allowed", "offered"), [([ANN], True), (["*"], False)])
async def test_other_programs_are_for_those_who_are_named(
    server: FakeTelegram, tmp_path: Path, allowed: list[Any], offered: bool
) -> None:
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"weather": {"command": "weather"}}}))
    engine = ScriptedEngine(configure(tmp_path, server, **{"telegram.allowed_users": allowed}), {})
    async with running(engine):
        # A command for which the conversation is opened.
        await server.say("/reminders")
        await server.settles()
        remote = engine.opened[person()].remote
        async with asyncio.timeout(20):
            while offered and remote.servers is None:
                await asyncio.sleep(0.01)
        assert (remote.servers is not None) == offered


async def test_what_is_said_in_a_group_to_others_is_not_taken(server: FakeTelegram, tmp_path: Path) -> None:
    model = ScriptedModel([says("Yes?")])
    async with running(ScriptedEngine(configure(tmp_path, server), {person(GROUP): model})):
        await server.say("Lunch at noon, Bob?", chat=GROUP)
        await server.say("/clear", chat=GROUP)
        await server.say("@magpie_test_bot hello", chat=GROUP)
        await server.shows("Yes?", GROUP)
    assert len(server.messages[GROUP]) == 1
    assert "noon" not in "".join(one.prompt_text for sent, _ in model.sent for one in sent)


async def test_a_conversation_goes_on_after_a_restart(server: FakeTelegram, tmp_path: Path) -> None:
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): ScriptedModel([says("Noted.")])})):
        await server.say("The ferry is called Aurora.")
        await server.shows("Noted.")
    model = ScriptedModel([says("Aurora.")])
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): model})):
        await server.say("What is it called?")
        await server.shows("Aurora.")
    assert "The ferry is called Aurora." in [one.content for one in model.sent[0][0]]


async def test_a_conversation_that_cannot_be_gone_on_with_is_said_and_a_new_one_begun(
    server: FakeTelegram, tmp_path: Path
) -> None:
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): ScriptedModel([says("Noted.")])})):
        await server.say("The ferry is called Aurora.")
        await server.shows("Noted.")
        await server.settles()

    async def load(session: str) -> None:
        raise SessionError("This conversation is damaged.")

    engine = ScriptedEngine(configure(tmp_path, server), {person(): ScriptedModel([says("Here.")])})
    engine.prepare = lambda chat: setattr(chat.sessions, "load", load)
    async with running(engine):
        await server.say("Are you there?")
        await server.shows("Here.")
        await server.shows("This conversation is damaged. So this is a new conversation.")


async def test_a_conversation_that_was_begun_anew_is_not_undone_by_a_restart(
    server: FakeTelegram, tmp_path: Path
) -> None:
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): ScriptedModel([says("Noted.")])})):
        await server.say("The ferry is called Aurora.")
        await server.shows("Noted.")
        await server.say("/clear")
        await server.shows("A new conversation.")
        await server.settles()
    model = ScriptedModel([says("I do not know."), says("Of your question.")])
    for question, answer in (("What is it called?", "I do not know."), ("What did we speak of?", "Of your question.")):
        async with running(ScriptedEngine(configure(tmp_path, server), {person(): model})):
            await server.say(question)
            await server.shows(answer)
            await server.settles()
    assert "The ferry is called Aurora." not in [one.content for one in model.sent[0][0]]
    assert "What is it called?" in [one.content for one in model.sent[1][0]]


async def test_ended_in_mid_answer_the_conversation_has_what_was_said_and_the_bot_goes_on(
    server: FakeTelegram, tmp_path: Path
) -> None:
    cut = ScriptedModel([[Text("It leaves at "), None]])
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): cut})):
        await server.say("When does it leave?")
        await server.shows("It leaves at")
        await server.say("And from where?")
        await server.until(lambda: "I will come to that" in "".join(server.texts()))
    [answer] = [one for one in server.messages[ANN] if "It leaves at" in one.text]
    assert ENDED in answer.text
    whole = ScriptedModel([says("From pier 3.")])
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): whole})):
        # What waited for an answer is answered now, though Telegram does not send it again.
        await server.shows("From pier 3.")
        await server.settles()
    assert await said_in(Engine(configure(tmp_path, server)), person()) == [
        ("user", "When does it leave?", False),
        ("assistant", "It leaves at ", True),
        ("user", "And from where?", False),
        ("assistant", "From pier 3.", False),
    ]
    assert list((tmp_path / "telegram" / "123456789").glob("[0-9]*.json")) == []


async def test_after_a_crash_in_mid_answer_it_is_said_and_not_asked_twice(server: FakeTelegram, tmp_path: Path) -> None:
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): ScriptedModel([says("At nine.")])})):
        number = await server.say("When?")
        await server.shows("At nine.")
        await server.settles()
    # As a crash leaves it: the question is in the conversation, and its end was never seen.
    update = {"update_id": number, "message": _message("When?")}
    (tmp_path / "telegram" / "123456789" / f"{number}.json").write_text(json.dumps({"update": update, "begun": True}))
    model = ScriptedModel([])
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): model})):
        await server.shows(ENDED)
    assert model.sent == []


def _message(text: str) -> dict[str, Any]:
    sender = {"id": ANN, "is_bot": False, "first_name": "Ann"}
    return {"message_id": 1, "date": 1, "chat": {"id": ANN, "type": "private"}, "from": sender, "text": text}


async def test_updates_that_come_once_more_are_answered_once(server: FakeTelegram, tmp_path: Path) -> None:
    model = ScriptedModel([says("Once."), says("Twice.")])
    engine = ScriptedEngine(configure(tmp_path, server), {person(): model})
    async with running(engine):
        await server.say("How often?")
        replayed = list(server.pending)
        await server.shows("Once.")
        await server.settles()
    # As if the confirmation had not arrived.
    server.pending = replayed
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): model})):
        await server.say("And now?")
        await server.shows("Twice.")
        await server.settles()
    assert server.texts() == ["Once.", "Twice."]


async def test_ids_that_begin_anew_after_a_silent_week_are_taken(server: FakeTelegram, tmp_path: Path) -> None:
    model = ScriptedModel([says("Once."), says("Twice.")])
    server.poll_seconds = 0.1
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): model})):
        await server.say("How often?")
        await server.shows("Once.")
        # Once the last one is confirmed, none is named any more.
        await server.until(lambda: not server.pending and "offset" not in server.called("getUpdates")[-1])
        server.begin_ids_anew(7)
        await server.say("And now?")
        await server.shows("Twice.")


async def test_a_message_of_a_shape_that_nobody_foresaw_costs_no_other_one(
    server: FakeTelegram, tmp_path: Path
) -> None:
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): ScriptedModel([says("At nine.")])})):
        for user in (ANN, STRANGER):
            # A poll that misses what the library wants of one; a chat that is none; a sender that is none.
            await server.say(user=user, poll={"id": "1"})
            await server.put(message={"from": {"id": user, "is_bot": False}, "chat": 5})
            await server.put(callback_query={"from": {"id": user}})
            await server.put(message={"from": 7})
            await server.put(message=[])
        await server.say("When?")
        await server.shows("At nine.")


async def test_a_cut_network_is_said_once_and_nothing_is_lost(
    server: FakeTelegram, tmp_path: Path, capsys: Any
) -> None:
    model = ScriptedModel([says("Here again.")])
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): model})):
        await server.until(lambda: server.called("getUpdates"))
        server.is_cut = True
        await server.say("Are you there?")
        await server.refused_connections(3)
        server.is_cut = False
        await server.shows("Here again.")
    said = capsys.readouterr().err
    assert (said.count(UNREACHED), said.count(REACHED)) == (1, 1)


async def test_an_answer_that_the_network_cut_off_arrives_later(server: FakeTelegram, tmp_path: Path) -> None:
    model = ScriptedModel([says("At nine.")])
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): model})):
        server.cut_methods = {"sendMessage"}
        await server.say("When?")
        await server.refused_connections(2)
        server.cut_methods = set()
        await server.shows("At nine.")


async def test_told_to_wait_it_waits_and_the_whole_answer_comes(server: FakeTelegram, tmp_path: Path) -> None:
    model = ScriptedModel([says(*["word "] * 50, "end.")])
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): model})):
        server.busy["getUpdates"] = [1]
        server.busy["sendMessage"] = [1, 1]
        server.busy["editMessageText"] = [1]
        await server.say("A long one?")
        answer = await server.shows("end.")
        assert answer.text == "word " * 50 + "end."
    assert len(server.messages[ANN]) == 1


async def test_a_reminder_is_delivered_after_a_restart_though_nobody_writes(
    server: FakeTelegram, tmp_path: Path
) -> None:
    async with running(ScriptedEngine(configure(tmp_path, server), {})):
        await server.say("/remind in 1 hour feed the cat")
        await server.shows("I will remind you")
    engine = ScriptedEngine(configure(tmp_path, server), {})
    engine.prepare = lambda chat: setattr(chat.reminders, "clock", lambda: time.time() + 3700)
    async with running(engine):
        await server.shows("feed the cat", ANN)
        await server.shows("Reminder: feed the cat")


async def test_what_rests_is_closed_and_goes_on_when_something_is_said(
    server: FakeTelegram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot, "MAX_OPEN_CHATS", 1)
    models: dict[str, Any] = {
        person(): ScriptedModel([says("Noted."), says("Aurora.")]),
        person(BOB): ScriptedModel([]),
    }
    engine = ScriptedEngine(configure(tmp_path, server), models)
    async with running(engine):
        await server.say("The ferry is called Aurora.")
        await server.shows("Noted.")
        await server.settles()
        before = engine.opened[person()]
        await server.settles(BOB)
        await server.say("What is it called?")
        await server.shows("Aurora.")
        assert engine.opened[person()] is not before
    assert "The ferry is called Aurora." in [one.content for one in models[person()].sent[1][0]]


async def test_who_has_reminders_is_not_closed(
    server: FakeTelegram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot, "MAX_OPEN_CHATS", 1)
    engine = ScriptedEngine(configure(tmp_path, server), {})
    async with running(engine):
        await server.say("/remind in 1 hour feed the cat")
        await server.shows("I will remind you")
        before = engine.opened[person()]
        await server.settles(BOB)
        await server.settles()
        assert engine.opened[person()] is before


async def test_a_full_disk_loses_no_message(
    server: FakeTelegram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(bot, "DISK_PAUSE_SECONDS", 0.01)
    model = ScriptedModel([says("Here.")])
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): model})):
        await server.until(lambda: server.called("getUpdates"))
        folder = tmp_path / "telegram" / "123456789"
        aside = folder.rename(tmp_path / "aside")
        folder.write_text("no folder")
        await server.say("Are you there?")
        await server.until(lambda: len(server.called("getUpdates")) > 3)
        folder.unlink()
        shutil.move(aside, folder)
        await server.shows("Here.")
    assert "They come again." in capsys.readouterr().err


async def test_a_damaged_memory_of_one_person_costs_no_other_one(server: FakeTelegram, tmp_path: Path) -> None:
    for name in (person(BOB), "telegram-of-nobody"):
        (tmp_path / "people" / name).mkdir(parents=True)
        (tmp_path / "people" / name / "profile.db").write_bytes(b"no database" * 100)
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): ScriptedModel([says("Here.")])})):
        await server.say("Are you there?")
        await server.shows("Here.")


async def test_news_waits_until_telegram_is_reached(server: FakeTelegram) -> None:
    client = BotClient(TOKEN, ApiEndpoint(server.url, "telegram", 5.0, "telegram."), NetworkAccess(), 1000)
    news = ChatNews(Sender(client, delivery_seconds=0.0), Place(ANN))
    server.cut_methods = {"sendMessage"}
    following = asyncio.create_task(news.follow())
    news.put(Notice("Reminder: feed the cat"))
    await server.refused_connections(2)
    assert not news.is_empty
    server.cut_methods = set()
    await server.shows("feed the cat")
    await news.drain(5)
    assert news.is_empty
    following.cancel()
    await asyncio.wait({following})
    await client.close()


async def test_more_news_than_is_kept_is_left_out(server: FakeTelegram) -> None:
    client = BotClient(TOKEN, ApiEndpoint(server.url, "telegram", 5.0, "telegram."), NetworkAccess(), 1000)
    news = ChatNews(Sender(client), Place(ANN))
    for number in range(MAX_WAITING_NEWS + 5):
        news.put(Notice(f"News {number}"))
    following = asyncio.create_task(news.follow())
    await news.drain(20)
    following.cancel()
    await asyncio.wait({following})
    await client.close()
    assert server.texts() == [f"News {number}" for number in range(MAX_WAITING_NEWS)]

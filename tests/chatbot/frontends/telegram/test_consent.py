"""What may leave the machine is asked with buttons."""

from pathlib import Path

import pytest

from chatbot.frontends.telegram.chat import STOPPED
from chatbot.frontends.telegram.consent import NOT_YOURS, OVER, TOO_LATE, request_text
from chatbot.trust.consent import Request
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.telegram import ANN, BOB, GROUP, BotMessage, FakeTelegram
from tests.fakes.telegram_bot import ScriptedEngine, configure, person, running

QUERY = "is my token ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 safe"


def leaking(server: FakeTelegram, folder: Path, chat: int = ANN, **settings: object) -> ScriptedEngine:
    """An engine whose model would search for something secret."""
    model = ScriptedModel([calls(("web_search", {"query": QUERY})), says("I looked.")])
    return ScriptedEngine(
        configure(folder, server, **{"search.engines": [], "search.searxng_url": "", **settings}), {person(chat): model}
    )


async def asked(server: FakeTelegram, chat: int = ANN) -> BotMessage:
    return await server.shows("Magpie would search for this", chat)


def was_refused(engine: ScriptedEngine, chat: int = ANN) -> bool:
    model = engine.models[person(chat)]
    assert isinstance(model, ScriptedModel)
    return "has not got it" in model.sent[-1][0][-1].content


@pytest.mark.parametrize(
    ("button", "refused", "said"), [("Once", False, "Allowed this once."), ("No", True, "Not allowed.")]
)
async def test_a_pressed_button_decides(
    server: FakeTelegram, tmp_path: Path, button: str, refused: bool, said: str
) -> None:
    engine = leaking(server, tmp_path)
    async with running(engine):
        await server.say("Is it safe?")
        message = await asked(server)
        # All of what would be sent is seen, and no address in it is opened for a preview.
        assert QUERY in message.text
        assert list(message.buttons) == ["Once", "For this conversation", "No", "Never in this conversation"]
        await server.press(message, button)
        await server.shows("I looked.")
        await server.until(lambda: said in message.text)
    assert (message.buttons, was_refused(engine)) == ({}, refused)


async def test_somebody_else_in_the_group_cannot_decide(server: FakeTelegram, tmp_path: Path) -> None:
    engine = leaking(server, tmp_path, GROUP)
    async with running(engine):
        await server.say("@magpie_test_bot is it safe?", chat=GROUP)
        message = await asked(server, GROUP)
        await server.press(message, "Once", user=BOB)
        await server.until(lambda: server.answered_presses)
        assert server.answered_presses[0][1] == NOT_YOURS and message.buttons
        # A stranger is not even told that.
        await server.press(message, "Once", user=6666)
        await server.press(message, "No", user=ANN)
        await server.shows("I looked.", GROUP)
    assert was_refused(engine, GROUP) and len(server.answered_presses) == 2


async def test_nobody_answers_in_time_and_it_is_a_no(server: FakeTelegram, tmp_path: Path) -> None:
    engine = leaking(server, tmp_path, **{"telegram.consent_seconds": 5})
    async with running(engine):
        await server.say("Is it safe?")
        message = await asked(server)
        late = BotMessage(message.id, ANN, "", "", False, dict(message.params))
        await server.shows("I looked.")
        await server.until(lambda: TOO_LATE in message.text)
        await server.press(late, "Once")
        await server.until(lambda: server.answered_presses)
    assert was_refused(engine) and server.answered_presses[0][1] == OVER


async def test_stop_takes_the_question_back(server: FakeTelegram, tmp_path: Path) -> None:
    async with running(leaking(server, tmp_path)):
        await server.say("Is it safe?")
        message = await asked(server)
        await server.say("/stop")
        await server.shows(STOPPED)
        await server.until(lambda: OVER in message.text)
        assert not message.buttons


async def test_a_made_up_button_of_another_bot_decides_nothing(server: FakeTelegram, tmp_path: Path) -> None:
    engine = leaking(server, tmp_path)
    async with running(engine):
        await server.say("Is it safe?")
        message = await asked(server)
        key = message.buttons["Once"].partition(":")[0]
        sender = {"id": ANN, "is_bot": False, "first_name": "Ann"}
        stands = {"message_id": message.id, "date": 1, "chat": {"id": ANN, "type": "private"}}
        await server.put(callback_query={"id": "1", "from": sender, "data": f"{key}:anything", "message": stands})
        await server.shows("I looked.")
    assert was_refused(engine)


def test_a_host_that_is_hidden_in_an_address_is_shown() -> None:
    told = request_text(Request("fetch_url_content", "https://p\u0430ypal.example/", "why", "scope"))
    assert "That is the host xn--" in told
    assert "That is the host" not in request_text(Request("fetch_url_content", "https://a.example/", "why", "scope"))

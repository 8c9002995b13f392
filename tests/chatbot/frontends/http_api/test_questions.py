"""What a question over HTTP brings and chooses: files, the model, the profile; and the last one asked again."""

from base64 import b64encode
from pathlib import Path
from typing import Any

from chatbot.models.base import ModelInfo
from tests.fakes.api_server import LOOKING, configured, running_api, sent_events
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.openai import FakeOpenAI, Said
from tests.fakes.pictures import photograph
from tests.fakes.profiles import write_profile
from tests.fakes.site import pdf_file

SEEING = ModelInfo("scripted", "embedded", 32_000, can_call_tools=True, cites=True, can_see=True)


def sent_file(name: str, content: bytes) -> dict[str, str]:
    """A file as it goes with a question."""
    return {"name": name, "content": b64encode(content).decode()}


def question_sent(model: ScriptedModel) -> Any:
    """The question as the model had it last."""
    return next(message for message in reversed(model.sent[-1][0]) if message.is_question)


async def test_texts_that_are_attached_reach_the_model_and_can_be_cited(tmp_path: Path) -> None:
    model = ScriptedModel([says("Four crowns [1].")])
    async with running_api(configured(tmp_path), lambda _: model) as api:
        attached = [{"name": "prices.txt", "text": "The ferry costs four crowns."}]
        events = await api.ask("What does it cost?", attachments=attached)
        assert [source["passage"]["title"] for source in events[-1]["cited"]] == ["prices.txt"]
    asked = next(messages for messages, _ in model.sent if messages[-1].content == "What does it cost?")
    assert "The ferry costs four crowns." in asked[-1].prompt_text


async def test_files_of_any_format_are_read_for_the_question_and_not_kept(tmp_path: Path) -> None:
    model = ScriptedModel([says("Four crowns [1].")], info=SEEING)
    async with running_api(configured(tmp_path), lambda _: model) as api:
        files = [
            sent_file("../../prices.pdf", pdf_file((("The ferry costs four crowns.",),))),
            sent_file("pier.jpg", photograph()),
        ]
        response = await api.client.post("/api/chat", json={"message": "What does it cost?", "attachments": files})
        session = response.headers["magpie-session"]
        [asked, *_] = (await api.client.get(f"/api/sessions/{session}")).json()["events"]
        assert (asked["text"], asked["attached"]) == ("What does it cost?", ["prices.pdf", "pier.jpg"])
        assert (await api.client.get("/api/library/documents")).json()["total"] == 0
    question = question_sent(model)
    assert "The ferry costs four crowns." in question.prompt_text
    assert [picture.name for picture in question.pictures] == ["pier.jpg"]
    assert not list(tmp_path.rglob("prices.pdf"))


async def test_a_file_that_cannot_be_read_is_told_and_nothing_is_asked(tmp_path: Path) -> None:
    model = ScriptedModel([])
    async with running_api(configured(tmp_path), lambda _: model) as api:
        [failed] = await api.ask("What is it?", attachments=[sent_file("odd.bin", b"\0\1" * 50)])
        assert failed["event"] == "error" and "odd.bin" in failed["problem"] and failed["remedy"]
        assert "magpie-" not in failed["problem"]
        for wrong in ({"name": "a.txt", "content": "no base64!"}, {"name": "a.txt", "text": "a", "content": "YWJj"}):
            refused = await api.client.post("/api/chat", json={"message": "What?", "attachments": [wrong]})
            assert refused.status_code == 422
        assert (await api.client.get("/api/sessions")).json() == {"sessions": []}
    assert model.sent == []


async def test_the_last_question_is_asked_again_with_what_went_with_it(tmp_path: Path) -> None:
    model = ScriptedModel([calls(LOOKING), says("At nine [1]."), says("Four crowns."), says("Five crowns [3].")])
    async with running_api(configured(tmp_path), lambda _: model) as api:
        first = await api.client.post("/api/chat", json={"message": "When does the ferry leave?"})
        session = first.headers["magpie-session"]
        attached = [{"name": "prices.txt", "text": "The ferry costs five crowns."}]
        await api.ask("What does it cost?", session=session, attachments=attached)
        again = await api.client.post("/api/chat/again", json={"session": session})
        assert again.headers["magpie-session"] == session and "Five crowns [3]." in again.text
        assert "The ferry costs five crowns." in question_sent(model).prompt_text
        events = (await api.client.get(f"/api/sessions/{session}")).json()["events"]
        asked = [event for event in events if event["event"] == "asked"]
        assert [event["text"] for event in asked] == ["When does the ferry leave?", "What does it cost?"]
        assert [event["text"] for event in events if event["event"] == "answered"] == [
            "At nine [1].",
            "Five crowns [3].",
        ]
        unknown = await api.client.post("/api/chat/again", json={"session": "nothing"})
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "no_session")
        while (await api.client.post(f"/api/sessions/{session}/undo")).status_code == 204:
            pass
        emptied = await api.client.post("/api/chat/again", json={"session": session, "stream": False})
        assert emptied.json()["events"][-1]["problem"] == "Nothing was asked yet in this conversation."


async def test_a_model_is_chosen_by_name_for_a_conversation(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api:
        wrong = await api.client.post("/api/chat", json={"message": "When?", "model": "gpt-9"})
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (404, "model_not_found")
        listed = [one["id"] for one in (await api.client.get("/v1/models")).json()["data"]]
        assert "magpie" in listed
        assert (await api.ask("When?", model="magpie"))[-1]["event"] == "answered"
        assert api.service.answering.running == 0


async def test_the_usual_model_answers_again_once_it_is_named(tmp_path: Path) -> None:
    listed = [{"id": name, "object": "model", "created": 1, "owned_by": "me"} for name in ("first", "second")]
    async with FakeOpenAI([Said("Hello.")] * 40, listed) as server:
        settings = {"backend": "openai", "model": "openai:first", "openai.base_url": server.base_url}
        async with running_api(configured(tmp_path, **settings), lambda _: ScriptedModel([says("Hello.")])) as api:
            answering: list[str] = []
            session = ""
            for model in ("openai:second", "", "magpie", "magpie"):
                asked = {"message": "Hello?", "session": session, "model": model}
                answer = await api.client.post("/api/chat", json=asked)
                assert sent_events(answer.text)[-1][1]["event"] == "answered"
                session = answer.headers["magpie-session"]
                answering.append((await api.client.get(f"/api/sessions/{session}")).json()["session"]["model"])
        assert answering == ["openai:second", "openai:second", "openai:first", "openai:first"]
        # What one client wanted is not what Magpie begins with the next time.
        assert not (tmp_path / "models.json").exists()


async def test_a_profile_is_chosen_for_a_conversation(tmp_path: Path) -> None:
    greeting = "Answers as a clerk.\n\nAsk about **forms**."
    write_profile(tmp_path, "clerk", {"tools": ["calculate"]}, system="Answer as a clerk.", greeting=greeting)
    write_profile(tmp_path, "broken", "{")
    model = ScriptedModel([says("Yes."), says("Yes."), says("Yes.")])
    async with running_api(configured(tmp_path), lambda _: model) as api:
        listed = (await api.client.get("/api/profiles")).json()
        profiles = {one["name"]: one for one in listed["profiles"]}
        assert listed["current"] == "default" and {"default", "researcher", "coder", "clerk"} <= set(profiles)
        assert (profiles["clerk"]["about"], profiles["clerk"]["greeting"]) == ("Answers as a clerk.", greeting)
        assert profiles["coder"]["is_shipped"] and not profiles["clerk"]["is_shipped"]
        assert str(tmp_path) in profiles["broken"]["problem"] and profiles["broken"]["about"] == ""
        asked = {"message": "Is it?", "profile": "clerk"}
        session = (await api.client.post("/api/chat", json=asked)).headers["magpie-session"]
        await api.ask("Is it?", session=session)
        await api.ask("Is it?", session=session, profile="default")
        told = ["Answer as a clerk." in messages[0].content for messages, _ in model.sent]
        assert told == [True, True, False] and [tools == ("calculate",) for _, tools in model.sent] == told
        for wrong, status in (("clark", 404), ("broken", 400)):
            refused = await api.client.post("/api/chat", json={"message": "Is it?", "profile": wrong})
            assert refused.status_code == status and refused.json()["error"]["problem"]
        assert api.service.answering.running == 0


async def test_what_the_owners_profiles_say_is_for_nobody_else(tmp_path: Path) -> None:
    write_profile(tmp_path, "diary", system="The safe is behind the clock.", greeting="My own.")
    write_profile(tmp_path, "desk", system="Answer as a clerk.")
    async with running_api(configured(tmp_path, profile="desk"), lambda _: ScriptedModel([says("Yes.")])) as api:
        ann = {"Authorization": f"Bearer {api.service.tokens.add('ann')}"}
        listed = (await api.client.get("/api/profiles", headers=ann)).json()
        names = {one["name"] for one in listed["profiles"]}
        assert listed["current"] == "desk" and {"desk", "coder"} <= names and "diary" not in names
        asked = {"message": "Where is the safe?", "profile": "diary"}
        refused = await api.client.post("/api/chat", json=asked, headers=ann)
        assert (refused.status_code, refused.json()["error"]["code"]) == (404, "no_profile")
        assert (await api.ask("Is it?", profile="desk", headers=ann))[-1]["event"] == "answered"


async def test_single_tools_are_switched_off_for_a_conversation_and_on_again(tmp_path: Path) -> None:
    model = ScriptedModel([says("Yes.") for _ in range(4)])
    async with running_api(configured(tmp_path), lambda _: model) as api:
        listed = (await api.client.get("/api/tools")).json()["tools"]
        assert {"name": "look_up", "description": "Look something up."} in listed
        asked = {"message": "Is it?", "tools_off": ["look_up", "calculate"]}
        session = (await api.client.post("/api/chat", json=asked)).headers["magpie-session"]
        await api.ask("Is it?", session=session)
        again = {"session": session, "tools_off": ["calculate"], "stream": False}
        assert (await api.client.post("/api/chat/again", json=again)).status_code == 200
        refused = await api.client.post("/api/chat", json={"message": "Is it?", "tools_off": ["look_down"]})
        assert refused.status_code == 404
        assert refused.json()["error"]["problem"] == "There is no tool look_down."
        assert api.service.answering.running == 0
    offered = [[name in tools for name in ("look_up", "calculate")] for _, tools in model.sent]
    assert offered == [[False, False], [False, False], [True, False]]

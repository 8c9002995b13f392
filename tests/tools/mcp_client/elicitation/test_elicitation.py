"""What a real server asks the user while one of its tools is called."""

import asyncio
import sys
from pathlib import Path

from tests.fakes.mcp_servers import connected, declining
from tests.fakes.places import FAKES
from tools.mcp_client.config import ServerSpec
from tools.mcp_client.elicitation.forms import Ask, Form, FormReply, Visit

ASKING = FAKES / "mcp_asking.py"


def asking(timeout: float = 30.0) -> ServerSpec:
    return ServerSpec("asking", "stdio", (sys.executable, str(ASKING)), timeout=timeout)


class Person:
    """Says the same to every question, and remembers them."""

    def __init__(self, *replies: FormReply, seconds: float = 0.0) -> None:
        self._replies = list(replies)
        self._seconds = seconds
        self.asked: list[Form | Visit] = []

    async def __call__(self, question: Form | Visit) -> FormReply:
        self.asked.append(question)
        await asyncio.sleep(self._seconds)
        return self._replies.pop(0)


async def call(folder: Path, tool: str, ask: Ask | None, timeout: float = 30.0) -> tuple[bool, str]:
    async with connected(folder, [asking(timeout)], ask=ask) as there:
        return await there.call(f"asking_{tool}")


async def test_the_user_s_answer_goes_to_the_server_and_its_time_stands_still(tmp_path: Path) -> None:
    person = Person(FormReply("accept", {"name": "Ada", "seats": 3}), seconds=1.5)
    assert await call(tmp_path, "book", person, timeout=1.0) == (True, 'accept {"name":"Ada","seats":3}')
    [form] = person.asked
    assert isinstance(form, Form)
    assert (form.server, form.message) == ("asking", "Who travels?")
    assert [(field.title, field.kind, field.default) for field in form.fields] == [
        ("Your name", "string", None),
        ("Seats", "integer", 2),
    ]


async def test_where_nobody_is_there_it_is_declined(tmp_path: Path) -> None:
    assert await call(tmp_path, "book", None) == (True, "decline")


async def test_who_declined_once_is_not_asked_on_in_the_same_call(tmp_path: Path) -> None:
    person = Person(FormReply("accept", {"name": "Ada"}), FormReply("decline"))
    assert await call(tmp_path, "pester", person) == (True, "accept decline decline")
    assert len(person.asked) == 2


async def test_an_address_is_consented_to(tmp_path: Path) -> None:
    person = Person(FormReply("accept"))
    assert await call(tmp_path, "pay", person) == (True, "accept")
    [visit] = person.asked
    assert isinstance(visit, Visit)
    assert (visit.message, visit.address.url) == ("Pay there", "https://pay.example/now")


async def test_a_call_that_needs_an_address_opened_first_says_so(tmp_path: Path) -> None:
    async with connected(tmp_path, [asking()], ask=Person(FormReply("accept"), FormReply("decline"))) as there:
        shown = "The user was shown an address to open first. Call it again once they say that it is done."
        assert await there.call("asking_unlock") == (False, shown)
        refused = "The user would have to open an address first, and does not want to."
        assert await there.call("asking_unlock") == (False, refused)
        assert there.servers.all["asking"].state == "ready"


async def test_outside_of_a_call_nobody_is_asked(tmp_path: Path) -> None:
    person = Person()
    strange = ServerSpec("strange", "stdio", (sys.executable, str(ASKING.with_name("mcp_strange.py")), "asks"))
    async with connected(tmp_path, [strange], ask=person) as there:
        assert await there.call("strange_echo") == (True, "decline")
    assert person.asked == []


async def test_a_call_that_is_stopped_takes_its_question_back(tmp_path: Path) -> None:
    person = Person(FormReply("accept"), seconds=60)
    async with connected(tmp_path, [asking()], ask=person) as there:
        turn = asyncio.create_task(there.call("asking_book"))
        while not person.asked:
            await asyncio.sleep(0.01)
        turn.cancel()
        await asyncio.wait({turn})
        await asyncio.sleep(0)
        assert [task for task in asyncio.all_tasks() if "Person" in repr(task)] == []
    assert await call(tmp_path, "book", declining) == (True, "decline")

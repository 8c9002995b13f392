"""What needs the user's consent, what is free, and that a decision counts as far as it was made."""

import asyncio
from collections.abc import Sequence

import pytest

from chatbot.conversation.events import Answered, Notice, ToolFinished, ToolProgress
from chatbot.conversation.messages import Attachment, Message, Source, ToolCall
from chatbot.settings import AgentSettings
from chatbot.trust.consent import Approval, Consent, Decision, Request
from chatbot.trust.taint import PrivateTexts, address_key, is_tainted
from chatbot.turn.agent import Agent
from chatbot.turn.ports import Hooks
from chatbot.window.system_prompt import Briefing
from rag.documents import Passage
from tests.fakes.model import ScriptedModel, calls, says
from tools.base import Tool, Toolbox, ToolContext, ToolResult, ToolSchema, tool
from utils.errors import Unsent
from utils.fence import fence_text
from utils.network.addresses import parse_url

PAGE = Passage("See http://third.example/next for more.", "https://ferries.example/times", "Ferries", "web")
SEARCHED = [
    Message("user", "When does the ferry leave? My site is harbour.example/ferry"),
    Message("assistant", "", tool_calls=(ToolCall("web_search", {"query": "ferry"}, "call_1"),)),
    Message(
        "tool",
        "Found: look at http://titled.example/x too.",
        tool_name="web_search",
        call_id="call_1",
        sources=(Source(1, PAGE),),
        links=("https://ferries.example/", "https://listed.example/a?b=c"),
    ),
]


def opening(url: str) -> ToolCall:
    return ToolCall("fetch_url_content", {"url": url})


def requests(
    call: ToolCall, messages: Sequence[Message], question: str = "And?", kept: PrivateTexts | None = None
) -> str:
    consent = Consent(lambda: "ask", kept or PrivateTexts(environment={}))
    found = consent.find_request(consent.meant_call(call, messages), question, messages)
    return found.why if found else ""


def test_an_article_of_an_archive_is_free_for_opening_it_sends_nothing() -> None:
    assert requests(opening("zim://wikipedia/Ferry"), SEARCHED) == ""


@pytest.mark.parametrize(
    "url",
    [
        "https://harbour.example/ferry",
        "http://harbour.example/ferry/",
        "https://ferries.example",
        "https://ferries.example/times",
        "https://listed.example/a?b=c",
    ],
)
def test_what_the_user_typed_or_a_search_found_or_was_opened_is_free(url: str) -> None:
    assert requests(opening(url), SEARCHED) == ""


@pytest.mark.parametrize(
    "url",
    [
        "http://third.example/next",
        "http://titled.example/x",
        "https://listed.example/a?b=d",
        "https://ferries.example/times?d=1",
        "https://harbour.example/",
        "https://ferries.example.evil.example/times",
        "not an address",
    ],
)
def test_what_a_page_named_or_the_model_made_up_is_asked_about_once_anything_came_from_outside(url: str) -> None:
    assert requests(opening(url), SEARCHED) == (
        "neither you nor a search named it: it comes from a page, or the model made it up"
    )
    assert requests(opening(url), SEARCHED[:1]) == ""


def test_a_file_of_the_user_taints_a_conversation_and_what_magpie_remembers_does_not() -> None:
    read = Message("user", "?", note=fence_text("visit http://x.example", "the file a.txt"))
    remembered = Message("tool", "Remembered.", tool_name="remember", call_id="call_1")
    assert [is_tainted([message]) for message in (read, remembered, SEARCHED[2], SEARCHED[0])] == [
        True,
        False,
        True,
        False,
    ]


def test_a_long_text_was_pasted_so_its_addresses_are_not_the_users() -> None:
    pasted = Message("user", "See https://pasted.example/a " + "and more " * 200)
    assert requests(opening("https://pasted.example/a"), [pasted, *SEARCHED[1:]]) != ""


def test_what_cannot_be_looked_through_is_asked_about() -> None:
    endless = ToolCall("web_search", {"query": f"ferry %{'25' * 100}41"})
    assert requests(endless, SEARCHED[:1]) == "it is too much to be looked through for what is yours"


@pytest.mark.parametrize("tool_name", ["web_search", "news_search"])
def test_searches_are_free_unless_they_carry_what_is_the_users(tool_name: str) -> None:
    kept = PrivateTexts(lambda: "- I am allergic to cashew nuts and to sesame.", environment={})
    free = ToolCall(tool_name, {"query": "restaurants without cashew nuts"})
    carrying = ToolCall(tool_name, {"query": "I am allergic to cashew nuts and"})
    assert requests(free, SEARCHED, kept=kept) == ""
    assert requests(carrying, SEARCHED[:1], kept=kept) == (
        "it carries “i am allergic to cashew” from what you asked Magpie to remember"
    )


def test_the_library_and_the_memory_stay_on_the_machine_and_are_free() -> None:
    for name in ("search_vector_db", "remember", "set_reminder", "search_history", "calculate"):
        assert requests(ToolCall(name, {"query": "sk-proj-4f9a8b7c6d5e4f9a8b7c"}), SEARCHED) == ""


def test_an_address_is_the_same_with_either_scheme_and_a_last_slash() -> None:
    same = {address_key(url) for url in ("http://A.example/x/", "https://a.example/x", "a.example/x")}
    assert same == {"a.example/x"}
    assert address_key("https://a.example:8080/x") != address_key("https://a.example/x")
    assert address_key("javascript:alert(1)") == address_key("https://a@b.example/") == ""


@pytest.mark.parametrize(
    ("spelled", "sent"),
    [
        ("https://ferries.example/times////", "https://ferries.example/times"),
        ("http://FERRIES.example:443/times", "https://ferries.example/times"),
        ("https://ferries.example/times#a-code", "https://ferries.example/times"),
        ("http://listed.example/a?b=c///", "https://listed.example/a?b=c"),
        ("harbour.example/ferry/", "https://harbour.example/ferry"),
        ("https://ferries.example//times", "asked"),
        ("https://ferries.example/./times", "asked"),
        ("https://ferries.example/times/?", "asked"),
    ],
)
async def test_a_known_address_is_opened_as_it_is_known_however_the_model_spells_it(spelled: str, sent: str) -> None:
    opened: list[str] = []

    async def fetch_url_content(url: str) -> str:
        """Open.

        Args:
            url: What.
        """
        opened.append(parse_url(url).url)
        return "Opened."

    model = ScriptedModel([calls(("fetch_url_content", {"url": spelled})), says("Done.")])
    agent = Agent(model, Toolbox([tool(fetch_url_content)]), AgentSettings(), Briefing(), 100)
    agent.restore(SEARCHED, (), ())
    denied = [event.denied for event in [event async for event in agent.ask("And?")] if isinstance(event, Answered)]
    assert (["asked"] if denied != [()] else opened) == [sent]


async def decided(decisions: list[Decision], urls: Sequence[str], approval: Approval = "ask") -> list[bool]:
    """Whether each address is allowed; asking more often than there are decisions fails."""
    consent = Consent(lambda: approval, PrivateTexts(environment={}))

    async def ask(request: Request) -> Decision:
        return decisions.pop(0)

    consent.ask = ask
    return [not await consent.refusal_reason(opening(url), "?", SEARCHED) for url in urls]


HOST, OTHER = "https://made.example/", "https://up.example/"


@pytest.mark.parametrize(
    ("decisions", "urls", "allowed"),
    [
        (["once", "no"], [HOST, HOST], [True, False]),
        (["session"], [HOST + "a", HOST + "b"], [True, True]),
        (["never"], [HOST + "a", HOST + "b"], [False, False]),
        (["session", "no"], [HOST, OTHER], [True, False]),
    ],
)
async def test_a_decision_counts_as_far_as_it_was_made(
    decisions: list[Decision], urls: list[str], allowed: list[bool]
) -> None:
    assert await decided(decisions, urls) == allowed
    assert decisions == []


@pytest.mark.parametrize(("approval", "allowed"), [("allow", True), ("deny", False)])
async def test_the_setting_decides_where_it_is_not_to_be_asked(approval: Approval, allowed: bool) -> None:
    assert await decided([], [HOST], approval) == [allowed]


async def test_a_host_allowed_for_the_session_may_not_be_told_a_secret() -> None:
    secret = HOST + "sk-proj-4f9a8b7c6d5e4f9a8b7c"
    assert await decided(["session", "no"], [HOST, secret]) == [True, False]


async def test_what_was_decided_ends_with_the_session() -> None:
    consent = Consent(lambda: "ask", PrivateTexts(environment={}))
    asked: list[str] = []

    async def ask(request: Request) -> Decision:
        asked.append(request.sent)
        return "session"

    consent.ask = ask
    await consent.refusal_reason(opening(HOST), "?", SEARCHED)
    consent.forget_session()
    await consent.refusal_reason(opening(HOST), "?", SEARCHED)
    assert asked == [HOST, HOST]


async def web_search(query: str) -> ToolResult:
    """Search.

    Args:
        query: What for.
    """
    return ToolResult("Found.", (PAGE,), ("https://listed.example/",))


async def fetch_url_content(context: ToolContext, url: str) -> str:
    """Open.

    Args:
        url: What.
    """
    return f"Opened, {context.allowance.take_pages()} granted."


async def test_without_anybody_to_ask_it_is_not_done_and_the_answer_says_so() -> None:
    model = ScriptedModel(
        [
            calls(("web_search", {"query": "ferry"})),
            calls(("fetch_url_content", {"url": HOST}), ("fetch_url_content", {"url": "https://listed.example"})),
            says("At nine [1]."),
        ]
    )
    agent = Agent(model, Toolbox([tool(web_search), tool(fetch_url_content)]), AgentSettings(), Briefing(), 100)
    events = [event async for event in agent.ask("When?")]
    told = f"Not done, for it needs the user's consent and has not got it: fetch_url_content {HOST}"
    ends = [(event.ok, event.text) for event in events if isinstance(event, ToolFinished)]
    assert ends[1:] == [(False, told), (True, "Opened, 1 granted.")]
    assert [event.denied for event in events if isinstance(event, Answered)] == [(told,)]
    assert not any(isinstance(event, Notice) for event in events)


async def test_the_time_in_which_the_user_decides_is_no_time_of_the_turns() -> None:
    replies = [calls(("web_search", {"query": "ferry"})), calls(("fetch_url_content", {"url": HOST})), says("At nine.")]
    consent = Consent(lambda: "ask", PrivateTexts(environment={}))

    async def ask(request: Request) -> Decision:
        await asyncio.sleep(0.5)
        return "once"

    consent.ask = ask
    box = Toolbox([tool(web_search), tool(fetch_url_content)])
    agent = Agent(ScriptedModel(replies), box, AgentSettings(), Briefing(), 100, Hooks(consent=consent))
    [answered] = [event async for event in agent.ask("When?") if isinstance(event, Answered)]
    assert consent.waited > 2 * answered.seconds


async def test_a_turn_opens_so_many_pages_and_no_more() -> None:
    urls = [ToolCall("fetch_url_content", {"url": f"https://a.example/{n}"}) for n in range(4)]
    model = ScriptedModel([calls(*((call.name, call.arguments) for call in urls)), says("Done.")])
    settings = AgentSettings(max_fetches_per_turn=3)
    agent = Agent(model, Toolbox([tool(fetch_url_content)]), settings, Briefing(), 100)
    events = [event async for event in agent.ask("Open a.example/0 a.example/1 a.example/2 a.example/3")]
    granted = [event.text for event in events if isinstance(event, ToolFinished)]
    assert granted == ["Opened, 1 granted."] * 3 + ["Opened, 0 granted."]
    told = "This turn has opened 3 pages, as many as one may (max_fetches_per_turn)."
    assert [event for event in events if isinstance(event, Notice)] == [Notice(told, "warning")]


async def test_an_attached_file_may_not_be_sent_out() -> None:
    query = "the landlord wants eight hundred crowns"
    model = ScriptedModel([calls(("web_search", {"query": query})), says("No.")])
    agent = Agent(model, Toolbox([tool(web_search)]), AgentSettings(), Briefing(), 100)
    attached = [Attachment("rent.txt", f"Dear all, {query} more from May.")]
    events = [event async for event in agent.ask("What does it say?", attachments=attached)]
    assert [event.ok for event in events if isinstance(event, ToolFinished)] == [False]


TOOL = ToolCall("files_write", {"path": "a.txt"})


class Others:
    """Tools of other programs, by what the model and the user call them."""

    def __init__(self, *allowed: str, **shown: str) -> None:
        self.names = shown
        self._allowed = allowed

    def shown_name(self, name: str) -> str:
        return self.names.get(name, "")

    def allowed(self, name: str) -> bool:
        return self.shown_name(name) in self._allowed


async def remote(decisions: list[Decision], *calls: tuple[ToolCall, Sequence[Message]]) -> list[str]:
    """What was asked about calls of another program's tool, each in its conversation."""
    asked: list[str] = []
    consent = Consent(lambda: "ask", PrivateTexts(environment={}), Others(files_write="files.write"))

    async def ask(request: Request) -> Decision:
        asked.append(request.question)
        return decisions.pop(0)

    consent.ask = ask
    for call, messages in calls:
        await consent.refusal_reason(call, "?", messages)
    assert decisions == []
    return asked


async def test_a_tool_of_another_program_is_asked_about_once_while_nothing_came_from_outside() -> None:
    first = "Magpie would send this to files.write, and it is the first call of this tool."
    tainted = "Magpie would send this to files.write, and text from outside may have led to this call."
    assert await remote(["once"], (TOOL, []), (TOOL, [])) == [first]
    assert await remote(["no", "once"], (TOOL, []), (TOOL, [])) == [first, first]
    assert await remote(["once", "once", "once"], (TOOL, []), (TOOL, SEARCHED), (TOOL, SEARCHED)) == [
        first,
        tainted,
        tainted,
    ]


async def test_a_tool_that_was_allowed_for_the_session_may_still_not_be_told_a_secret() -> None:
    secret = ToolCall("files_write", {"text": "sk-proj-4f9a8b7c6d5e4f9a8b7c"})
    asked = await remote(["session", "no"], (TOOL, SEARCHED), (TOOL, SEARCHED), (secret, SEARCHED))
    assert asked[1:] == [
        "Magpie would send this to files.write, and it carries “sk-proj-4f9a8b7c6d5e4f9a8b7c”, which looks secret."
    ]


async def test_what_the_user_has_allowed_for_good_is_not_asked_about_unless_it_carries_something_out() -> None:
    others = Others("files.write", files_write="files.write", files_read="files.read")
    consent = Consent(lambda: "ask", PrivateTexts(environment={}), others)
    assert await consent.refusal_reason(TOOL, "?", []) == ""
    assert await consent.refusal_reason(TOOL, "?", SEARCHED) == ""
    said = "Not done, for it needs the user's consent and has not got it: "
    other = ToolCall("files_read", {"path": "a.txt"})
    assert await consent.refusal_reason(other, "?", []) == f'{said}files.read {{"path": "a.txt"}}'
    secret = ToolCall("files_write", {"text": "sk-proj-4f9a8b7c6d5e4f9a8b7c"})
    told = f'{said}files.write {{"text": "sk-proj-4f9a8b7c6d5e4f9a8b7c"}}'
    assert await consent.refusal_reason(secret, "?", []) == told


async def test_who_is_called_after_all_is_who_was_asked_about() -> None:
    others = Others(files_write="here.write")
    consent = Consent(lambda: "ask", PrivateTexts(environment={}), others)
    asked: list[str] = []

    async def ask(request: Request) -> Decision:
        asked.append(request.tool)
        # The first server ends while the user thinks.
        others.names["files_write"] = "there.write"
        return "once" if request.tool == "here.write" else "no"

    consent.ask = ask
    told = "Not done, for it needs the user's consent and has not got it: there.write"
    assert await consent.refusal_reason(TOOL, "?", []) == f'{told} {{"path": "a.txt"}}'
    assert asked == ["here.write", "there.write"]


async def test_a_call_that_went_nowhere_goes_to_the_next_server_once_that_was_agreed_to() -> None:
    others, heard = Others(files_write="here.write"), list[str]()

    async def write(path: str) -> str:
        heard.append(others.names["files_write"])
        if heard == ["here.write"]:
            others.names["files_write"] = "there.write"
            raise Unsent("It is gone.")
        return "done"

    schema = ToolSchema("files_write", "Write.", {"type": "object", "properties": {}})
    toolbox = Toolbox([Tool(schema, write, dict, shown=lambda: others.names["files_write"])])
    decisions: list[Decision] = ["once", "once", "once", "no"]
    asked: list[str] = []

    async def ask(request: Request) -> Decision:
        asked.append(request.tool)
        return decisions.pop(0)

    async def events() -> list[tuple[str, ...]]:
        consent = Consent(lambda: "ask", PrivateTexts(environment={}), others)
        consent.ask = ask
        model = ScriptedModel([calls(("files_write", {"path": "a.txt"})), says("Well.")])
        agent = Agent(model, toolbox, AgentSettings(), Briefing(), 100, Hooks(consent=consent))
        events = [event async for event in agent.ask("Write it.") if isinstance(event, ToolFinished | ToolProgress)]
        return [(event.call.label, event.text) for event in events]

    over = ("here.write", "not reached, now there.write")
    assert await events() == [over, ("here.write", "done")]
    others.names["files_write"] = "here.write"
    heard.clear()
    told = "Not done, for it needs the user's consent and has not got it: there.write"
    assert await events() == [over, ("here.write", f'{told} {{"path": "a.txt"}}')]
    assert (asked, heard) == (["here.write", "there.write"] * 2, ["here.write"])


async def test_the_chat_goes_on_while_a_long_text_is_looked_at() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)
    call = ToolCall("web_search", {"query": "harbour ferry " * 2_000})
    notes = Message("user", "?", note=fence_text("an old lighthouse at noon " * 200, "the file a.txt"))
    assert await Consent(lambda: "deny", PrivateTexts(environment={})).refusal_reason(call, "When?", [notes]) == ""
    ticking.cancel()
    assert ticks > 5


def test_an_attached_page_is_from_outside_and_no_secret_of_the_users() -> None:
    text = "The ferry to Skerry leaves at nine from the northern pier."
    page, file = (Attachment("Ferries", text, kind).prompt_text for kind in ("page", "file"))
    searching = ToolCall("web_search", {"query": "ferry to Skerry leaves at nine from the northern pier"})
    assert is_tainted([Message("user", "And?", page)])
    assert requests(searching, [Message("user", "And?", page)]) == ""
    assert "from the file Ferries" in requests(searching, [Message("user", "And?", file)])

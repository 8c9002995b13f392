import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from chatbot.commands.registry import GROUPS, SLASH_COMMANDS, CommandGroup, is_command, run_command
from chatbot.conversation.events import (
    Cleared,
    CopyText,
    Listing,
    MarkdownText,
    Notice,
    Quit,
    ToolFinished,
)
from chatbot.frontends.terminal.drawing.tables import listing_table
from chatbot.models.adaptive import AdaptiveModel
from chatbot.models.base import ModelInfo
from chatbot.models.pipeline.model import PipelineModel
from chatbot.models.state import ModelState
from rag.documents import Document as SourceDocument
from rag.library import Library
from rag.settings import RagSettings
from tests.fakes.app import FakeApp, events_of
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.profiles import write_profile
from tests.fakes.zim import write_zim
from tools.base import ToolContext, tool
from tools.settings import SearchSettings
from utils.errors import ModelUnavailable


@pytest.fixture
def app(tmp_path: Path) -> FakeApp:
    return FakeApp(ScriptedModel([]), tmp_path)


async def asked(app: FakeApp, *questions: str) -> FakeApp:
    for question in questions:
        await events_of(app.chat.agent.ask(question))
    return app


async def test_help_names_every_command_once_in_its_group(app: FakeApp) -> None:
    [listing] = await events_of(run_command(app.ready, "/help"))
    assert isinstance(listing, Listing)
    named = [word for _, cell in listing.rows[:-1] for word in cell.partition("\n")[2].split()]
    assert named == [f"/{command.name}" for command in SLASH_COMMANDS]
    assert len(set(named)) == len(named)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
async def test_help_tells_in_one_line_what_each_command_of_a_group_does(app: FakeApp, group: CommandGroup) -> None:
    [listing] = await events_of(run_command(app.ready, f"/help {group.name.title()}"))
    assert [row[0].split()[0] for row in listing.rows] == [f"/{command.name}" for command in group.commands]
    assert all(row[1].endswith(".") and "\n" not in row[1] for row in listing.rows)


@pytest.mark.parametrize("width", [60, 80])
async def test_help_fits_a_small_terminal(app: FakeApp, width: int) -> None:
    for about in ("", *(group.name for group in GROUPS)):
        [listing] = await events_of(run_command(app.ready, f"/help {about}"))
        console = Console(file=io.StringIO(), width=width, color_system=None, _environ={})
        lines = [line for part in listing_table(listing, width) for line in console.render_lines(part)]
        # The line that asked, two empty ones, the prompt, six rows of its menu.
        assert len(lines) <= 40 - 10


async def test_a_command_that_is_called_as_its_group_is_told_of_by_its_slash(app: FakeApp) -> None:
    [listing] = await events_of(run_command(app.ready, "/help /memory"))
    assert [row[0].split()[0] for row in listing.rows] == ["/memory"]


async def test_help_tells_what_one_command_does(app: FakeApp) -> None:
    [listing] = await events_of(run_command(app.ready, "/help source"))
    assert listing.rows == (
        ("/source <number>", "Show a numbered source in its surroundings, and where it came from."),
    )


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("/contxt", "There is no command /contxt. Did you mean /context?"),
        ("/HELPP", "There is no command /HELPP. Did you mean /help?"),
        ("/zzzzzz", "There is no command /zzzzzz. /help lists them all."),
        ("/help contxt", "There is no command /contxt. Did you mean /context?"),
    ],
)
async def test_an_unknown_command_is_answered_with_the_nearest_known_one(app: FakeApp, line: str, answer: str) -> None:
    assert await events_of(run_command(app.ready, line)) == [Notice(answer, "error")]


@pytest.mark.parametrize(
    ("line", "meant"),
    [("/help", True), ("/source 3", True), (" /?", True), ("/etc/hosts what is it?", False), ("why /help?", False)],
)
def test_a_path_is_no_command(line: str, meant: bool) -> None:
    assert is_command(line) == meant


@pytest.mark.parametrize("line", ["/quit", "/exit"])
async def test_quit_leaves(app: FakeApp, line: str) -> None:
    assert await events_of(run_command(app.ready, line)) == [Quit()]


@pytest.mark.parametrize(
    ("line", "name", "value", "words"),
    [
        ("/toggle-tools", "tools_enabled", False, "Tools are off now; /toggle-tools again switches back to on."),
        (
            "/toggle-thinking",
            "show_thinking",
            False,
            "Showing what the model thinks is off now; /toggle-thinking again switches back to on.",
        ),
        ("/toggle-markdown", "markdown", False, "Markdown is off now; /toggle-markdown again switches back to on."),
    ],
)
async def test_a_toggle_holds_at_once_is_saved_and_says_how_to_undo_it(
    app: FakeApp, tmp_path: Path, line: str, name: str, value: bool, words: str
) -> None:
    path = tmp_path / "config.json"
    assert await events_of(run_command(app.ready, line)) == [Notice(f"{words} Saved {name} in {path}.")]
    assert getattr(app.configuration.values, name) is value
    assert getattr(app.chat.agent.settings, name) is value
    assert path.read_text() == f'{{\n  "{name}": false\n}}\n'


async def test_tools_are_listed_with_what_they_do(app: FakeApp) -> None:
    assert await events_of(run_command(app.ready, "/tools")) == [
        Listing(
            "Tools (offered to scripted)",
            ("tool", "what it does"),
            (("web_search", "Search the web."), ("fetch_url_content", "Open a page.")),
        )
    ]


async def test_tools_that_the_model_is_never_offered_are_not_listed(app: FakeApp, tmp_path: Path) -> None:
    async def find_tools(query: str) -> str:
        """Find other tools.

        Args:
            query: What they should do.
        """
        return query

    small = ScriptedModel([], info=ModelInfo("small", "embedded", 4096))
    in_steps = PipelineModel(small, WordEmbedder())
    app.chat.agent.toolbox.add_tools([tool(find_tools)])
    listed = await events_of(run_command(app.ready, "/tools"))
    assert [row[0] for row in listed[0].rows] == ["web_search", "fetch_url_content", "find_tools"]
    app.chat.agent.use_model(AdaptiveModel(small, in_steps, app.chat.agent.toolbox.accepts_call, ModelState(tmp_path)))
    [listing] = await events_of(run_command(app.ready, "/tools"))
    assert listing.title == "Tools (Magpie calls them for small)"
    assert [row[0] for row in listing.rows] == ["web_search", "fetch_url_content"]


async def test_where_tools_are_off_none_is_listed(app: FakeApp) -> None:
    app.chat.set("tools_enabled", False)
    assert await events_of(run_command(app.ready, "/tools")) == [
        Notice("Tools are off: the model is offered none. /toggle-tools switches them on.")
    ]


async def test_a_single_tool_is_switched_off_and_on_again(app: FakeApp) -> None:
    toolbox = app.chat.agent.toolbox
    assert await events_of(run_command(app.ready, "/tools off web_search")) == [
        Notice("web_search is off in this chat; /tools on web_search switches it on again.")
    ]
    assert [schema.name for schema in toolbox.schemas] == ["fetch_url_content"]
    assert not (await toolbox.execute_call("web_search", {"query": "herons"}, ToolContext(""))).ok
    assert not toolbox.accepts_call("web_search", {"query": "herons"})
    assert await events_of(run_command(app.ready, "/tools ON web_search")) == [Notice("web_search is on in this chat.")]
    assert [schema.name for schema in toolbox.schemas] == ["web_search", "fetch_url_content"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/tools off web_serch", "There is no tool 'web_serch'. Did you mean web_search?"),
        ("/tools off %", "There is no tool '%'. There are web_search, fetch_url_content."),
        ("/tools off", "Write /tools, /tools off NAME or /tools on NAME."),
        ("/tools away web_search", "Write /tools, /tools off NAME or /tools on NAME."),
    ],
)
async def test_what_cannot_be_switched_is_said(app: FakeApp, line: str, said: str) -> None:
    assert await events_of(run_command(app.ready, line)) == [Notice(said, "error")]
    assert len(app.chat.agent.toolbox.schemas) == 2


async def test_what_the_user_switched_holds_over_a_profile(app: FakeApp, tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", {"tools": ["web_search"]})
    await events_of(run_command(app.ready, "/tools off web_search"))
    await events_of(run_command(app.ready, "/profile clerk"))
    assert not app.chat.agent.toolbox.schemas
    await events_of(run_command(app.ready, "/tools on fetch_url_content"))
    assert [schema.name for schema in app.chat.agent.toolbox.schemas] == ["fetch_url_content"]
    await events_of(run_command(app.ready, "/profile default"))
    assert [schema.name for schema in app.chat.agent.toolbox.schemas] == ["fetch_url_content"]


async def test_clear_begins_a_new_conversation(tmp_path: Path) -> None:
    app = await asked(FakeApp(ScriptedModel([says("Nine.")]), tmp_path), "When?")
    kept = Notice("A new conversation. The one before is in /history.")
    assert await events_of(run_command(app.ready, "/clearhistory")) == [Cleared(), kept]
    assert app.chat.agent.conversation.messages == []


async def test_copy_hands_out_the_last_answer(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([says("Nine.")]), tmp_path)
    assert await events_of(run_command(app.ready, "/copy")) == [Notice("There is no answer to copy yet.", "warning")]
    await asked(app, "When?")
    assert await events_of(run_command(app.ready, "/copy")) == [CopyText("Nine.")]


async def test_a_turn_that_gave_nothing_leaves_the_answer_before_it_to_copy(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([says("Nine."), [ModelUnavailable("Gone.")]]), tmp_path)
    await asked(app, "When?")
    with pytest.raises(ModelUnavailable):
        await asked(app, "How much?")
    assert await events_of(run_command(app.ready, "/copy")) == [CopyText("Nine.")]


async def test_source_shows_a_passage_and_where_it_came_from(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("web_search", {"query": "ferry"})), says("At nine [1].")])
    app = await asked(FakeApp(model, tmp_path), "When?")
    assert await events_of(run_command(app.ready, "/source [1]")) == [
        MarkdownText(
            "**[1] Ferry timetable**\\\nhttps://ferries.example/times\n\n```text\nThe ferry leaves at nine.\n```"
        )
    ]


async def test_source_shows_what_stands_around_the_passage(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("web_search", {"query": "ferry"})), says("At nine [1].")])
    app = await asked(FakeApp(model, tmp_path), "When?")
    library = await Library.open(tmp_path, RagSettings(), WordEmbedder())
    app.chat.retrieval = replace(app.chat.retrieval, library=library)
    text = "All year round. The ferry leaves at nine. Not in *storms*."
    await library.add(SourceDocument("https://ferries.example/times", "Ferry timetable", text, "web"))
    [document] = await events_of(run_command(app.ready, "/source 1"))
    await library.close()
    assert document == MarkdownText(
        "**[1] Ferry timetable**\\\nhttps://ferries.example/times\n\n"
        "Before it:\n\n```text\nAll year round.\n```\n\n"
        "**The passage:**\n\n```text\nThe ferry leaves at nine.\n```\n\n"
        "After it:\n\n```text\nNot in *storms*.\n```"
    )


@pytest.mark.parametrize("argument", ["7", "x", "", "0", "-1", "9" * 5000, "²"])
async def test_a_source_that_was_never_handed_out_is_said(tmp_path: Path, argument: str) -> None:
    model = ScriptedModel([calls(("web_search", {"query": "ferry"})), says("At nine [1].")])
    app = await asked(FakeApp(model, tmp_path), "When?")
    [notice] = await events_of(run_command(app.ready, f"/source {argument}"))
    assert notice.level == "error"
    assert notice.text.endswith("Sources have numbers, for instance /source 1.")


async def test_without_sources_source_says_so(app: FakeApp) -> None:
    assert await events_of(run_command(app.ready, "/source 1")) == [
        Notice("Nothing was read in this conversation yet, so there are no sources.", "error")
    ]


async def test_ask_needs_a_question(app: FakeApp) -> None:
    assert await events_of(run_command(app.ready, "/ask ")) == [
        Notice("Write the question after the command: /ask <question>", "error")
    ]


async def test_ask_answers_from_the_library_alone(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([says("I do not know.")]), tmp_path)
    events = await events_of(run_command(app.ready, "/rag When?"))
    [finished] = [event for event in events if isinstance(event, ToolFinished)]
    assert (finished.call.name, finished.call.arguments) == ("search_vector_db", {"query": "When?"})


async def test_save_config_writes_the_settings_in_force(app: FakeApp, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    assert await events_of(run_command(app.ready, "/save-config")) == [Notice(f"Saved the settings in {path}.")]
    assert path.exists()


async def test_offline_names_the_archives_that_answer_then(tmp_path: Path) -> None:
    write_zim(tmp_path / "towns.zim")
    app = FakeApp(ScriptedModel([]), tmp_path, search=SearchSettings(zim_files=(tmp_path,)))
    [told] = await events_of(run_command(app.ready, "/offline"))
    assert "Searches are answered by the archives on it: towns." in told.text


async def test_offline_holds_at_once_for_all_that_reaches_out(app: FakeApp) -> None:
    told = [(await events_of(run_command(app.ready, "/offline")))[0].text for _ in range(2)]
    assert [text.partition(" Saved")[0] for text in told] == [
        "Nothing leaves this machine from now on. /offline again undoes it.",
        "Magpie reaches the network again. /offline again undoes it.",
    ]
    app.chat.set("offline", True)
    assert app.chat.reach.offline

"""An article of an archive is cited by its title, its archive and the archive's month, wherever sources are shown."""

from pathlib import Path

from chatbot.conversation.events import Answered
from chatbot.conversation.messages import Message, Source
from chatbot.conversation.usage import Usage
from chatbot.frontends.oneshot import source_lines
from chatbot.frontends.telegram.messages.view import source_block
from chatbot.history.export.documents import to_html, to_markdown
from chatbot.history.sessions import Sessions
from chatbot.window.shrinking import numbered_passage
from rag.documents import Passage
from tests.chatbot.frontends.terminal.test_view import drawn

ARTICLE = Passage(
    "It is of steel.", "zim://towns/Ostermark_Bridge", "Ostermark Bridge", "web", fetched="2024-03-15T00:00:00+00:00"
)
SOURCE = Source(1, ARTICLE)
ANSWERED = Answered("Of steel [1].", (SOURCE,), (), (), Usage(1, 0, 1, 1.0, 1.0), 1.0)


def test_below_an_answer() -> None:
    expected = "[1]  Ostermark Bridge  the archive towns, of March 2024"
    assert expected in drawn([ANSWERED], width=80).splitlines()
    linked = drawn([ANSWERED], width=120, colour=True)
    assert "\x1b]8;" not in linked
    assert source_lines(ANSWERED)[2:] == [
        "[1] Ostermark Bridge - zim://towns/Ostermark_Bridge (the archive towns, of March 2024)"
    ]
    told = "".join(run.text for run in source_block(ANSWERED))
    assert told == "Sources\n[1] Ostermark Bridge, the archive towns, of March 2024"


def test_to_the_model() -> None:
    assert numbered_passage(SOURCE).splitlines()[0] == (
        "[1] Ostermark Bridge (zim://towns/Ostermark_Bridge, from the archive towns, of March 2024)"
    )


async def test_in_an_export(tmp_path: Path) -> None:
    sessions = await Sessions.open(tmp_path / "sessions.db")
    said = (Message("user", "Of what?"), Message("tool", "found", tool_name="web_search", sources=(SOURCE,)))
    await sessions.append("one", *said, Message("assistant", "Of steel [1]."))
    session = await sessions.load("one")
    await sessions.close()
    assert "zim://towns/Ostermark\\_Bridge, the archive towns, of March 2024" in to_markdown(session)
    assert "<code>zim://towns/Ostermark_Bridge, the archive towns, of March 2024</code>" in to_html(session)

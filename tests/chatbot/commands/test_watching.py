from pathlib import Path
from types import SimpleNamespace

from chatbot.commands.library.watching import rag_watch
from chatbot.conversation.events import Event, Listing, Notice
from chatbot.library.watch import Followed, quietly
from tests.fakes.watching import FollowingLibrary, following


async def told(follows: FollowingLibrary, argument: str = "", collection: str = "") -> list[Event]:
    chat = SimpleNamespace(watching=follows.watch, profile=SimpleNamespace(collection=collection))
    return [event async for event in rag_watch.run(chat, argument)]


async def test_a_folder_is_watched_listed_and_let_go(tmp_path: Path) -> None:
    folder = tmp_path / "my notes"
    folder.mkdir()
    (folder / "heron.txt").write_text("Herons wait.")
    async with following(tmp_path / "data") as follows:
        [nothing] = await told(follows)
        assert nothing == Notice("No folder is watched. Write one after the command: /rag-watch <folder>")
        [begun] = await told(follows, f'"{folder}"')
        told_begun = f"Watching {folder} for rag_documents while this chat lasts"
        assert isinstance(begun, Notice) and begun.text.startswith(told_begun)
        await follows.until_equal(folder)
        assert await told(follows) == [
            Listing(
                "Watched folders",
                ("folder", "collection", "files", "not readable", ""),
                ((str(folder), "rag_documents", "1", "0", "watched"),),
            )
        ]
        assert await told(follows, "off") == [Notice("1 folder no longer watched.")]
        assert await told(follows, "off") == [Notice("No folder is watched.")]


async def test_a_folder_is_watched_for_the_collection_that_was_chosen_when_that_began(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "heron.txt").write_text("Herons wait.")
    async with following(tmp_path / "data") as follows:
        await told(follows, str(tmp_path / "notes"), collection="birds")
        heron = str(tmp_path / "notes" / "heron.txt")

        async def is_there() -> bool:
            return await follows.library.find_document(heron, "birds") is not None

        await follows.until(is_there)
        # Another collection may follow the same folder, and what is chosen later changes nothing.
        await told(follows, str(tmp_path / "notes"))
        await follows.until_equal(tmp_path / "notes")
        (tmp_path / "notes" / "heron.txt").unlink()

        async def is_gone() -> bool:
            return not (await is_there() or await follows.library.find_document(heron))

        await follows.until(is_gone)


def test_a_chat_is_disturbed_only_by_what_could_not_be_read() -> None:
    shown: list[object] = []
    show = quietly(shown.append)
    show(Followed(Path("/notes"), ["/notes/a.md"], [], [], [], 0.1))
    assert shown == []
    failures = [(f"/notes/{name}.pdf", f"{name}.pdf is damaged.") for name in "abcde"]
    show(Followed(Path("/notes"), [], [], [], failures, 0.1))
    assert shown == [
        Notice(
            "a.pdf is damaged. b.pdf is damaged. c.pdf is damaged. And 2 others. What cannot be read is tried again"
            " later, and when it changes.",
            "warning",
        )
    ]

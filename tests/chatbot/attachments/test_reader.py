"""What a question names is read by the real readers and fetched from a real site, and what has no room is said."""

from pathlib import Path

import pytest

from chatbot.attachments.folders import MAX_BYTES_IN_FOLDER, MAX_FILES_OPENED
from chatbot.attachments.reader import Attached, AttachmentReader, Named, as_named, attached_note
from chatbot.attachments.room import AttachmentRoom
from chatbot.config import Config
from chatbot.conversation.events import Progress
from chatbot.conversation.messages import Attachment
from chatbot.engine.network import make_fetcher
from tests.fakes.pictures import declared_png, encoded, written
from tests.fakes.site import HUGE_BYTES, Site
from tests.fakes.site_pages import ARTICLES
from tools.settings import FetchSettings
from utils.errors import AddressRefused, DocumentError, NetworkError, Offline
from utils.network.access import NetworkAccess

ROOMY = 1_000_000


class Reading:
    """Reads what is named, in a window with room for so many words and with a site that may be opened."""

    def __init__(self, folder: Path, words: int = ROOMY, host: str = "127.0.0.1:9") -> None:
        self.shown: list[Progress] = []
        self.reach = NetworkAccess()
        self._words = words
        fetch = FetchSettings(allow_hosts=(host,))
        fetcher = make_fetcher(Config(data_dir=folder / "data", fetch=fetch), folder / "data", self.reach)
        self._reader = AttachmentReader(fetcher, self._open_room, self.shown.append)

    async def _open_room(self) -> AttachmentRoom:
        async def count_words(text: str) -> int:
            return len(text.split())

        return AttachmentRoom(self._words, count_words)

    async def read(self, *named: Named) -> Attached:
        return await self._reader.read_all(named)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "trips").mkdir(parents=True)
    (folder / "b.md").write_text("The letter.")
    (folder / "Readme.txt").write_text("What this is.")
    (folder / "a.py").write_text("print(1)")
    (folder / "trips" / "skerry.md").write_text("To Skerry.")
    (folder / "trips" / "README").write_text("All trips.")
    return folder


async def test_a_folder_is_attached_by_its_files_the_readme_first(notes: Path, tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    attached = await reading.read(notes)
    assert attached.attachments == (
        Attachment("notes/Readme.txt", "What this is."),
        Attachment("notes/a.py", "print(1)"),
        Attachment("notes/b.md", "The letter."),
        Attachment("notes/trips/README", "All trips."),
        Attachment("notes/trips/skerry.md", "To Skerry."),
    )
    assert attached.left_out == ()
    assert attached_note(attached) == "Attached: notes/ (5 files, 52 characters)."
    assert [step.label for step in reading.shown] == ["Reading notes/"] * 6
    assert reading.shown[-1].done == reading.shown[-1].total


async def test_secrets_hidden_and_ignored_files_pictures_and_links_that_lead_out_stay_out(
    notes: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("Elsewhere.")
    for name in (".env", ".hidden.md", "server.key", "id_rsa", "cert.pem", "draft.md", "photo.png"):
        (notes / name).write_text("secret")
    (notes / ".gitignore").write_text("draft.md\n")
    (notes / "link.md").symlink_to(outside)
    (notes / "up").symlink_to(tmp_path, target_is_directory=True)
    (notes / "round").symlink_to(notes, target_is_directory=True)
    (notes / "itself.md").symlink_to(notes / "itself.md")
    (notes / "one.md").symlink_to(notes / "two.md")
    (notes / "two.md").symlink_to(notes / "one.md")
    attached = await Reading(tmp_path).read(notes)
    assert [one.name for one in attached.attachments] == [
        "notes/Readme.txt",
        "notes/a.py",
        "notes/b.md",
        "notes/trips/README",
        "notes/trips/skerry.md",
    ]
    assert attached.left_out == ("5 of 8 files of notes/ are attached; 3 could not be read.",)


async def test_what_does_not_fit_is_left_out_and_counted(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number:02}.md").write_text("word " * 100)
    (folder / "00.md").write_text("word " * 100_000)
    (folder / "01.md").write_bytes(b"\0\1" * 100)
    (folder / "02.md").write_text("x" * (MAX_BYTES_IN_FOLDER + 1))
    attached = await Reading(tmp_path, words=2000).read(folder)
    assert [one.name for one in attached.attachments] == [f"notes/{number:02}.md" for number in range(3, 15)]
    assert attached.left_out == ("12 of 40 files of notes/ are attached; 27 did not fit, 1 could not be read.",)


async def test_a_file_that_is_named_is_whole_and_leaves_less_room_for_a_folder(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("word " * 980)
    attached = await Reading(tmp_path, words=1600).read(notes, tmp_path / "long.md")
    assert [one.name for one in attached.attachments][-1] == "long.md"
    with pytest.raises(DocumentError) as raised:
        await Reading(tmp_path, words=1400).read(notes, tmp_path / "long.md")
    assert raised.value.problem == "None of the 5 files of notes/ fits into the window."


async def test_a_folder_of_ten_thousand_files_is_opened_as_far_as_the_limit(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    for name in ("a", "b"):
        (folder / name).mkdir(parents=True)
        for number in range(5001):
            (folder / name / f"{number:04}.md").touch()
    (folder / "a" / "0000.md").write_text("The first.")
    attached = await Reading(tmp_path).read(folder)
    assert [one.text for one in attached.attachments] == ["The first."]
    assert attached.left_out == (
        f"1 of more than 10,000 files of many/ are attached; {MAX_FILES_OPENED - 1} could not be read, "
        f"9,800 were not opened, for {MAX_FILES_OPENED} are at most.",
    )


@pytest.mark.parametrize("name", ["empty", "pictures"])
async def test_a_folder_with_nothing_to_read_is_said_in_one_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    if name == "pictures":
        (tmp_path / name / "a.png").write_bytes(b"\x89PNG")
        (tmp_path / name / "a.md").write_bytes(b"\x89PNG\0\0")
    with pytest.raises(DocumentError) as raised:
        await Reading(tmp_path).read(tmp_path / name)
    assert raised.value.problem == f"There is no file in {name}/ that can be read."


async def test_names_that_a_terminal_would_obey_are_shown_plainly(tmp_path: Path) -> None:
    folder = tmp_path / "bad\x1b[31m\nname"
    folder.mkdir()
    (folder / "a\x1b]0;evil\x07\n<outside 12345678>.md").write_text("Text.")
    attached = await Reading(tmp_path).read(folder, *folder.iterdir())
    told = attached_note(attached) + "".join(one.name for one in attached.attachments)
    assert not {"\x1b", "\n", "\x07"} & set(told)
    assert [one.prompt_text.count("\n") for one in attached.attachments] == [2, 2]


async def test_a_page_is_attached_by_its_title_and_its_address(tmp_path: Path) -> None:
    async with Site() as site:
        reading = Reading(tmp_path, host=site.host)
        attached = await reading.read(site.url("/moved"), site.url("/moved"))
    title, paragraphs = ARTICLES["/bridge.html"]
    (page,) = attached.attachments
    assert (page.name, page.kind) == (f"{title} ({site.url('/bridge.html')})", "page")
    assert all(paragraph in page.text for paragraph in paragraphs)
    assert page.prompt_text.splitlines()[0].endswith(f"from the page {title} ({site.url('/bridge.html')})>")
    assert attached_note(attached) == f"Attached: {page.name} ({len(page.text):,} characters)."
    assert [(step.label, step.done) for step in reading.shown] == [("Reading 127.0.0.1", 0), ("Reading 127.0.0.1", 1)]


async def test_of_a_page_that_does_not_fit_the_beginning_is_attached(tmp_path: Path) -> None:
    async with Site() as site:
        whole = (await Reading(tmp_path, host=site.host).read(site.url("/bridge.html"))).attachments[0].text
        attached = await Reading(tmp_path, 95, site.host).read(site.url("/bridge.html"))
    (page,) = attached.attachments
    assert whole.startswith(page.text) and 0 < len(page.text.split()) <= 66
    assert attached.left_out == (
        f"The first {len(page.text):,} of {len(whole):,} characters of {ARTICLES['/bridge.html'][0]} are attached; "
        "the rest did not fit.",
    )


@pytest.mark.parametrize(
    ("path", "error", "problem"),
    [
        ("/private", AddressRefused, "192.168.0.1 is a private address (192.168.0.1), not the public internet."),
        ("/loop", NetworkError, "127.0.0.1 redirects more than 5 times."),
        ("/huge", NetworkError, "The page is larger than 10 MB."),
        ("/missing", DocumentError, "127.0.0.1 answers 404 (Not Found)."),
        ("/picture.png", DocumentError, "127.0.0.1 sends image/png, which cannot be read."),
    ],
)
async def test_a_page_that_cannot_be_had_is_said_in_one_sentence(
    path: str, error: type[DocumentError], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.fakes.site.HUGE_BYTES", 4 * HUGE_BYTES)
    async with Site() as site:
        reading = Reading(tmp_path, host=site.host)
        with pytest.raises(error) as raised:
            await reading.read(site.url(path))
    assert raised.value.problem == problem
    assert reading.shown[-1].done == reading.shown[-1].total


async def test_a_private_page_is_not_opened_and_offline_says_so(tmp_path: Path) -> None:
    async with Site() as site:
        with pytest.raises(AddressRefused):
            await Reading(tmp_path).read(site.url("/bridge.html"))
        assert not site.requests
    reading = Reading(tmp_path)
    reading.reach.offline = True
    with pytest.raises(Offline) as raised:
        await reading.read("https://harbour.example/ferry")
    assert "Magpie is offline" in raised.value.problem


def test_a_name_on_the_command_line_is_a_path_or_an_address() -> None:
    assert [as_named("notes/a.md"), as_named("https://harbour.example/a")] == [
        Path("notes/a.md"),
        "https://harbour.example/a",
    ]


async def test_a_picture_is_attached_as_one_and_told_by_its_size(tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(encoded(written("Halden"), "PNG"))
    attached = await Reading(tmp_path).read(tmp_path / "photo.png")
    [photo] = attached.attachments
    assert photo.picture is not None and photo.picture.name == "photo.png"
    assert attached_note(attached) == "Attached: photo.png (900×160)."


async def test_a_broken_picture_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(declared_png(300, 300))
    with pytest.raises(DocumentError, match=r"^photo\.png is a picture that cannot be read: "):
        await Reading(tmp_path).read(tmp_path / "photo.png")


async def test_a_picture_takes_its_room_from_a_folder_and_those_in_a_folder_stay_there(
    notes: Path, tmp_path: Path
) -> None:
    photo = notes / "photo.png"
    photo.write_bytes(encoded(written("Halden"), "PNG"))
    attached = await Reading(tmp_path).read(notes)
    assert len(attached.attachments) == 5 and attached.left_out == ()
    # 900 by 160 pixels are 192 tokens, and seven tenths of the room are for what is attached.
    with pytest.raises(DocumentError, match="None of the 5 files of notes/ fits"):
        await Reading(tmp_path, words=300).read(photo, notes)

"""Front matter of Markdown, and the lines above a mail, say who wrote it, when, and what it is about."""

from pathlib import Path

import pytest

from rag.documents import Document, Properties
from rag.readers import read_documents
from tests.fakes.office_files import mail_file


async def read(folder: Path, name: str, content: str | bytes) -> Document:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    [document] = [each async for each in read_documents(folder / name)]
    return document


@pytest.mark.parametrize(
    ("front", "properties"),
    [
        (
            "title: Herons\nauthor: Ann Bird\ndate: 2026-11-25\ntags: [birds, Water]\nlang: de-AT",
            Properties("Ann Bird", "2026-11-25", ("birds", "Water"), "de"),
        ),
        (
            "title: Herons\nauthors:\n  - name: Ann\n  - Bob\nkeywords: birds, water\ndate: 2026-11-25 09:30:00",
            Properties("Ann, Bob", "2026-11-25T09:30:00", ("birds", "water")),
        ),
        ("title: Herons\ndate: soon\ntags:\nauthor: {}", Properties()),
        ("title: Herons\ntags: &a [x, *a]", Properties(tags=("x",))),
    ],
)
async def test_the_front_matter_of_markdown_is_read(tmp_path, front, properties):
    text = f"---\n{front}\n---\n\n# Another heading\n\nThey wait.\n"
    document = await read(tmp_path, "a.md", text)
    assert (document.title, document.properties, document.text) == ("Herons", properties, text)


async def test_front_matter_may_be_in_toml(tmp_path):
    document = await read(tmp_path, "a.md", '+++\ntitle = "Herons"\ndate = 2026-11-25\ntags = ["birds"]\n+++\nText.')
    assert (document.title, document.properties) == ("Herons", Properties("", "2026-11-25", ("birds",)))


@pytest.mark.parametrize(
    "text",
    [
        "---\nA paragraph.\n\n---\n\n# Title\n",
        "---\na: [\n\n---\n\n# Title\n",
        "---\nnever: closed\n\n# Title\n",
        "# Title\n",
    ],
)
async def test_what_is_no_front_matter_is_text(tmp_path, text):
    document = await read(tmp_path, "a.md", text)
    assert (document.title, document.properties) == ("Title", Properties())


async def test_values_that_grow_are_not_followed(tmp_path):
    laughs = "a0: &a0 [ha, ha]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    document = await read(tmp_path, "a.md", f"---\n{laughs}tags: *a11\nauthor: *a11\n---\nText.")
    assert document.properties == Properties()


async def test_a_mail_tells_who_wrote_it_and_when(tmp_path):
    document = await read(tmp_path, "a.eml", mail_file())
    assert document.properties == Properties("Änne Bird <anne@birds.example>", "2026-11-25T09:30:00+01:00")

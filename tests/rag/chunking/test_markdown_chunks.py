"""How Markdown is cut: at headings, and never within what belongs together."""

import pytest

from rag.chunk_size import ChunkShape
from rag.chunking import split_text

PARAGRAPH = "The heron waits by the water, and nobody knows for how long. "
CODE = "```sh\n# no heading\n\necho heron\n" + "make nest\n\n" * 60 + "```"
TABLE = "| bird | nest |\n|------|------|\n" + "| heron | twigs |\n" * 45
LIST = "- heron\n\n  stands. Waits. Flies.\n" + "- magpie\n  - collects\n\n" * 30


def cut(text: str, size: int = 500) -> list[tuple[tuple[str, ...], str]]:
    return [(chunk.heading, chunk.text) for chunk in split_text(text, "text/markdown", ChunkShape(size, size // 5))]


def test_sections_are_cut_apart_and_know_their_headings():
    text = (
        "Before.\n\n# Birds #\nAll.\n\n## Herons\n\nWait.\n\n### Grey `heron`\nGrey.\n\n## Magpies\nAll.\n# Fish\nSwim."
    )
    assert cut(text) == [
        ((), "Before."),
        (("Birds",), "# Birds #\nAll."),
        (("Birds", "Herons"), "## Herons\n\nWait."),
        (("Birds", "Herons", "Grey `heron`"), "### Grey `heron`\nGrey."),
        (("Birds", "Magpies"), "## Magpies\nAll."),
        (("Fish",), "# Fish\nSwim."),
    ]


def test_lines_below_make_a_heading_too():
    assert cut("Birds\n=====\nAll.\n\nHerons\n---\nWait.\n\n---\nFly.") == [
        (("Birds",), "Birds\n=====\nAll."),
        (("Birds", "Herons"), "Herons\n---\nWait.\n\n---\nFly."),
    ]


def test_a_heading_without_text_goes_with_the_next_one():
    assert cut("# Birds\n\n## Herons\nWait.\n## Rest") == [
        (("Birds", "Herons"), "# Birds\n\n## Herons\nWait."),
        (("Birds", "Rest"), "## Rest"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# comment\n```",
        "~~~~\n~~~\n# comment\n~~~~",
        "```\n# never closed",
        "<!--\n# comment\n-->",
        "<pre>\n# comment\n</pre>",
        "---\ntitle: birds\n# comment\n---\nText.",
        "<!--\n# never closed",
        "- item\n\n\n\n  # comment in an item\n\n- item",
        "    # comment in code",
        "#hashtag",
        "- item\n---",
        "| a |\n---",
        "First line\nsecond line\n---",
        "\\# escaped",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text):
    assert cut(text) == [((), text.strip())]


@pytest.mark.parametrize("block", [CODE, TABLE.strip(), LIST.strip()], ids=["code", "table", "list"])
def test_a_block_stays_whole_up_to_twice_the_size(block):
    assert 500 < len(block) <= 1000
    before, after = (PARAGRAPH * 6).strip(), (PARAGRAPH * 7).strip()
    assert [text for _, text in cut(f"# Birds\n{before}\n\n{block}\n\n{after}")] == [f"# Birds\n{before}", block, after]


def test_a_block_takes_its_heading_along():
    assert cut(f"# Nests\n\nAs follows:\n\n{TABLE}") == [(("Nests",), f"# Nests\n\nAs follows:\n\n{TABLE.strip()}")]


@pytest.mark.parametrize("block", [CODE, TABLE.strip(), LIST.strip()], ids=["code", "table", "list"])
def test_a_longer_block_is_cut_at_lines(block):
    lines = set(block.splitlines())
    pieces = [text for _, text in cut(block, 200)]
    assert len(pieces) > 2
    assert all(
        len(piece) <= 200 and {line.strip() for line in piece.splitlines()} <= {x.strip() for x in lines}
        for piece in pieces
    )


def test_a_list_too_long_is_rather_cut_between_its_items():
    items = [f"- The {i}th heron\n  waits by the water. It\n  flies." for i in range(60)]
    pieces = [text for _, text in cut("\n".join(items), 300)]
    assert all(piece.startswith("- The") and piece.endswith("flies.") for piece in pieces)


def test_prose_between_blocks_is_cut_like_plain_text():
    pieces = [text for _, text in cut("# Birds\n\n" + PARAGRAPH * 40)]
    assert all(piece.endswith("long.") and len(piece) <= 500 for piece in pieces)
    assert pieces[0].startswith("# Birds\n\nThe heron") and all(piece.startswith("The heron") for piece in pieces[1:])

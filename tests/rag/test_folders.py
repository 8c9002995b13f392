import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from rag.folders import find_files
from rag.readers import read_documents
from utils.errors import DocumentError


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder, and no right of root to read everything."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        yield Path(folder)
        os.seteuid(user)


def grow(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")


def ignore(folder: Path, *patterns: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("\n".join(patterns))


async def found(root: Path, *arguments: str) -> list[str]:
    """What is found, relative to the root."""
    paths = [root / argument for argument in arguments or [""]]
    return [str(path.relative_to(root)) for path in find_files(*paths)]


async def test_a_folders_files_are_found_in_order_without_hidden_ones(tmp_path):
    grow(tmp_path, "b.md", "a/z.txt", "a/y.txt", ".git/config", "a/.hidden")
    (tmp_path / "a" / "circle").symlink_to(tmp_path)
    assert await found(tmp_path) == ["b.md", "a/y.txt", "a/z.txt"]
    assert await found(tmp_path, "b.md") == ["b.md"]


async def test_several_names_are_found_in_their_order_and_once(tmp_path):
    grow(tmp_path, "a.md", "b/c.md", "b/d.md")
    assert await found(tmp_path, "b/d.md", "b", "a.md", "none.md") == ["b/d.md", "b/c.md", "a.md", "none.md"]


async def test_a_link_to_a_file_is_a_file(tmp_path):
    grow(tmp_path, "real/a.md")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "b.md").symlink_to(tmp_path / "real" / "a.md")
    assert await found(tmp_path, "linked") == ["linked/b.md"]


async def test_what_gitignore_excludes_is_left_out_at_every_level(tmp_path):
    grow(tmp_path, "a.log", "keep.log", "build/x.md", "src/build/y.md", "src/a.md", "src/gen/z.md", "src/b.log")
    ignore(tmp_path, "*.log", "!keep.log", "/build/", "# a comment", "")
    ignore(tmp_path / "src", "gen", "!b.log")
    assert await found(tmp_path) == ["keep.log", "src/a.md", "src/b.log", "src/build/y.md"]


async def test_a_line_that_is_no_pattern_is_passed_over(tmp_path):
    grow(tmp_path, "a.log", "b.md")
    ignore(tmp_path, "b\\", "*.log")
    assert await found(tmp_path) == ["b.md"]
    assert await found(tmp_path, "*\\") == []


async def test_nothing_is_brought_back_out_of_an_excluded_folder(tmp_path):
    grow(tmp_path, "out/a.md", "b.md")
    ignore(tmp_path, "out/")
    ignore(tmp_path / "out", "!a.md")
    assert await found(tmp_path) == ["b.md"]


async def test_a_folder_of_a_repository_obeys_the_rules_above_it(tmp_path):
    grow(tmp_path, ".git/HEAD", "docs/a.md", "docs/deep/draft.md", "docs/deep/b.md")
    ignore(tmp_path, "draft.md")
    assert await found(tmp_path, "docs/deep") == ["docs/deep/b.md"]


async def test_rules_above_a_repository_do_not_reach_into_it(tmp_path):
    grow(tmp_path, ".git/HEAD", "inner/.git/HEAD", "inner/a.md")
    ignore(tmp_path, "*.md")
    assert await found(tmp_path, "inner") == ["inner/a.md"]


async def test_what_is_named_is_read_though_it_is_ignored_or_hidden(tmp_path):
    grow(tmp_path, ".git/HEAD", "data/a.md", ".notes/b.md", "c.log")
    ignore(tmp_path, "data/", "*.log")
    assert await found(tmp_path, "data", ".notes", "c.log") == ["data/a.md", ".notes/b.md", "c.log"]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("notes/**/*.md", ["notes/a.md", "notes/deep/b.md", "notes/deep/er/c.md"]),
        ("notes/*.md", ["notes/a.md"]),
        ("no*s/deep", ["notes/deep/b.md", "notes/deep/x.txt", "notes/deep/er/c.md"]),
        ("notes/[ab].md", ["notes/a.md"]),
        ("notes/?.md", ["notes/a.md"]),
        ("**/*.txt", ["notes/deep/x.txt"]),
        ("none/*.md", []),
        ("notes/*.pdf", []),
    ],
)
async def test_a_pattern_names_files(tmp_path, pattern, names):
    grow(tmp_path, "notes/a.md", "notes/deep/b.md", "notes/deep/x.txt", "notes/deep/er/c.md", "notes/.git/d.md")
    grow(tmp_path, "notes/ignored/e.md")
    ignore(tmp_path / "notes", "ignored")
    assert await found(tmp_path, pattern) == names


async def test_a_file_whose_name_looks_like_a_pattern_is_itself(tmp_path):
    grow(tmp_path, "a[1].md", "a1.md")
    assert await found(tmp_path, "a[1].md") == ["a[1].md"]


async def test_of_a_beir_folder_only_the_corpus_is_found(tmp_path):
    grow(tmp_path, ".git/HEAD", "sets/birds/corpus.jsonl", "sets/birds/queries.jsonl", "sets/birds/qrels/test.tsv")
    grow(tmp_path, "sets/other/corpus.jsonl", "sets/a.md")
    ignore(tmp_path, "corpus.jsonl")
    assert await found(tmp_path, "sets") == ["sets/a.md", "sets/birds/corpus.jsonl"]
    assert await found(tmp_path, "sets/birds") == ["sets/birds/corpus.jsonl"]
    assert await found(tmp_path, "sets/b*/*") == ["sets/birds/corpus.jsonl"]


async def test_a_folder_that_may_not_be_listed_is_in_the_list_and_says_why(unprivileged):
    shut = unprivileged / "shut"
    shut.mkdir(mode=0)
    assert find_files(unprivileged) == [shut]
    assert find_files(shut / "inner") == [shut / "inner"]
    with pytest.raises(DocumentError, match="may not be read: permission denied"):
        [document async for document in read_documents(shut)]
    shut.chmod(0o700)


async def test_a_link_to_itself_is_named_and_the_rest_of_its_folder_is_read(tmp_path):
    grow(tmp_path, "a.md", "inner/b.md")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "inner" / "there").symlink_to("back")
    (tmp_path / "inner" / "back").symlink_to("there")
    assert await found(tmp_path) == ["a.md", "circle", "inner/b.md", "inner/back", "inner/there"]
    with pytest.raises(DocumentError) as caught:
        [document async for document in read_documents(tmp_path / "circle")]
    assert str(caught.value) == (
        f"{tmp_path}/circle is a link that leads back to itself. Remove it, or let it lead to a file."
    )

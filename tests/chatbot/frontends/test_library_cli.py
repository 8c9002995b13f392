import argparse
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from chatbot.cli import main, parse_arguments, settings_from_options
from chatbot.config import CHECKOUT, Config, load_configuration
from chatbot.engine.engine import Engine
from chatbot.frontends.library_cli.arguments import named_collections
from chatbot.frontends.library_cli.commands import require_collections, require_library, run, work_of
from chatbot.frontends.library_cli.job import Job
from chatbot.frontends.library_cli.progress import ProgressLine
from chatbot.frontends.library_cli.search import read_queries
from chatbot.library.read_ahead import GROUP_DOCUMENTS
from rag.library import Library
from tests.fakes.embedder import WordEmbedder
from utils.errors import ConfigError, EmbedderUnavailable, LibraryError

BIRDS = [
    {"_id": "b1", "title": "Magpies", "text": "Magpies build domed nests of twigs."},
    {"_id": "b2", "title": "Herons", "text": "Herons wait for fish in shallow water."},
    {"_id": "b3", "title": "Taxes", "text": "The tax office sends letters in spring."},
]
QUESTIONS = [{"_id": "q1", "text": "who builds domed nests?"}, {"_id": "q2", "text": "who waits for fish?"}]


def write_lines(path: Path, records: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "beir"
    folder.mkdir()
    write_lines(folder / "corpus.jsonl", BIRDS)
    write_lines(folder / "queries.jsonl", QUESTIONS)
    return folder


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "magpie.md").write_text("# Magpies\n\n## Nests\n\nMagpies build domed nests of twigs.")
    (folder / "heron.txt").write_text("Herons wait for fish.")
    return folder


class Silent(WordEmbedder):
    """An embedder whose model cannot be loaded."""

    async def embed(self, texts):
        raise EmbedderUnavailable("There is no model.")


async def rag(
    tmp_path: Path, *argv: str, embedder: Any = None, aside: io.StringIO | None = None
) -> tuple[int, str, str]:
    """A command with a small embedder: exit code, standard output, standard error."""
    arguments = parse_arguments(["rag", *argv])[1]
    decided = settings_from_options(arguments) | {"data_dir": str(tmp_path / "data")}
    config = load_configuration(options=decided, environment={"MAGPIE_CONFIG": ""}).values
    library = await Library.open(config.library_folder, config.rag, embedder or WordEmbedder())
    out, aside = io.StringIO(), aside or io.StringIO()
    try:
        if arguments.command != "ingest":
            await require_collections(library, named_collections(arguments))
        code = await work_of(arguments.command)(Job(library, config, arguments, out, aside, ProgressLine(aside)))
    finally:
        await library.close()
    return code, re.sub(r"\d+\.\d s", "… s", out.getvalue()), aside.getvalue()


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


async def test_files_go_in_and_what_it_came_to_is_told(tmp_path, notes):
    assert await rag(tmp_path, "ingest", str(notes)) == (0, "Indexed 2 files, 2 documents, 2 chunks (… s).\n", "")
    code, out, _ = await rag(tmp_path, "ingest", str(notes / "*.txt"))
    assert (code, out) == (0, "Indexed 1 file, 0 documents, 0 chunks, 1 unchanged (… s).\n")


async def test_records_that_have_gone_from_their_file_go_from_the_library_and_no_others(tmp_path, beir):
    other = write_lines(tmp_path / "more.jsonl", [{"text": "Terns dive."}, {"text": "Gulls cry."}])
    await rag(tmp_path, "ingest", str(beir), str(other))
    write_lines(beir / "corpus.jsonl", [BIRDS[0]])
    _, out, _ = await rag(tmp_path, "ingest", str(beir))
    assert out == "Indexed 1 file, 0 documents, 0 chunks, 1 unchanged, 2 no longer there (… s).\n"
    other.write_text('{"text": "Terns dive."}')
    _, out, _ = await rag(tmp_path, "ingest", str(other))
    assert out == "Indexed 1 file, 0 documents, 0 chunks, 1 unchanged, 1 no longer there (… s).\n"
    _, out, _ = await rag(tmp_path, "search", "--json", "--mode", "bm25", "magpies herons taxes terns gulls")
    assert sorted(found["source"] for found in objects(out)) == [f"{other}#1", "b1"]


async def test_a_file_of_records_that_was_not_read_to_its_end_takes_nothing_away(tmp_path, beir):
    await rag(tmp_path, "ingest", str(beir))
    (beir / "corpus.jsonl").write_text(json.dumps(BIRDS[0]) + "\nno record\n")
    code, out, _ = await rag(tmp_path, "ingest", str(beir))
    assert (code, out) == (1, "Indexed 1 file, 0 documents, 0 chunks, 1 unchanged, 1 failed (… s).\n")
    _, out, _ = await rag(tmp_path, "search", "--json", "--mode", "bm25", "magpies herons taxes")
    assert sorted(found["source"] for found in objects(out)) == ["b1", "b2", "b3"]


@pytest.mark.parametrize("name", ["", "corpus.jsonl"])
async def test_a_collection_is_removed_by_the_folder_or_file_that_its_records_came_from(tmp_path, beir, notes, name):
    await rag(tmp_path, "ingest", str(beir), str(notes))
    assert (await rag(tmp_path, "remove", str(beir / name)))[:2] == (0, "Removed 3 documents.\n")


async def test_what_failed_is_listed_at_the_end_and_the_exit_code_says_so(tmp_path, notes):
    (notes / "empty.txt").write_text("")
    code, out, aside = await rag(tmp_path, "ingest", str(notes), "/no/such.txt")
    assert (code, out) == (1, "Indexed 2 files, 2 documents, 2 chunks, 2 failed (… s).\n")
    assert aside.startswith(
        f"Not indexed:\n  {notes}/empty.txt\n    empty.txt is empty.\n  /no/such.txt\n    /no/such.txt does"
    )


class Stumbling(WordEmbedder):
    """An embedder that one text is too much for."""

    async def embed_pieces(self, texts):
        if any("Gulls" in text for text in texts):
            raise KeyError("gulls")
        return await super().embed_pieces(texts)


async def test_a_failure_that_nobody_foresaw_does_not_keep_later_files_out(tmp_path, notes, caplog):
    (notes / "a.md").write_text("# Gulls")
    (notes / "b.html").write_text("<p>Open from nine&#11; in the morning</p>")
    code, out, aside = await rag(tmp_path, "ingest", str(notes), embedder=Stumbling())
    assert (code, out) == (1, "Indexed 3 files, 3 documents, 3 chunks, 1 failed (… s).\n")
    assert "Indexing it failed: a bug of Magpie's own (KeyError)." in " ".join(aside.split())
    [fault] = [record for record in caplog.records if record.name == "magpie.faults"]
    assert fault.exc_info


async def test_the_first_failure_stops_where_that_is_wanted(tmp_path, notes):
    code, out, _ = await rag(tmp_path, "ingest", "--fail-fast", "--json", "/no/such.txt", str(notes))
    [told] = objects(out)
    assert (code, told["files"], told["failed"], told["interrupted"]) == (1, 0, 1, False)
    assert told["failures"][0]["file"] == "/no/such.txt" and "does not exist" in told["failures"][0]["reason"]


async def test_text_that_the_embedding_model_cannot_read_is_pointed_out(tmp_path):
    file = tmp_path / "elster.txt"
    file.write_text("Die Vögel bauen ihr Nest aus Zweigen in hohen Bäumen. " * 30)
    code, out, aside = await rag(tmp_path, "ingest", str(file), embedder=WordEmbedder(foreign="Vögel"))
    assert (code, out) == (0, "Indexed 1 file, 1 document, 4 chunks (… s).\n")
    assert " ".join(aside.split()).startswith("Most of this text is not in English, and words does not know its")
    _, out, aside = await rag(tmp_path, "ingest", "--json", str(file), embedder=WordEmbedder(foreign="Vögel"))
    assert (objects(out)[0]["warnings"], aside) == ([], "")


async def test_a_folder_without_files_is_said(tmp_path):
    (tmp_path / "none").mkdir()
    folder = str(tmp_path / "none")
    assert await rag(tmp_path, "ingest", folder) == (1, "", f"There are no files in {folder}.\n")


async def test_verbose_tells_where_the_chunks_of_a_file_begin(tmp_path, notes):
    _, out, _ = await rag(tmp_path, "ingest", "--verbose", str(notes / "magpie.md"))
    assert out.splitlines()[:2] == [
        f"{notes}/magpie.md: 1 document, 1 chunk",
        "       0  # Magpies ## Nests Magpies build domed nests of…",
    ]


async def test_verify_searches_for_what_was_indexed_first(tmp_path, notes):
    _, out, _ = await rag(tmp_path, "ingest", "--verify", str(notes))
    first, best, *_ = out.splitlines()
    assert first == f"The first chunk of {notes}/heron.txt finds:"
    assert best.split()[1:] == ["heron.txt,", f"{notes}/heron.txt"] and float(best.split()[0]) > 0.8


async def test_a_least_similarity_is_refused_where_nothing_is_known_of_it(tmp_path, notes):
    await rag(tmp_path, "ingest", str(notes))
    with pytest.raises(ConfigError, match="--min-similarity says nothing in a search by words"):
        await rag(tmp_path, "search", "nests", "--mode", "bm25", "--min-similarity", "0.3")


async def test_the_shape_of_chunks_is_kept_with_the_collection(tmp_path, notes):
    await rag(tmp_path, "ingest", str(notes), "--chunk-size", "100", "--collection", "short")
    _, out, _ = await rag(tmp_path, "collections", "--json")
    assert objects(out) == [
        {
            "name": "short",
            "documents": 2,
            "chunks": 2,
            "chunk_size": 100,
            "chunk_overlap": 20,
            "chunk_unit": "characters",
            "chunk_tokenizer": "",
        }
    ]
    with pytest.raises(
        ConfigError, match="--chunk-overlap cannot be 100: it must be less than chunk_size, which is 100"
    ):
        await rag(tmp_path, "ingest", str(notes), "--chunk-overlap", "100", "--collection", "short")


async def test_another_unit_of_chunks_is_told_with_what_is_cut_anew_and_kept(tmp_path, notes):
    await rag(tmp_path, "ingest", str(notes))
    _, _, said = await rag(tmp_path, "ingest", "--chunk-unit", "tokens", "--chunk-size", "100")
    assert said.splitlines()[-1] == (
        "rag_documents was cut at 500/100 characters and is cut at 100/20 tokens of words from now on: 2 documents"
        " (2 chunks) are cut anew."
    )
    _, _, said = await rag(tmp_path, "ingest", "--chunk-unit", "tokens", str(notes))
    assert "cut" not in said
    await rag(tmp_path, "doctor", "--set", "rag.chunk_unit=characters")
    _, out, _ = await rag(tmp_path, "collections")
    assert "100/20 tokens of words" in out


async def test_passages_are_shown_with_rank_similarity_and_where_they_are_from(tmp_path, notes, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.chdir(notes)
    await rag(tmp_path, "ingest", str(notes))
    code, out, _ = await rag(tmp_path, "search", "domed", "nests", "of", "twigs")
    assert (code, re.sub(r"0\.\d\d", "0.00", out)) == (
        0,
        " 1   0.00 Magpies > Nests\n          magpie.md\n          # Magpies ## Nests Magpies build domed nests of\n"
        "          twigs.\n",
    )


async def test_results_are_objects_for_programs(tmp_path, notes):
    await rag(tmp_path, "ingest", str(notes))
    _, out, _ = await rag(
        tmp_path, "query", "--json", "--limit", "1", "--search-mode", "vector", "domed nests of twigs"
    )
    [found] = objects(out)
    assert found | {"score": 0, "similarity": 0} == {
        "source": str(notes / "magpie.md"),
        "score": 0,
        "text": "# Magpies\n\n## Nests\n\nMagpies build domed nests of twigs.",
        "title": "Magpies",
        "similarity": 0,
        "heading": ["Magpies", "Nests"],
        "chunk_index": 0,
        "collection": "rag_documents",
        "start": 0,
        "end": 56,
    }


async def test_finding_nothing_is_no_failure(tmp_path, notes):
    await rag(tmp_path, "ingest", str(notes))
    assert await rag(tmp_path, "search", "quantum") == (0, "Nothing relevant found.\n", "")
    assert await rag(tmp_path, "search", "quantum", "--json") == (0, "", "")


async def test_a_search_by_words_needs_no_embedder(tmp_path, notes):
    await rag(tmp_path, "ingest", str(notes))
    code, out, _ = await rag(tmp_path, "search", "--mode", "bm25", "domed nests", embedder=Silent())
    assert code == 0 and "Magpies > Nests" in out
    _, out, _ = await rag(tmp_path, "search", "--json", "--mode", "bm25", "domed nests", embedder=Silent())
    assert [found["similarity"] for found in objects(out)] == [None]
    with pytest.raises(EmbedderUnavailable):
        await rag(tmp_path, "search", "domed nests", embedder=Silent())


async def test_several_collections_are_searched_together(tmp_path, notes):
    await rag(tmp_path, "ingest", str(notes / "magpie.md"), "--collection", "pies")
    await rag(tmp_path, "ingest", str(notes / "heron.txt"), "--collection", "waders")
    both = ["--collection", "pies", "--collection", "waders"]
    _, out, _ = await rag(tmp_path, "search", "--json", "--mode", "bm25", *both, "nests fish")
    assert {found["collection"] for found in objects(out)} == {"pies", "waders"}
    with pytest.raises(LibraryError, match=r"There is no collection gulls. There are: pies, waders."):
        await rag(tmp_path, "search", "--collection", "gulls", "x")


async def test_a_source_can_be_named_from_the_working_folder(tmp_path, notes, monkeypatch):
    await rag(tmp_path, "ingest", str(notes))
    monkeypatch.chdir(notes)
    _, out, _ = await rag(tmp_path, "search", "--json", "--mode", "bm25", "--source", "./heron.txt", "nests fish")
    assert [found["title"] for found in objects(out)] == ["heron.txt"]


async def test_a_file_of_questions_is_answered_with_whole_rankings(tmp_path, beir):
    await rag(tmp_path, "ingest", str(beir))
    _, out, _ = await rag(tmp_path, "search", "--json", "--queries", str(beir / "queries.jsonl"), "--limit", "100")
    found = objects(out)
    assert [answer["query_id"] for answer in found] == ["q1", "q2"]
    assert [answer["results"][0]["source"] for answer in found] == ["b1", "b2"]
    assert [sorted(r["source"] for r in answer["results"]) for answer in found] == [["b1", "b2", "b3"]] * 2
    for answer in found:
        scores = [result["score"] for result in answer["results"]]
        assert scores == sorted(scores, reverse=True)


def test_a_question_that_is_none_is_named_by_its_line(tmp_path):
    path = tmp_path / "queries.jsonl"
    path.write_text('{"_id": 1, "text": "a\\u2028b"}\n\n{"text": "no id"}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"Line 3 of .*queries.jsonl is no question"):
        read_queries(path)


@pytest.mark.parametrize("argv", [["search"], ["search", "--queries", "q.jsonl", "word"], ["search", " "]])
async def test_a_search_has_one_question_or_one_file_of_them(tmp_path, argv):
    with pytest.raises(ConfigError, match="one question or one file"):
        await rag(tmp_path, *argv)


async def test_documents_and_collections_are_removed(tmp_path, notes, monkeypatch):
    await rag(tmp_path, "ingest", str(notes))
    monkeypatch.chdir(notes)
    assert (await rag(tmp_path, "remove", "heron.txt"))[1] == "Removed 1 document.\n"
    with pytest.raises(LibraryError, match=r"Nothing in the library is called heron.txt"):
        await rag(tmp_path, "remove", "heron.txt")
    with pytest.raises(ConfigError, match="--collection"):
        await rag(tmp_path, "remove", "--all")
    assert (await rag(tmp_path, "remove", "--all", "--collection", "rag_documents"))[1] == (
        "Removed the collection rag_documents with 1 document.\n"
    )
    assert (await rag(tmp_path, "collections"))[1] == "There are no collections yet.\n"


async def test_a_name_of_several_documents_lists_them_and_removes_none(tmp_path, notes, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    (notes / "old").mkdir()
    (notes / "old" / "heron.txt").write_text("Herons were here before.")
    await rag(tmp_path, "ingest", str(notes))
    monkeypatch.chdir(notes)
    code, out, aside = await rag(tmp_path, "remove", "heron.txt")
    assert (code, out) == (1, "")
    assert aside.startswith("2 documents are called 'heron.txt'. Nothing was removed.")
    assert "\n        old/heron.txt (rag_documents)\n" in aside
    code, out, _ = await rag(tmp_path, "remove", "heron.txt", "--json")
    [told] = objects(out)
    assert (code, told["removed"], [one["title"] for one in told["candidates"]]) == (1, 0, ["heron.txt"] * 2)
    assert await rag(tmp_path, "remove", "./heron.txt") == (0, "Removed 1 document.\n", "")
    assert await rag(tmp_path, "remove", "heron.txt", "--json") == (0, '{"removed": 1}\n', "")


async def test_a_number_of_another_collection_is_not_removed_from_the_one_that_is_named(tmp_path, notes):
    await rag(tmp_path, "ingest", str(notes / "magpie.md"), "--collection", "pies")
    await rag(tmp_path, "ingest", str(notes / "heron.txt"), "--collection", "waders")
    for name in ("1", "Magpies"):
        with pytest.raises(LibraryError, match=f"Nothing in the library is called {name}"):
            await rag(tmp_path, "remove", name, "--collection", "waders")
    assert (await rag(tmp_path, "remove", "1"))[:2] == (0, "Removed 1 document.\n")


async def test_what_is_there_is_told(tmp_path, notes):
    await rag(tmp_path, "ingest", str(notes))
    _, out, _ = await rag(tmp_path, "stats")
    assert out.splitlines()[:4] == [
        "collection       rag_documents",
        "documents        2",
        "chunks           2",
        "files            2 documents, 2 chunks",
    ]
    assert "vector index     exact search, opened when it is needed" in out.splitlines()
    [told] = objects((await rag(tmp_path, "stats", "--json"))[1])
    assert told["vector_index"] == "exact"
    assert told["documents"] == 2 and told["origins"] == {"file": {"documents": 2, "chunks": 2}}
    assert (await rag(tmp_path, "rebuild"))[1] == "Made the indexes anew: 2 chunks (… s).\n"
    assert (await rag(tmp_path, "collections"))[1].splitlines()[1] == (
        "rag_documents  2          2       500/100 characters"
    )


async def test_the_doctor_mends_an_index_that_is_damaged(tmp_path, notes):
    await rag(tmp_path, "ingest", str(notes))
    assert (await rag(tmp_path, "rebuild"))[0] == 0
    assert (await rag(tmp_path, "doctor"))[1] == "The library is sound: 2 documents, 2 chunks.\n"
    [manifest] = tmp_path.rglob("keywords/*/magpie.json")
    manifest.write_text("{")
    code, told, _ = await rag(tmp_path, "doctor")
    assert (code, told.splitlines()[-1]) == (0, "The library is sound: 2 documents, 2 chunks.")
    assert told.startswith("Mended: The keyword index")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Interrupted(WordEmbedder):
    """An embedder that takes so long that Ctrl-C is pressed."""

    async def embed_pieces(self, texts):
        if not self.texts:
            os.kill(os.getpid(), signal.SIGINT)
        return await super().embed_pieces(texts)


async def test_ctrl_c_stops_after_the_documents_under_way_and_keeps_them(tmp_path, notes):
    for number in range(2 * GROUP_DOCUMENTS):
        (notes / f"gull{number:03}.txt").write_text(f"Gull {number} cries.")
    code, out, aside = await rag(tmp_path, "ingest", str(notes), aside=Terminal(), embedder=Interrupted())
    told = re.fullmatch(r"Stopped. Indexed (\d+) files?, \1 documents?, \1 chunks? \(… s\)\.\n", out)
    assert told and 0 < int(told[1]) <= GROUP_DOCUMENTS and code == 130
    assert "\nStopping after these documents; Ctrl-C again stops at once.\n" in aside
    assert (await rag(tmp_path, "stats"))[1].splitlines()[1] == f"documents        {told[1]}"


def test_a_folder_without_a_library_is_said(tmp_path):
    config = load_configuration(options={"rag.folder": str(tmp_path)}, environment={"MAGPIE_CONFIG": ""}).values
    with pytest.raises(LibraryError, match="magpie rag ingest"):
        require_library(config)


def test_a_library_of_its_own_is_all_in_its_folder(tmp_path):
    arguments = parse_arguments(
        ["rag", "stats", "--index-path", str(tmp_path / "own"), "--set", "rag.chroma_db_path=/elsewhere"]
    )[1]
    config = load_configuration(options=settings_from_options(arguments), environment={"MAGPIE_CONFIG": ""}).values
    assert (config.library_folder, config.rag.chroma_db_path) == (tmp_path / "own", None)


def test_a_search_names_its_reranker():
    assert (
        settings_from_options(parse_arguments(["rag", "search", "nests", "--reranker", "model"])[1])["rag.reranker"]
        == "model"
    )
    assert settings_from_options(parse_arguments(["rag", "search", "nests", "--reranker", ""])[1])["rag.reranker"] == ""
    assert "rag.reranker" not in settings_from_options(parse_arguments(["rag", "search", "nests"])[1])


@pytest.mark.parametrize("reranker", ["model", "{tmp}/none"])
async def test_a_reranker_that_is_not_there_is_told_once_and_the_fused_order_stays(tmp_path, beir, reranker, capsys):
    await rag(tmp_path, "ingest", str(beir))
    both = {"text": "do magpies or herons build nests and fish?"}
    questions = write_lines(tmp_path / "both.jsonl", [both | {"_id": "1"}, both | {"_id": "2"}])
    said = []
    for name in ("", reranker.format(tmp=tmp_path)):
        search = parse_arguments(["rag", "search", "--mode", "bm25", "--queries", str(questions), "--reranker", name])[
            1
        ]
        decided = settings_from_options(search) | {"data_dir": str(tmp_path / "data"), "ollama.host": "127.0.0.1:9"}
        assert await run(Engine(load_configuration(options=decided, environment={"MAGPIE_CONFIG": ""})), search) == 0
        said.append(capsys.readouterr())
    assert [len(found["results"]) for found in objects(said[0].out)] == [2, 2]
    assert said[1].out == said[0].out
    # That what embedded the library here is not what is set is said by both.
    again, *others = said[0].err.splitlines()
    assert "embedded anew" in again and others == []
    [failed] = [line for line in said[1].err.splitlines() if line != again]
    assert "Results are not reranked." in failed


def test_a_question_about_rag_is_still_a_question():
    assert parse_arguments(["rag", "is", "a", "genre"])[1].question == ["rag", "is", "a", "genre"]
    assert "command" not in parse_arguments(["rag searches"])[1]


def test_without_a_command_the_help_is_printed(capsys):
    with pytest.raises(SystemExit) as left:
        main(["rag"])
    assert left.value.code == 0
    assert "ingest" in capsys.readouterr().out


def test_progress_is_a_line_on_a_terminal_and_nothing_elsewhere():
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        line = ProgressLine(stream)
        line.show("one\nfile")
        line.show("at once again")
        line.clear()
    assert (terminal.getvalue(), pipe.getvalue()) == ("\r\x1b[Kone file\r\x1b[K", "")


def test_what_is_said_meanwhile_takes_the_place_of_the_progress():
    terminal, out = Terminal(), io.StringIO()
    job = Job(cast(Library, None), Config(), argparse.Namespace(), out, terminal, ProgressLine(terminal))
    job.line.show("7 chunks")
    job.print_aside("10.0.0.1 is a private address.")
    job.print_text("Done.")
    assert (terminal.getvalue(), out.getvalue()) == (
        "\r\x1b[K7 chunks\r\x1b[K10.0.0.1 is a private address.\n",
        "Done.\n",
    )


def magpie(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    folders = {name: str(home) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    environment = folders | {"PATH": os.environ["PATH"]}
    command = [sys.executable, str(CHECKOUT / "main.py"), "rag", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=150)


def test_a_collection_is_indexed_and_measured_with_the_real_model(tmp_path, beir):
    where = ["--index-path", str(tmp_path / "own")]
    missing = magpie(tmp_path, "search", *where, "nests")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr == (f"There is no library in {tmp_path}/own. Begin one: magpie rag ingest FILE_OR_FOLDER\n")
    process = magpie(tmp_path, "ingest", *where, str(beir))
    assert (process.returncode, process.stderr) == (0, "Preparing the fast embedder, once.\n")
    process = magpie(tmp_path, "search", *where, "--json", "--queries", str(beir / "queries.jsonl"), "--limit", "100")
    assert (process.returncode, process.stderr) == (0, "")
    assert [(a["query_id"], a["results"][0]["source"], len(a["results"])) for a in objects(process.stdout)] == [
        ("q1", "b1", 3),
        ("q2", "b2", 3),
    ]


def test_a_question_to_the_library_names_its_model_and_backend():
    asked = parse_arguments(["rag", "ask", "-m", "qwen3:8b", "-b", "embedded", "What builds nests?"])[1]
    assert settings_from_options(asked) == {"model": "qwen3:8b", "backend": "embedded"}
    assert settings_from_options(parse_arguments(["rag", "ingest", "--verbose", "notes"])[1]) == {"verbose": True}

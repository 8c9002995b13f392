"""`magpie rag ingest ADDRESS --depth N`, as it is typed and as it answers."""

import io
import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.cli import parse_arguments, settings_from_options
from chatbot.config import load_configuration
from chatbot.frontends.library_cli.ingest import ingest
from chatbot.frontends.library_cli.job import Job
from chatbot.frontends.library_cli.progress import ProgressLine
from rag.library import Library
from tests.fakes.embedder import WordEmbedder
from tests.fakes.large_site import LargeSite
from utils.errors import ConfigError, LibraryError


@pytest.fixture
def site() -> Iterator[LargeSite]:
    with LargeSite(4, astray=False) as site:
        yield site


async def run_ingest(folder: Path, site: LargeSite, *argv: str, private: bool = False) -> tuple[int, str, str]:
    """The command: exit code, standard output without its times, standard error."""
    arguments = parse_arguments(["rag", "ingest", *argv])[1]
    decided = {"data_dir": str(folder), "fetch.allow_hosts": [site.host], "crawl.delay": 0, "private": private}
    config = load_configuration(
        options=settings_from_options(arguments) | decided, environment={"MAGPIE_CONFIG": ""}
    ).values
    library = await Library.open(config.library_folder, config.library, WordEmbedder())
    out, aside = io.StringIO(), io.StringIO()
    try:
        code = await ingest(Job(library, config, arguments, out, aside, ProgressLine(aside)))
    finally:
        await library.close()
    return code, re.sub(r"\(\d+\.\d s, \d+\.\d requests/s\)", "(…)", out.getvalue()), aside.getvalue()


async def test_a_site_goes_in_and_what_was_left_out_is_told_by_its_number(tmp_path: Path, site: LargeSite) -> None:
    code, out, _ = await run_ingest(tmp_path, site, site.start, "--depth", "3")
    pages = len(site.paths)
    assert (code, out.splitlines()[0]) == (0, f"Took in {pages} pages, {pages} chunks (…).")
    assert "Left out: 1 not below the start, 2 on other sites" in out
    site.gone.add("/docs/a/b.html")
    code, out, aside = await run_ingest(tmp_path, site, site.start, "--depth", "3")
    assert (code, out.splitlines()[0]) == (0, f"Took in 0 pages, 0 chunks, {pages - 1} unchanged, 1 gone (…).")
    assert f"No longer on the site:\n  {site.url('/docs/a/b.html')}" in aside


async def test_what_failed_is_listed_and_the_exit_code_says_so(tmp_path: Path, site: LargeSite) -> None:
    site.extra["/docs/a/b.html"] = lambda handler, query: handler.send("no", status=403)
    code, out, aside = await run_ingest(tmp_path, site, site.start, "--depth", "3")
    assert code == 1 and "1 failed" in out
    assert f"Failed:\n  {site.url('/docs/a/b.html')}\n    127.0.0.1 answers 403." in aside


async def test_limits_that_were_reached_are_told(tmp_path: Path, site: LargeSite) -> None:
    _, out, _ = await run_ingest(tmp_path, site, site.start, "--depth", "1", "--pages", "2")
    assert re.search(r"Not asked for: \d+ past the limit of 2 pages, \d+ more than 1\s+link away\.", out)


async def test_json_and_verbose_tell_all_of_it(tmp_path: Path, site: LargeSite) -> None:
    _, out, _ = await run_ingest(tmp_path / "a", site, site.start, "--depth", "2", "--json")
    told = json.loads(out)
    assert (told["site"], told["ending"], told["interrupted"]) == (site.start, "done", False)
    assert told["pages"] == told["outcomes"]["taken"] > 5
    _, out, _ = await run_ingest(tmp_path / "b", site, site.start, "--depth", "2", "--verbose")
    assert f"taken      {site.start}" in out


async def test_a_start_that_leads_to_another_site_says_where(tmp_path: Path, site: LargeSite) -> None:
    site.extra["/docs/"] = lambda handler, query: handler.redirect("https://elsewhere.example/docs/")
    site.robots = (404, "")
    code, _, aside = await run_ingest(tmp_path, site, site.start, "--depth", "2")
    assert code == 1
    assert "redirects to https://elsewhere.example/docs/: name the address" in " ".join(aside.split())


async def test_a_crawl_that_was_broken_off_says_that_it_goes_on(tmp_path: Path, site: LargeSite) -> None:
    broken = site.known - {"/docs/", "/docs/a/"}
    site.extra = {path: lambda handler, query: handler.send("oops", status=500) for path in broken}
    code, out, aside = await run_ingest(tmp_path, site, site.start, "--depth", "3")
    assert code == 1 and out.startswith("Stopped. Took in")
    assert "failed 8 times in a row" in aside and "the same command goes on there" in " ".join(aside.split())
    site.extra = {}
    code, _, aside = await run_ingest(tmp_path, site, site.start, "--depth", "3")
    assert code == 0 and "Going on where the last run was broken off." in aside


async def test_after_ctrl_c_what_is_there_stays_and_the_same_command_goes_on(tmp_path: Path, site: LargeSite) -> None:
    site.on_request = lambda path: os.kill(os.getpid(), signal.SIGINT) if path == "/docs/a/a.html" else None
    code, out, aside = await run_ingest(tmp_path, site, site.start, "--depth", "3")
    assert code == 130 and out.startswith("Stopped. Took in")
    assert "Stopping after this page" in aside and "the same command goes on there" in " ".join(aside.split())
    site.on_request = lambda path: None
    code, out, _ = await run_ingest(tmp_path, site, site.start, "--depth", "3")
    assert code == 0 and site.asked["/docs/odd.html"] == 1


async def test_what_is_no_site_is_told(tmp_path: Path, site: LargeSite) -> None:
    with pytest.raises(ConfigError, match="--depth is for the addresses of web sites, and notes is none"):
        await run_ingest(tmp_path, site, "notes", "--depth", "1")


async def test_a_site_that_cannot_be_reached_is_told_and_the_next_one_is_taken_in(
    tmp_path: Path, site: LargeSite
) -> None:
    wrong = ("http://127.0.0.1:9/", "http://no-such-host.invalid/")
    code, out, aside = await run_ingest(tmp_path, site, *wrong, site.start, "--depth", "1")
    assert code == 1 and out.startswith("Took in 7 pages")
    assert "private address" in aside and "cannot be found" in aside


async def test_a_first_page_that_is_left_out_is_told(tmp_path: Path, site: LargeSite) -> None:
    code, _, aside = await run_ingest(tmp_path, site, site.url("/docs/none.html"), "--depth", "0")
    assert code == 1 and "The first page was left out:" in aside and "(not there)" in aside


async def test_a_private_run_takes_in_nothing(tmp_path: Path, site: LargeSite) -> None:
    with pytest.raises(LibraryError, match="Nothing can be added"):
        await run_ingest(tmp_path, site, site.start, "--depth", "1", private=True)
    assert not site.asked


@pytest.mark.parametrize(
    "argv", [["--pages", "3"], ["--whole-site"], ["--depth", "-1"], ["--depth", "1", "--verify"], ["--pages", "0"]]
)
def test_options_that_do_not_go_together_are_told(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_arguments(["rag", "ingest", "https://s.example/", *argv])
    assert "error:" in capsys.readouterr().err

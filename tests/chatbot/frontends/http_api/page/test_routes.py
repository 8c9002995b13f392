"""The page's files as they are sent: small, from here alone, with headers that let nothing else in."""

import re
from pathlib import Path

import pytest

from chatbot.frontends.http_api.page.routes import PAGE_PATHS, STATIC_FOLDER
from tests.fakes.api_server import configured, running_api

MOST_BYTES = 150_000
SCRIPTS = sorted(STATIC_FOLDER.glob("*.js"))
HTML_SINKS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc|setHTML"
    r"|createContextual"
)


async def test_the_page_is_small_and_its_headers_let_nothing_else_run(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api:
        page = await api.client.get("/")
        policy = page.headers["content-security-policy"].split("; ")
        assert {"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"} <= set(policy)
        assert {"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} <= set(policy)
        assert "unsafe" not in page.headers["content-security-policy"]
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["referrer-policy"] == "no-referrer"
        files = [await api.client.get(path) for path in PAGE_PATHS]
        assert {file.status_code for file in files} == {200}
        assert all(file.headers["content-security-policy"] == page.headers["content-security-policy"] for file in files)
        assert sum(len(file.content) for file in files) < MOST_BYTES


async def test_the_page_is_there_without_a_token_and_nothing_else_is(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path, **{"serve.require_token": True})) as api:
        assert {(await api.client.get(path)).status_code for path in PAGE_PATHS} == {200}
        assert (await api.client.get("/api/sessions")).status_code == 401


@pytest.mark.parametrize("name", ["nothing.js", "..%2Froutes.py", "routes.py", "%2e%2e/__init__.py", ""])
async def test_nothing_but_the_files_of_the_page_is_sent(tmp_path: Path, name: str) -> None:
    async with running_api(configured(tmp_path)) as api:
        assert (await api.client.get(f"/page/{name}")).status_code == 404


def test_no_file_names_anything_elsewhere() -> None:
    for path in STATIC_FOLDER.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert re.findall(r"https?://[\w.]", text) == [], path.name
    html = (STATIC_FOLDER / "index.html").read_text(encoding="utf-8")
    assert all(link.startswith(("/page/", "#")) for link in re.findall(r'(?:src|href)="([^"]*)"', html))


def test_the_page_has_no_inline_script_or_style() -> None:
    html = (STATIC_FOLDER / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=)", html) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_reads_a_text_as_html_and_none_is_longer_than_300_lines(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert HTML_SINKS.findall(text) == []
    assert len(text.splitlines()) <= 300
    assert text.startswith("// ")

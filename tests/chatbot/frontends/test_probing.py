"""`magpie probe`: a calm table that fits 60 columns, JSON for programs, and a result that is kept."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from chatbot import cli
from chatbot.frontends.probing.arguments import parse_probing
from chatbot.models.probe.checks import CHECKS
from tests.fakes.ollama import FakeOllama, Turn, as_json, shown


def polite(_: dict[str, Any]) -> Turn:
    """Whatever it is asked."""
    return Turn("You are welcome.")


async def probed(arguments: list[str], folder: Path, **server: Any) -> int:
    models = {"qwen3:8b": shown(), "other:1b": shown(["completion"])}
    async with FakeOllama(models=models, paths={"/api/chat": polite} | server) as fake:
        settings = {"data_dir": str(folder), "ollama": {"host": fake.url}, "rag": {"enabled": False}}
        (folder / "config.json").write_text(json.dumps(settings))
        return await asyncio.to_thread(cli.main, ["probe", *arguments, "--config", str(folder / "config.json")])


async def test_each_check_is_a_line_and_the_last_one_says_how_it_is_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await probed(["qwen3:8b"], tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[0] == "qwen3:8b, a window of 8,192 tokens"
    assert sum(line.startswith(("  ✓ ", "  ✗ ")) for line in lines) == len(CHECKS) - 3
    assert "  – the tool for it is switched off" in lines
    assert "Magpie serves it in steps, for it calls tools" in " ".join(lines[-3:])
    (kept,) = json.loads((tmp_path / "probes.json").read_text())
    assert (kept["model"], kept["native"], kept["whole"]) == ("qwen3:8b", False, True)
    # What is used is not changed by what is probed.
    assert not (tmp_path / "models.json").exists()


async def test_what_cannot_be_asked_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert await probed(["other:1b", "--private"], tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines.count("  – it calls no tools by itself") == 1
    assert not (tmp_path / "probes.json").exists()


async def test_programs_get_an_object_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert await probed(["--json"], tmp_path) == 0
    *checks, result = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["name"] for one in checks] == [check.name for check in CHECKS]
    assert (result["event"], result["model"], result["native"]) == ("probed", "qwen3:8b", False)


@pytest.mark.parametrize(
    ("arguments", "server", "said"),
    [
        (["qwen3:7b"], {}, "There is no model 'qwen3:7b' here. Nearest: qwen3:8b."),
        (["qwen3:8b"], {"/api/chat": as_json({"error": "model requires more system memory"}, 500)}, "out of memory"),
    ],
)
async def test_what_cannot_be_probed_is_one_sentence(
    arguments: list[str], server: Any, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await probed(arguments, tmp_path, **server) == 1
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told
    assert not (tmp_path / "probes.json").exists()


def test_a_question_that_begins_with_the_word_is_a_question() -> None:
    assert parse_probing(["probe", "the", "dark", "side"]) is None
    assert parse_probing(["probe the dark side"]) is None
    named = parse_probing(["probe", "qwen3:8b", "--json"])
    assert named is not None
    assert (named.name, named.json) == ("qwen3:8b", True)

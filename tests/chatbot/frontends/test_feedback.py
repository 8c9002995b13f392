"""`magpie feedback export`."""

import json
from pathlib import Path

import pytest

from chatbot import cli
from chatbot.frontends.feedback.arguments import parse_feedback


def test_what_was_marked_is_written_into_a_folder_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"data_dir": str(tmp_path / "data")}))
    given = ["feedback", "export", str(tmp_path / "marks"), "--config", str(tmp_path / "config.json")]
    assert cli.main(given) == 0
    assert capsys.readouterr().out == f"Written to {tmp_path}/marks: 0 marked answers (0 good, 0 bad).\n"
    assert cli.main([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"folder": f"{tmp_path}/marks", "good": 0, "bad": 0}


def test_a_question_that_begins_with_the_word_is_a_question() -> None:
    assert parse_feedback(["feedback", "in", "amplifiers?"]) is None

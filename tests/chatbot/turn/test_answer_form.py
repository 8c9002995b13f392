import json
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.events import Answered
from chatbot.conversation.messages import Source
from chatbot.turn.answer_form import MAGPIE_FORM, fields_beside, keep_numbers, read_form
from rag.documents import Passage
from utils.errors import ConfigError

FERRY = Source(1, Passage("At nine.", "https://ferry.example/", "Ferry", "web"))
ANSWERED = Answered("The ferry leaves at nine [1] ~~[9]~~. Its code is a[0].", (FERRY,))
PRICE = {
    "type": "object",
    "properties": {"price": {"type": "integer", "description": "Euros"}, "note": {"$ref": "#/$defs/note"}},
    "required": ["price"],
    "$defs": {"note": {"type": "string"}},
}


def schema_file(folder: Path, schema: Any) -> Path:
    path = folder / "schema.json"
    path.write_text(schema if isinstance(schema, str) else json.dumps(schema))
    return path


def test_without_a_schema_the_fields_are_type_text_and_summary_and_the_text_is_the_answer_word_for_word() -> None:
    whole = read_form(None).complete({"type": "fact", "summary": "At\nnine. "}, ANSWERED)
    assert whole == {
        "type": "fact",
        "text": "The ferry leaves at nine [1]. Its code is a[0].",
        "summary": "At nine.",
        "sources": [{"number": 1, "title": "Ferry", "source": "https://ferry.example/"}],
    }
    assert fields_beside(Answered(ANSWERED.text, (FERRY,), form=whole)) == {"type": "fact", "summary": "At nine."}


def test_an_answer_that_cites_nothing_has_no_sources_in_its_form() -> None:
    whole = MAGPIE_FORM.complete({"type": "story", "summary": "A fox."}, Answered("A fox."))
    assert list(whole) == ["type", "text", "summary"]


def test_what_does_not_fit_a_schema_is_said_with_its_place(tmp_path: Path) -> None:
    form = read_form(schema_file(tmp_path, PRICE))
    assert form.find_problem({"price": 4, "note": "cash"}) == ""
    assert form.find_problem({"price": "four"}) == "$.price: 'four' is not of type 'integer'"
    assert form.find_problem({"price": 4, "note": 5}) == "$.note: 5 is not of type 'string'"


def test_a_question_says_what_the_fields_of_the_users_own_schema_ask_for(tmp_path: Path) -> None:
    assert read_form(schema_file(tmp_path, PRICE)).wishes.endswith("price (Euros), note.)")
    assert MAGPIE_FORM.wishes == ""


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("{", "is not valid JSON"),
        ([], "one JSON object"),
        ({"type": "string"}, "one JSON object"),
        ({"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}, "is not a 'regex'"),
        ({"type": "object", "properties": 7}, "is not of type 'object'"),
        ({"type": "object", "properties": {"a": {"$ref": "https://schemas.example/a.json"}}}, "which is not in it"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}}, "which is not in it"),
    ],
)
def test_a_schema_that_no_model_can_answer_in_is_refused_in_one_sentence(
    tmp_path: Path, schema: Any, reason: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read_form(schema_file(tmp_path, schema))
    assert reason in caught.value.problem and "schema.json" in caught.value.problem
    assert "\n" not in str(caught.value) and "answer_schema_file" in caught.value.remedy


def test_a_schema_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.json"):
        read_form(tmp_path / "none.json")


def test_numbers_of_sources_that_the_answer_has_not_are_taken_out_of_a_form() -> None:
    filled = {"when": "At nine [1] [2].", "code": ["a[0]", "b [7]"], "count": 3}
    assert keep_numbers(filled, ANSWERED) == {"when": "At nine [1].", "code": ["a[0]", "b"], "count": 3}

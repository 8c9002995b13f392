"""The form that an answer is put into: a JSON Schema, the user's own or Magpie's, and what fits it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chatbot.conversation.events import Answered
from chatbot.conversation.sources import describe_sources
from chatbot.prompts.loader import read_prompt
from utils.errors import ConfigError, FileUnreadable
from utils.files import expand_home, read_json
from utils.settings import short_value
from utils.text import one_line

LARGEST_SCHEMA = 100_000
"""Bytes of a schema: the model reads all of it with every answer."""
MEND_SCHEMA = "Mend it, or unset answer_schema_file."
ANSWER_KINDS = ("fact", "explanation", "instructions", "list", "comparison", "code", "story", "question", "unknown")
"""What an answer can be in Magpie's own form; `question`: it asks back, `unknown`: it says that nothing is known."""
MAX_SUMMARY_CHARS = 300
ASKED_FIELDS = {
    "type": {"type": "string", "enum": list(ANSWER_KINDS)},
    "summary": {"type": "string", "minLength": 1, "maxLength": MAX_SUMMARY_CHARS},
}
"""What the model fills in of Magpie's own form; the text, word for word, and what it cites are known already."""
_FORM_NUMBERS = re.compile(r" ?(\[\d{1,3}(?:, ?\d{1,3})*\])(?!\()")
_STRUCK_NUMBER = re.compile(r" ?~~\[\d+\]~~")


@dataclass(frozen=True)
class AnswerForm:
    """What a JSON object must fit that an answer is put into."""

    asked: Mapping[str, Any]
    """The schema of what the model fills in."""
    is_own: bool = False
    """Whether it is the user's own, of which the model fills in everything."""

    @property
    def wishes(self) -> str:
        """What is told with a question, so that its answer says what the fields of the user's own form ask for."""
        if not self.is_own:
            return ""
        fields = self.asked.get("properties")
        told = []
        for name, field in fields.items() if isinstance(fields, dict) else ():
            about = field.get("description") if isinstance(field, dict) else None
            told.append(f"{one_line(name, 60)} ({one_line(about, 200)})" if isinstance(about, str) else one_line(name))
        return f"({read_prompt('form_fields')} {', '.join(told)}.)" if told else ""

    def complete(self, filled: Mapping[str, Any], answered: Answered) -> dict[str, Any]:
        """The whole object: what the model filled in and, of Magpie's own form, the answer and the sources it cites."""
        if self.is_own:
            return dict(filled)
        sources = describe_sources(answered.cited)
        summary = one_line(filled["summary"], MAX_SUMMARY_CHARS)
        whole = {"type": filled["type"], "text": without_struck(answered.text).strip(), "summary": summary}
        return whole | ({"sources": sources} if sources else {})

    def find_problem(self, filled: Mapping[str, Any]) -> str:
        """Where something that the model filled in does not fit, in a few words; empty where it fits."""
        from jsonschema import Draft202012Validator
        from jsonschema.exceptions import best_match
        from referencing import Registry

        # With a registry of its own no schema is fetched that this one refers to.
        error = best_match(Draft202012Validator(self.asked, registry=Registry()).iter_errors(filled))
        return one_line(f"{error.json_path}: {error.message}", 300) if error else ""


MAGPIE_FORM = AnswerForm({"type": "object", "properties": ASKED_FIELDS, "required": list(ASKED_FIELDS)})


def read_form(path: Path | None) -> AnswerForm:
    """The form of a schema's file, Magpie's own without one; raises `ConfigError`."""
    if path is None:
        return MAGPIE_FORM
    try:
        schema = read_json(expand_home(path), LARGEST_SCHEMA)
    except FileUnreadable as error:
        raise ConfigError(f"answer_schema_file {error.problem}", MEND_SCHEMA) from error
    if problem := _find_fault(schema):
        raise ConfigError(f"answer_schema_file {path} is no schema to answer in: {problem}.", MEND_SCHEMA)
    return AnswerForm(schema, is_own=True)


def fields_beside(answered: Answered) -> dict[str, Any]:
    """Of an answer's form what an answer that is shown with its sources does not show already."""
    shown = (without_struck(answered.text).strip(), describe_sources(answered.cited))
    return {name: value for name, value in (answered.form or {}).items() if value not in shown}


def without_struck(text: str) -> str:
    """An answer's text without the numbers that were struck in it."""
    return _STRUCK_NUMBER.sub("", text)


def _find_fault(schema: Any) -> str:
    """Why a model cannot answer in a schema; empty where it can."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    if not isinstance(schema, dict) or schema.get("type") != "object":
        return 'it must describe one JSON object ("type": "object")'
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return one_line(f"{error.json_path}: {error.message}", 200).rstrip(".")
    missing = next((ref for ref in _references(schema) if not _is_inside(ref, schema)), None)
    return "" if missing is None else f"it refers to {short_value(missing)}, which is not in it"


def _references(schema: Any) -> Iterator[Any]:
    """All that a schema refers to."""
    if isinstance(schema, dict):
        yield from (schema[key] for key in ("$ref", "$dynamicRef") if key in schema)
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    for part in inner:
        yield from _references(part)


def _is_inside(reference: Any, schema: dict[str, Any]) -> bool:
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    within = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
    try:
        within.lookup(str(reference))
    except Unresolvable:
        return False
    return True


def keep_numbers(value: Any, answered: Answered) -> Any:
    """A JSON value whose texts have no number of a source that the answer has not."""
    if isinstance(value, dict):
        return {name: keep_numbers(part, answered) for name, part in value.items()}
    if isinstance(value, list):
        return [keep_numbers(part, answered) for part in value]
    if not isinstance(value, str):
        return value
    cited, said = {source.number for source in answered.cited}, without_struck(answered.text)

    def keep_known(found: re.Match[str]) -> str:
        numbers = {int(number) for number in re.findall(r"\d+", found[1])}
        return found[0] if numbers <= cited or found[1] in said else ""

    return _FORM_NUMBERS.sub(keep_known, value)

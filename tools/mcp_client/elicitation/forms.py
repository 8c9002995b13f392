"""What a server asks a person during a call, as values: a form of plain fields, or an address to visit; pure."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Literal

from utils.errors import AddressRefused
from utils.network.addresses import Target, parse_url
from utils.text import clean, one_line

MAX_FIELDS = 30
"""Fields of one form."""
_MOST_CHOICES = 100
_MAX_TEXT_CHARS = 2000
"""Characters of what a server says about a form."""
_ANSWER = 10_000
"""Characters of one answer."""
_MAIL = re.compile(r"[^\s@]+@[^\s@]+")

Kind = Literal["string", "number", "integer", "boolean", "choice", "choices"]
Value = str | int | float | bool | list[str]
_YES, _NO = ("y", "yes", "true"), ("n", "no", "false")


class UnfitForm(ValueError):
    """A form that cannot be shown; its text says why, as a clause."""


class WrongAnswer(ValueError):
    """What was typed does not fit the field; its text says what would, as a sentence."""


@dataclass(frozen=True)
class Choice:
    """One of the values that a field may have."""

    value: str
    shown: str


@dataclass(frozen=True)
class Field:
    """One question of a form."""

    name: str
    """As the server knows it."""
    title: str
    kind: Kind
    about: str = ""
    required: bool = False
    default: Value | None = None
    choices: tuple[Choice, ...] = ()
    form: str = ""
    """The format of a text: email, uri, date or date-time."""
    least: float | None = None
    """The lowest number, length of a text or count of choices."""
    most: float | None = None

    def read_value(self, typed: str) -> Value | None:
        """The value that was typed, None for none; raises `WrongAnswer`. An empty line takes the default."""
        typed = typed.strip()
        if not typed:
            if self.default is None and self.required:
                raise WrongAnswer("This one needs an answer.")
            return self.default
        return _VALUE_READERS[self.kind](self, typed[:_ANSWER])

    def show_value(self, value: Value | None) -> str:
        """A value as the person knows it."""
        if value is None:
            return ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        names = {choice.value: choice.shown for choice in self.choices}
        values = value if isinstance(value, list) else [value]
        return ", ".join(names.get(str(one), one_line(str(one))) for one in values)


@dataclass(frozen=True)
class Form:
    """What a server wants to know."""

    server: str
    message: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Visit:
    """An address that a server wants a person to open in a browser."""

    server: str
    message: str
    address: Target


@dataclass(frozen=True)
class FormReply:
    """What the person said: `cancel` is no answer at all."""

    action: Literal["accept", "decline", "cancel"]
    values: Mapping[str, Value] = field(default_factory=dict)


Ask = Callable[[Form | Visit], Awaitable[FormReply]]
"""How a front end asks its user."""


def read_form(server: str, message: str, schema: Mapping[str, Any]) -> Form:
    """The form of a JSON schema as the protocol restricts it; raises `UnfitForm`."""
    properties, required = schema.get("properties") or {}, schema.get("required") or []
    if not isinstance(properties, dict) or not isinstance(required, list):
        raise UnfitForm("its form is no list of fields")
    if len(properties) > MAX_FIELDS:
        raise UnfitForm(f"its form has more than {MAX_FIELDS} fields")
    fields = tuple(_read_field(str(name), value, name in required) for name, value in properties.items())
    return Form(server, clean(message)[:_MAX_TEXT_CHARS].strip(), fields)


def read_visit(server: str, message: str, url: str) -> Visit:
    """The address, where a person may be sent there; raises `UnfitForm`."""
    try:
        return Visit(server, clean(message)[:_MAX_TEXT_CHARS].strip(), parse_url(url))
    except AddressRefused as error:
        raise UnfitForm("the address that it wants opened is none that can be") from error


def _read_field(name: str, schema: Any, required: bool) -> Field:
    if not isinstance(schema, dict):
        raise UnfitForm("a field of its form has no type")
    kind, choices = _field_kind(schema)
    default = schema.get("default")
    limits = ("minItems", "maxItems") if kind == "choices" else ("minLength", "maxLength")
    least, most = ("minimum", "maximum") if kind in ("number", "integer") else limits
    title = one_line(str(schema.get("title") or name), 100)
    made = Field(
        name,
        title,
        kind,
        one_line(str(schema.get("description") or ""), 300),
        required,
        choices=choices,
        form=str(schema.get("format") or ""),
        least=_number_or_none(schema.get(least)),
        most=_number_or_none(schema.get(most)),
    )
    return _with_default(made, default)


def _with_default(made: Field, default: Any) -> Field:
    """The field with its default, where that is a value that it may have."""
    fits = {
        "string": isinstance(default, str),
        "number": isinstance(default, int | float) and not isinstance(default, bool),
        "integer": isinstance(default, int) and not isinstance(default, bool),
        "boolean": isinstance(default, bool),
        "choice": any(choice.value == default for choice in made.choices),
        "choices": isinstance(default, list) and set(map(str, default)) <= {one.value for one in made.choices},
    }
    return replace(made, default=default) if fits[made.kind] else made


def _field_kind(schema: Mapping[str, Any]) -> tuple[Kind, tuple[Choice, ...]]:
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items")
        return "choices", _read_choices(items if isinstance(items, dict) else {})
    if kind == "string" and ("enum" in schema or "oneOf" in schema or "anyOf" in schema):
        return "choice", _read_choices(schema)
    for known in ("string", "number", "integer", "boolean"):
        if kind == known:
            return known, ()
    raise UnfitForm("a field of its form is of a type that the protocol has not")


def _read_choices(schema: Mapping[str, Any]) -> tuple[Choice, ...]:
    titled = schema.get("oneOf") or schema.get("anyOf")
    if isinstance(titled, list):
        pairs = [(one.get("const"), one.get("title")) for one in titled if isinstance(one, dict)]
    else:
        values, names = schema.get("enum") or [], schema.get("enumNames") or []
        values, names = (part if isinstance(part, list) else [] for part in (values, names))
        pairs = [(value, names[index] if index < len(names) else value) for index, value in enumerate(values)]
    found = tuple(Choice(value, one_line(str(shown or value), 100)) for value, shown in pairs if isinstance(value, str))
    if not 0 < len(found) <= _MOST_CHOICES:
        raise UnfitForm(f"a field of its form has no choices, or more than {_MOST_CHOICES}")
    return found


def _number_or_none(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _read_text(asked: Field, typed: str) -> str:
    _check_bounds(asked, len(typed), "characters")
    try:
        match asked.form:
            case "date":
                date.fromisoformat(typed)
            case "date-time":
                datetime.fromisoformat(typed)
            case "email" if not _MAIL.fullmatch(typed):
                raise WrongAnswer("That is no mail address.")
            case "uri" if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:\S+$", typed):
                raise WrongAnswer("That is no address: it begins with https: or the like.")
    except WrongAnswer:
        raise
    except ValueError as error:
        raise WrongAnswer("Write it as 2026-11-22" + ("T17:30:00Z." if asked.form == "date-time" else ".")) from error
    return typed


def _read_number(asked: Field, typed: str) -> int | float:
    try:
        value = int(typed) if asked.kind == "integer" else float(typed)
    except ValueError as error:
        raise WrongAnswer("Write a whole number." if asked.kind == "integer" else "Write a number.") from error
    if value != value or value in (float("inf"), float("-inf")):
        raise WrongAnswer("Write a number.")
    _check_bounds(asked, value, "")
    return value


def _read_boolean(asked: Field, typed: str) -> bool:
    if typed.lower() not in (*_YES, *_NO):
        raise WrongAnswer("Write y or n.")
    return typed.lower() in _YES


def _read_choice(asked: Field, typed: str) -> str:
    number = int(typed) if typed.isascii() and typed.isdigit() else 0
    if 0 < number <= len(asked.choices):
        return asked.choices[number - 1].value
    for one in asked.choices:
        if typed in (one.value, one.shown):
            return one.value
    raise WrongAnswer(f"Write the number of one of them, 1 to {len(asked.choices)}.")


def _read_several(asked: Field, typed: str) -> list[str]:
    chosen = list(dict.fromkeys(_read_choice(asked, part.strip()) for part in re.split(r"[,;]", typed) if part.strip()))
    _check_bounds(asked, len(chosen), "of them")
    return chosen


def _check_bounds(asked: Field, size: float, unit: str) -> None:
    if asked.least is not None and size < asked.least:
        raise WrongAnswer(f"At least {asked.least:g} {unit}".rstrip() + ", please.")
    if asked.most is not None and size > asked.most:
        raise WrongAnswer(f"At most {asked.most:g} {unit}".rstrip() + ", please.")


_VALUE_READERS: Mapping[Kind, Callable[[Field, str], Value]] = {
    "string": _read_text,
    "number": _read_number,
    "integer": _read_number,
    "boolean": _read_boolean,
    "choice": _read_choice,
    "choices": _read_several,
}

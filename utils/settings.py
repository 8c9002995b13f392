"""Settings as frozen dataclasses: read from what a file or the environment says, and written as plain values again.

msgspec reads them, as the prompt waits for it: it is imported and ready in a fifth of the time that pydantic takes.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from utils.errors import ConfigError, FileMissing, FileUnreadable
from utils.files import expand_home, parse_json, read_text
from utils.secrets import redact_secrets
from utils.text import one_line

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SettingsT = TypeVar("SettingsT")

LONGEST_PATH = 4096
"""Bytes, as every system has it that Magpie runs on."""
MAX_DOTENV_BYTES = 1_000_000
"""Bytes of a `.env` file."""
_SHOWABLE = r"\A[^\x00-\x1f\x7f\ud800-\udfff]*\Z"
Name = Annotated[str, Meta(max_length=1000, pattern=_SHOWABLE)]
"""What another program knows something by: it is handed on, quoted in sentences and written down."""
Text = Annotated[str, Meta(max_length=100_000)]
"""Words for the model."""

_TYPE_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
    "path": "a path",
}


class UnknownSetting(Exception):
    """There is no setting of this dotted `name`; `known` are those beside which it stands."""

    def __init__(self, name: str, known: Sequence[str] = ()) -> None:
        self.name = name
        self.known = known
        super().__init__(name)


class WrongSetting(Exception):
    """The `value` given for the setting of a dotted `name` cannot be; `reason` ends a sentence after a colon."""

    def __init__(self, name: str, value: object, reason: str) -> None:
        self.name = name
        self.value = value
        self.reason = reason
        super().__init__(f"{name} cannot be {short_value(value)}: {reason}")


def read_settings(kind: type[SettingsT], tree: Mapping[str, Any]) -> SettingsT:
    """Settings of this kind from plain values, numbers also as text; raises `UnknownSetting` and `WrongSetting`."""
    _refuse_unknown(kind, tree, "")
    try:
        return msgspec.convert(tree, kind, strict=False, dec_hook=_read_path)
    except msgspec.ValidationError as error:
        message, _, place = re.sub(" - at `?key`? in ", " - at ", str(error)).partition(" - at `$")
        raise _wrong_setting(kind, tree, re.sub(r"\[.*", "", place.strip("`.")), message) from error


def plain_settings(settings: "DataclassInstance") -> dict[str, Any]:
    """The settings as plain values that JSON can write."""
    tree: dict[str, Any] = msgspec.to_builtins(asdict(settings), enc_hook=str)
    return tree


def section_names(kind: type) -> dict[str, tuple[str, ...]]:
    """The names of the settings in each section, by its name."""
    hints = get_type_hints(kind)
    return {name: tuple(f.name for f in fields(hint)) for name, hint in hints.items() if is_dataclass(hint)}


def setting_names(kind: type, tree: Mapping[str, Any]) -> Iterator[str]:
    """Dotted names of the settings in a tree of plain values; an object that is one setting has one name."""
    sections = section_names(kind)
    for key, value in tree.items():
        if isinstance(value, dict) and key in sections:
            yield from (f"{key}.{name}" for name in value)
        else:
            yield key


def rename_old_keys(kind: type, tree: Mapping[str, Any]) -> dict[str, Any]:
    """The tree with older flat spellings (`rag_collection`, `chroma_db_path`) under their new names."""
    renamed: dict[str, Any] = {}
    for key, value in tree.items():
        name = new_name(kind, key)
        if isinstance(value, dict) and isinstance(renamed.get(name), dict):
            renamed[name] |= value
        else:
            put_setting(renamed, name, value)
    return renamed


def new_name(kind: type, key: str) -> str:
    """The dotted name of a setting that may be spelled in the older flat way."""
    known = get_type_hints(kind)
    if key in known:
        return key
    sections = section_names(kind)
    for section, names in sections.items():
        for name in (key, key.removeprefix(f"{section}_")):
            if name in names and (name != key or sum(name in other for other in sections.values()) == 1):
                return f"{section}.{name}"
    return key


def get_setting(tree: Mapping[str, Any], name: str) -> Any:
    """The value of a dotted name."""
    value: Any = tree
    for key in name.split("."):
        value = value[key]
    return value


def put_setting(tree: dict[str, Any], name: str, value: Any) -> None:
    """Give a dotted name a value; sections that are not there are made."""
    *sections, key = name.split(".")
    for section in sections:
        inner = tree.get(section)
        if not isinstance(inner, dict):
            inner = tree[section] = {}
        tree = inner
    tree[key] = value


def read_dotenv(path: Path) -> dict[str, str]:
    """The variables that a `.env` file sets, none where there is no such file; raises `ConfigError`."""
    try:
        lines = read_text(path, MAX_DOTENV_BYTES)
    except FileMissing:
        return {}
    except FileUnreadable as error:
        raise ConfigError(error.problem, "Mend it, or move it away.") from error
    from dotenv import dotenv_values

    return {name: text for name, text in dotenv_values(stream=StringIO(lines)).items() if text is not None}


def decode_value(text: str) -> Any:
    """A list or object as JSON; anything else as it is, for the setting's own type to read."""
    if text[:1] in "[{":
        try:
            return parse_json(text)
        except ValueError:
            return text
    return text


def short_value(value: object) -> str:
    """A value as a sentence can quote it: what looks like a key in it is only hinted at."""
    return redact_secrets(one_line(repr(value), 100), 100)


def _read_path(kind: type, value: object) -> object:
    if kind is not Path or not isinstance(value, str):
        raise ValueError("Expected `path`")
    try:
        usable = "\0" not in value and len(os.fsencode(value)) < LONGEST_PATH
    except UnicodeEncodeError:
        # Half of a pair of surrogates, which no file system has.
        usable = False
    if not usable:
        raise ValueError("it can be the name of no file")
    if str(expand_home(Path(value))).startswith("~"):
        raise ValueError("nobody has that home folder")
    return Path(value)


def _refuse_unknown(kind: Any, tree: Mapping[str, Any], prefix: str) -> None:
    hints = get_type_hints(kind)
    for name, value in tree.items():
        if name not in hints:
            raise UnknownSetting(prefix + name, [prefix + known for known in hints])
        inner = next((part for part in (hints[name], *get_args(hints[name])) if is_dataclass(part)), None)
        if inner is None or not isinstance(value, dict):
            continue
        if get_origin(hints[name]) is not dict:
            _refuse_unknown(inner, value, f"{prefix}{name}.")
            continue
        for key, entry in value.items():
            if isinstance(entry, dict):
                _refuse_unknown(inner, entry, f"{prefix}{name}.{key}.")


def _wrong_setting(kind: Any, tree: Mapping[str, Any], place: str, message: str) -> WrongSetting:
    # What a section says of one of its settings itself begins with its name.
    own = re.match(r"(\w+): (.*)", message)
    name = ".".join(filter(None, (place, own[1] if own else "")))
    message = own[2] if own else message
    value: Any = tree
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
        kind = get_type_hints(kind).get(part, object) if is_dataclass(kind) else kind
    if literal := next((part for part in (kind, *get_args(kind)) if get_origin(part) is Literal), None):
        *first, last = (str(choice) for choice in get_args(literal))
        return WrongSetting(name, value, f"it must be {', '.join(first)} or {last}")
    return WrongSetting(name, value, _explain_message(message))


def _explain_message(message: str) -> str:
    """What msgspec says, in words: from "Expected `int` >= 1" to "it must be a whole number of at least 1"."""

    def name_types(match: re.Match[str]) -> str:
        return " or ".join(_TYPE_WORDS.get(name, name) for name in match[1].split(" | "))

    message = message.replace(f"matching regex {_SHOWABLE!r}", "without characters that cannot be shown")
    expected = re.sub(r", got .*", "", message).replace("of length ", "of a length ")
    for sign, told in ((">=", "of at least"), ("<=", "of at most"), (">", "above"), ("<", "below")):
        expected = expected.replace(f" {sign} ", f" {told} ")
    return re.sub("`([^`]*)`", name_types, expected.replace("Expected", "it must be", 1))

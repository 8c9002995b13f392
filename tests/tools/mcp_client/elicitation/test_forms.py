import pytest

from tools.mcp_client.elicitation.forms import Field, Form, UnfitForm, WrongAnswer, read_form, read_visit


def one(**schema: object) -> Field:
    """A field of a schema."""
    [made] = read_form("s", "m", {"properties": {"x": schema}}).fields
    return made


def test_a_schema_becomes_a_form_in_its_order() -> None:
    schema = {
        "properties": {
            "name": {"type": "string", "title": "Na\x1b[2Jme", "default": "Ada"},
            "age": {"type": "integer", "default": "old"},
            "pick": {"type": "string", "enum": ["a", "b"], "enumNames": ["Apple"], "default": "c"},
            "many": {"type": "array", "items": {"enum": ["a", "b"]}, "default": ["b"], "minItems": 1},
        },
        "required": ["age"],
    }
    form = read_form("s", "He\x07llo", schema)
    assert (form.server, form.message) == ("s", "Hello")
    assert [(field.name, field.title, field.kind, field.required, field.default) for field in form.fields] == [
        ("name", "Name", "string", False, "Ada"),
        ("age", "age", "integer", True, None),
        ("pick", "pick", "choice", False, None),
        ("many", "many", "choices", False, ["b"]),
    ]
    assert [choice.shown for choice in form.fields[2].choices] == ["Apple", "b"]


@pytest.mark.parametrize(
    ("schema", "typed", "value"),
    [
        ({"type": "string"}, " a b ", "a b"),
        ({"type": "string"}, "", None),
        ({"type": "string", "default": "x"}, "", "x"),
        ({"type": "string", "format": "email"}, "a@b.example", "a@b.example"),
        ({"type": "string", "format": "uri"}, "https://a.example/", "https://a.example/"),
        ({"type": "string", "format": "date"}, "2026-11-22", "2026-11-22"),
        ({"type": "string", "format": "date-time"}, "2026-11-22T10:00:00Z", "2026-11-22T10:00:00Z"),
        ({"type": "integer"}, "-3", -3),
        ({"type": "number"}, "2.5", 2.5),
        ({"type": "number", "default": 95.5}, "", 95.5),
        ({"type": "boolean"}, "Y", True),
        ({"type": "boolean", "default": False}, "", False),
        ({"type": "string", "enum": ["a", "b"]}, "2", "b"),
        ({"type": "string", "enum": ["a", "b"]}, "a", "a"),
        ({"type": "string", "oneOf": [{"const": "a", "title": "Apple"}]}, "Apple", "a"),
        ({"type": "array", "items": {"enum": ["a", "b", "c"]}}, "3, 1, 3", ["c", "a"]),
    ],
)
def test_what_is_typed_becomes_a_value(schema: dict[str, object], typed: str, value: object) -> None:
    assert one(**schema).read_value(typed) == value


@pytest.mark.parametrize(
    ("schema", "typed", "said"),
    [
        ({"type": "string", "maxLength": 2}, "abc", "At most 2 characters, please."),
        ({"type": "string", "format": "email"}, "nobody", "That is no mail address."),
        ({"type": "string", "format": "uri"}, "nowhere", "That is no address: it begins with https: or the like."),
        ({"type": "string", "format": "date"}, "tomorrow", "Write it as 2026-11-22."),
        ({"type": "string", "format": "date-time"}, "noon", "Write it as 2026-11-22T17:30:00Z."),
        ({"type": "integer"}, "2.5", "Write a whole number."),
        ({"type": "number"}, "nan", "Write a number."),
        ({"type": "number", "minimum": 1}, "0.5", "At least 1, please."),
        ({"type": "boolean"}, "2", "Write y or n."),
        ({"type": "string", "enum": ["a", "b"]}, "3", "Write the number of one of them, 1 to 2."),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 1}, "1,2", "At most 1 of them, please."),
    ],
)
def test_what_does_not_fit_is_said(schema: dict[str, object], typed: str, said: str) -> None:
    with pytest.raises(WrongAnswer) as wrong:
        one(**schema).read_value(typed)
    assert str(wrong.value) == said


def test_what_is_required_needs_an_answer() -> None:
    [field] = read_form("s", "m", {"properties": {"x": {"type": "string"}}, "required": ["x"]}).fields
    with pytest.raises(WrongAnswer):
        field.read_value(" ")


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": ["x"]},
        {"properties": {"x": "string"}},
        {"properties": {"x": {"type": "object"}}},
        {"properties": {"x": {"type": "string", "enum": []}}},
        {"properties": {"x": {"type": "array"}}},
        {"properties": {f"x{number}": {"type": "string"} for number in range(31)}},
    ],
)
def test_a_form_that_is_none_is_refused(schema: dict[str, object]) -> None:
    with pytest.raises(UnfitForm):
        read_form("s", "m", schema)


def test_only_addresses_of_the_web_are_to_be_visited() -> None:
    assert read_visit("s", "m", "https://pay.example/now").address.host == "pay.example"
    for url in ("javascript:alert(1)", "file:///etc/passwd", "https://a@b.example/", "https://a.example\n/"):
        with pytest.raises(UnfitForm):
            read_visit("s", "m", url)


def test_a_form_may_have_no_fields() -> None:
    assert read_form("s", "Sure?", {"type": "object"}) == Form("s", "Sure?", ())

"""reStructuredText: by docutils to HTML, and from there to Markdown; what Sphinx adds is read for what it says."""

import re
from typing import Any

from rag.readers.damage import translate_damage
from rag.readers.markup import markdown_of
from rag.readers.text import decode_text, name_of

_DIRECTIVE = re.compile(r"^ {0,40}\.\. (?:\|[^|\n]{1,80}\| )?([A-Za-z][\w:+.-]{0,60}?)::", re.MULTILINE)
_ROLE = re.compile(r":([A-Za-z][\w:+.-]{0,60}):`")
# Sphinx gives those of docutils options that docutils refuses.
_CODE_DIRECTIVES = ("code", "code-block", "sourcecode", "prompt", "doctest", "testcode", "productionlist")
_FIELD_CHARS = 200
"""A field with more is a text of its own."""
_SETTINGS: dict[str, Any] = {
    # Nothing is read from the disk, and nothing is taken over as it stands.
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "embed_stylesheet": False,
    "report_level": 5,
    "halt_level": 5,
    "syntax_highlight": "none",
    "doctitle_xform": True,
    "initial_header_level": 2,
    "math_output": "LaTeX",
    "warning_stream": False,
    "line_length_limit": 1_000_000,
}


def read_restructuredtext(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title and Markdown; raises `DocumentError`."""
    from docutils.core import publish_parts
    from lxml import html

    name = name_of(source)
    text = decode_text(data, name, charset)
    with translate_damage(name, "reStructuredText"):
        _learn_names(text)
        parts = publish_parts(text, writer="html5", settings_overrides=_SETTINGS)
        page = html.document_fromstring(f"<html><body>{parts['html_body']}</body></html>")
        _join_fields(page)
        for code in page.iter("pre"):
            # docutils takes a class of this name for a tongue.
            code.set("class", f"language-{code.get('lang', '')}")
        title = str(page.findtext(".//h1") or "") or parts["title"]
    return " ".join(title.split()) or name, markdown_of(page)


def _join_fields(page: Any) -> None:
    """Have the fields of a document, its author say, stand on a line each."""
    for term in page.xpath("//dl[contains(@class, 'docinfo') or contains(@class, 'field-list')]/dt"):
        value = term.getnext()
        if value is not None and len(text := " ".join(value.text_content().split())) <= _FIELD_CHARS:
            term.text = f"{term.text_content()} {text}"
            for each in (value, *term):
                each.getparent().remove(each)


def _learn_names(text: str) -> None:
    """Have docutils take the directives and roles of a text that it does not know for what stands in them."""
    from docutils.parsers.rst import directives, languages, roles

    english = languages.get_language("en", None)
    for name in {*map(str.lower, _DIRECTIVE.findall(text))} - {*english.directives} | {*_CODE_DIRECTIVES}:
        directives.register_directive(name, _content_directive(code=name in _CODE_DIRECTIVES))
    for name in {*map(str.lower, _ROLE.findall(text))} - {*english.roles}:
        roles.register_local_role(name, _read_role)


class _AnyOptions(dict[str, Any]):
    """Every option is known, and taken as it stands."""

    def __bool__(self) -> bool:
        return True

    def __missing__(self, name: str) -> Any:
        return lambda value: value


def _content_directive(code: bool) -> Any:
    from docutils import nodes, statemachine
    from docutils.parsers.rst import Directive

    class ContentDirective(Directive):  # type: ignore[misc]
        """Its content as if it stood there alone, below its argument; of code the argument is the language."""

        optional_arguments = 1
        final_argument_whitespace = True
        has_content = True
        option_spec = _AnyOptions()

        def run(self) -> list[Any]:
            argument, _, more = (self.arguments or [""])[0].partition("\n")
            if code:
                block = "\n".join(self.content)
                return [nodes.literal_block(block, block, classes=[f"language-{argument}"])] if block else []
            body = nodes.container()
            # Without an empty line before it the beginning of the content comes with the argument.
            for content in (statemachine.StringList(more.split("\n"), self.name), self.content):
                self.state.nested_parse(content, self.content_offset, body)
            return [nodes.paragraph("", "", nodes.literal("", argument)), *body.children]

    return ContentDirective


def _read_role(name: str, rawtext: str, text: str, *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
    from docutils import nodes, utils

    plain = utils.unescape(text)
    # `text <target>`, `~module.name`
    title, _, target = plain.removesuffix(">").rpartition("<")
    titled = plain.endswith(">") and target and ">" not in target
    return [nodes.literal(rawtext, (titled and title.rstrip()) or plain.lstrip("~!"))], []

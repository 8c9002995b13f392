"""The colours of Markdown; light to import, unlike its renderer."""

from rich.style import Style
from rich.theme import Theme

# Only colours that a terminal's own palette defines, and few: they are legible on dark and on light backgrounds.
THEME = Theme(
    {
        "markdown.h1": Style(bold=True, underline=True),
        "markdown.h2": Style(bold=True),
        "markdown.h3": Style(bold=True),
        "markdown.h4": Style(bold=True, dim=True),
        "markdown.h5": Style(bold=True, dim=True),
        "markdown.h6": Style(bold=True, dim=True),
        "markdown.code": Style(color="cyan"),
        "markdown.code_block": Style(),
        "markdown.block_quote": Style(italic=True),
        "markdown.item.bullet": Style(dim=True),
        "markdown.item.number": Style(dim=True),
        "markdown.link": Style(underline=True),
        "markdown.link_url": Style(dim=True),
        "markdown.hr": Style(dim=True),
        "markdown.table.header": Style(bold=True),
        "markdown.table.border": Style(dim=True),
        "markdown.s": Style(strike=True, dim=True),
    }
)

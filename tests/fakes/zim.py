"""Small ZIM archives, made by libzim."""

from collections.abc import Mapping
from pathlib import Path

from libzim.writer import Creator, Hint, Item, StringProvider

MANY = 30
"""Towns that an archive has beside its other articles."""
BRIDGE = (
    "The Ostermark Bridge is a steel arch bridge over the river Enner. It was designed by Ingrid Halvorsen and opened "
    "to traffic in 1931."
)
MARCH = {"Title": "Towns of the Enner", "Language": "eng", "Date": "2024-03-15", "Source": "towns.example"}


class Entry(Item):  # type: ignore[misc]
    """An entry of an archive."""

    def __init__(self, path: str, title: str, content: str | bytes, media_type: str = "text/html") -> None:
        super().__init__()
        self._told = (path, title, media_type)
        self._content = content

    def get_path(self) -> str:
        return self._told[0]

    def get_title(self) -> str:
        return self._told[1]

    def get_mimetype(self) -> str:
        return self._told[2]

    def get_contentprovider(self) -> StringProvider:
        return StringProvider(self._content)

    def get_hints(self) -> dict[Hint, int]:
        return {Hint.FRONT_ARTICLE: self._told[2] == "text/html"}


def page(title: str, *paragraphs: str) -> str:
    """An article as archives have them: with what is not its text around it."""
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>{title}</title><script>steal('everything')</script>"
        f"<link rel='canonical' href='https://bank.example/'></head><body><nav><a href='./Other'>Other</a></nav>"
        f"<main><h1>{title}</h1>{body}<img src='./I/arch.png' alt=''></main></body></html>"
    )


def write_zim(
    path: Path,
    articles: Mapping[str, tuple[str, str]] | None = None,
    *,
    full_text: bool = True,
    metadata: Mapping[str, str] = MARCH,
    entries: tuple[Entry, ...] = (),
    redirects: Mapping[str, str] | None = None,
) -> Path:
    """An archive at a path; `articles` are titles and HTML by their paths, else a few dozen on towns and a bridge."""
    chosen = articles if articles is not None else towns()
    with Creator(path).config_indexing(full_text, "eng") as creator:
        creator.set_mainpath(next(iter(chosen)))
        for name, (title, html) in chosen.items():
            creator.add_item(Entry(name, title, html))
        for entry in entries:
            creator.add_item(entry)
        for name, target in (redirects or {}).items():
            creator.add_redirection(name, name.replace("_", " "), target, {Hint.FRONT_ARTICLE: 1})
        for key, value in metadata.items():
            creator.add_metadata(key, value)
    return path


def towns() -> dict[str, tuple[str, str]]:
    """Articles on towns and on a bridge."""
    found = {
        f"Town_{number}": (
            f"Town {number}",
            page(
                f"Town {number}",
                f"Town {number} lies on the river Enner; its mill was built by masons in {1800 + number}.",
            ),
        )
        for number in range(MANY)
    }
    return found | {"Ostermark_Bridge": ("Ostermark Bridge", page("Ostermark Bridge", BRIDGE))}

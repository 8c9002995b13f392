"""PPTX: each slide under its title, with its lists, tables, the numbers of its charts and its notes, by python-pptx."""

import io
from collections.abc import Iterable, Iterator
from typing import Any

from rag.readers.archive import Archive
from rag.readers.damage import translate_damage
from rag.readers.markup import join_blocks, table_of
from rag.readers.properties.office import office_title
from rag.readers.text import name_of


def read_pptx(data: bytes, source: str, _: str = "") -> tuple[str, str]:
    """Title, from the properties or the first slide, and Markdown; raises `DocumentError`."""
    import pptx

    name = name_of(source)
    with translate_damage(name, "a PPTX"):
        # python-pptx unpacks every part at once and counts nothing.
        Archive(data, source).check_size()
        show = pptx.Presentation(io.BytesIO(data))
        title = office_title(data)
        shown = [slide for slide in show.slides if slide._element.get("show") not in {"0", "false"}]
        first = next((text for slide in shown if (text := _slide_title(slide))), "")
        blocks = [block for number, slide in enumerate(shown, 1) for block in _slide_blocks(slide, number)]
    # What programs call a file that nobody has named.
    return (title if title != "PowerPoint Presentation" else "") or first or name, join_blocks(blocks)


def _slide_title(slide: Any) -> str:
    found = slide.shapes.title
    return " ".join(found.text_frame.text.split()) if found is not None else ""


def _slide_blocks(slide: Any, number: int) -> Iterator[str]:
    body = [block for block in _shape_blocks(slide.shapes, slide.shapes.title) if block]
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    said = list(_paragraph_lines(notes, listed=False)) if notes is not None else []
    title = _slide_title(slide)
    if title or body or said:
        yield f"## {title or f'Slide {number}'}"
    yield from body
    if said:
        yield "### Notes"
        yield from said


def _shape_blocks(shapes: Iterable[Any], title: Any) -> Iterator[str]:
    for shape in shapes:
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if hasattr(shape, "shapes"):
            yield from _shape_blocks(shape.shapes, title)
        elif getattr(shape, "has_table", False):
            yield table_of([[cell.text for cell in row.cells] for row in shape.table.rows])
        elif getattr(shape, "has_chart", False):
            yield from _chart_blocks(shape.chart)
        elif shape.has_text_frame:
            # Where a slide has a body, its paragraphs are the points of a list.
            yield from _paragraph_lines(shape.text_frame, listed=shape.is_placeholder)


def _paragraph_lines(frame: Any, listed: bool) -> Iterator[str]:
    lines = [(paragraph.level, " ".join(paragraph.text.split())) for paragraph in frame.paragraphs]
    lines = [(level, text) for level, text in lines if text]
    for level, text in lines:
        yield f"{'  ' * level}- {text}" if listed and len(lines) > 1 else text


def _chart_blocks(chart: Any) -> Iterator[str]:
    """A chart's title, and its numbers as a table."""
    if chart.has_title and chart.chart_title.has_text_frame:
        yield " ".join(chart.chart_title.text_frame.text.split())
    for plot in chart.plots:
        series = list(plot.series)
        rows = [["", *(str(each.name) for each in series)]]
        for place, category in enumerate(plot.categories):
            values = [each.values[place] if place < len(each.values) else None for each in series]
            rows.append([str(category), *("" if value is None else f"{value:.15g}" for value in values)])
        yield table_of(rows)

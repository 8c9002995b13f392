"""The filters of a search as conditions of SQL."""

from typing import Any

from rag.postgres.patterns import glob_to_regex
from rag.records.properties import read_time
from rag.stored import Filters


def passing_documents(filters: Filters) -> tuple[str, dict[str, Any]]:
    """A query of the ids of those documents of `%(collection)s` that pass, and its values by name; empty: all pass."""
    if not filters:
        return "", {}
    conditions, values = _conditions_of(filters)
    first, *rest = "".join(f" AND {one}" for one in conditions).split("%s")
    named = first + "".join(f"%(filter{number})s{part}" for number, part in enumerate(rest))
    query = f"SELECT d.id FROM documents d WHERE d.collection = %(collection)s{named}"
    return query, {f"filter{number}": value for number, value in enumerate(values)}


def _conditions_of(filters: Filters) -> tuple[list[str], list[Any]]:
    """The filters as conditions on the document `d`, and their values in order."""
    conditions: list[str] = []
    values: list[Any] = []
    if filters.sources:
        conditions.append("(" + " OR ".join([_CALLED_CONDITION] * len(filters.sources)) + ")")
        values += [form for source in filters.sources for form in _name_forms(source)]
    for column, wanted in filters.wanted_values():
        conditions.append(f"d.{column} = ANY(%s::text[])")
        values.append(list(wanted))
    for comparison, moment in filters.moments():
        conditions.append(f"d.dated {comparison} %s::timestamptz")
        values.append(read_time(moment))
    if filters.authors:
        conditions.append("(" + " OR ".join(["strpos(d.shown_author, %s) > 0"] * len(filters.authors)) + ")")
        values += [author.casefold() for author in filters.authors]
    if filters.tags:
        conditions.append("d.shown_tags @> %s::text[]")
        values.append([tag.casefold() for tag in filters.tags])
    return conditions, values


_CALLED_CONDITION = (
    "d.source = %s OR lower(d.title) = lower(%s) OR d.source ~ %s OR starts_with(d.source, %s)"
    " OR right(d.source, length(%s)) = %s"
)


def _name_forms(source: str) -> tuple[str, ...]:
    """A name as it is, as a title, as a pattern, as a folder and as the end of a path."""
    plain = source.rstrip("/")
    return source, source, glob_to_regex(source), f"{plain}/", f"/{plain}", f"/{plain}"

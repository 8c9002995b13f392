"""The options of `magpie rag`; light, so that its help is there at once."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chatbot import SERVER_PORT
from chatbot.frontends.common_options import add_model_options, add_setting_options
from chatbot.frontends.plain import Parser, given_options

COMMANDS = {
    "ingest": "add files, folders, patterns and web pages",
    "watch": "follow folders: what changes in them goes in, what is gone goes out",
    "search": "find passages, for one question or many",
    "list": "list the documents, with where they came from",
    "ask": "answer a question from the library alone",
    "serve": "offer the library to a client of the Model Context Protocol",
    "remove": "take documents or a whole collection out",
    "rebuild": "make the indexes anew",
    "doctor": "check the library and its indexes, and mend what is wrong",
    "stats": "tell what is in it and where it lies",
    "collections": "list the collections",
    "copy": "copy the library into another backend, and compare both",
}
SERVED = ("search_library", "index_source", "library_stats")
ALIASES = {"search": ["query"]}
CHUNK_UNITS = ("characters", "tokens")
_OTHER_SPELLINGS = (
    ("content_path", "targets", "file, a folder, a pattern or an address"),
    ("query_option", "query", ""),
    ("question_option", "question", "question"),
)
"""Where an option's values are kept, those of the words that mean the same, and what is missing without either."""


def is_command(arguments: Sequence[str]) -> bool:
    """Whether what follows `rag` is meant for the library, and is not the words of a question."""
    return not arguments or arguments[0] in {"-h", "--help", *command_names()}


def parse(argv: Sequence[str]) -> argparse.Namespace | None:
    """The arguments of a command on the library; None where it is none. Without a command its help is printed."""
    if argv[:1] != ["rag"] or not is_command(argv[1:]):
        return None
    made = make_parser()
    arguments = made.parse_args(argv[1:] or ["--help"])
    for option, words, required in _OTHER_SPELLINGS:
        if hasattr(arguments, option):
            # Options that mean what is mostly written without one.
            setattr(arguments, words, [*getattr(arguments, words), *getattr(arguments, option)])
            if required and not (getattr(arguments, words) or names_shape(arguments)):
                made.error(f"{arguments.command}: write a {required}")
    if arguments.command == "ingest":
        _check_ingest(made, arguments)
    return arguments


def names_shape(arguments: argparse.Namespace) -> bool:
    """Whether it was said how the collection is cut from now on, for which nothing need be taken in."""
    shape = ("chunk_size", "chunk_overlap", "chunk_unit")
    return any(getattr(arguments, name, None) is not None for name in shape)


def command_names() -> set[str]:
    """The commands, by all their names."""
    return {*COMMANDS, *(alias for aliases in ALIASES.values() for alias in aliases)}


def make_parser() -> argparse.ArgumentParser:
    """The options of every command, whose name is `command`."""
    made = Parser(prog="magpie rag", description="The library on the command line.")
    made.set_defaults(settings=settings_from_options)
    commands = made.add_subparsers(metavar="command", title="commands")
    parsers = {}
    for name, told in COMMANDS.items():
        one = commands.add_parser(name, aliases=ALIASES.get(name, []), help=told, description=f"{told.capitalize()}.")
        one.set_defaults(command=name)
        add_common(one, several=name in ("search", "list", "copy"))
        if name != "serve":
            one.add_argument("--json", action="store_true", help="print JSON")
        parsers[name] = one
    _add_ingest_options(parsers["ingest"])
    parsers["watch"].add_argument("folders", nargs="+", metavar="FOLDER", help="a folder; all in it is watched")
    _add_search_options(parsers["search"])
    _list(parsers["list"])
    _add_ask_options(parsers["ask"])
    _add_remove_options(parsers["remove"])
    parsers["copy"].add_argument(
        "--to", required=True, metavar="BACKEND", help="`postgres`, `sqlite` or postgresql://..."
    )
    add_serving(parsers["serve"], SERVED)
    return made


def settings_from_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the options that all commands have say of the settings, by dotted name."""
    decided: dict[str, Any] = {}
    if arguments.collection:
        decided["rag.collection"] = named_collections(arguments)[0]
    if arguments.index_path:
        decided |= {"rag.folder": str(arguments.index_path), "rag.chroma_db_path": None}
    if getattr(arguments, "reranker", None) is not None:
        decided["rag.reranker"] = arguments.reranker
    return decided | given_options(arguments, "model", "backend", "verbose")


def named_collections(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The collections that were named."""
    value = arguments.collection or ()
    return (value,) if isinstance(value, str) else tuple(value)


def add_common(made: argparse.ArgumentParser, *, several: bool = False) -> None:
    """The options that say which library is meant."""
    if several:
        made.add_argument("--collection", action="append", metavar="NAME", help="the collection; several together")
    else:
        made.add_argument("--collection", metavar="NAME", help="the collection")
    made.add_argument("--index-path", type=Path, metavar="DIR", help="a library of its own in this folder")
    add_setting_options(made)


def add_serving(made: argparse.ArgumentParser, tools: Sequence[str]) -> None:
    """The options of a server with these tools."""
    made.add_argument(
        "--only", action="append", choices=tools, metavar="TOOL", help=f"offer this tool alone, of {', '.join(tools)}"
    )
    made.add_argument("--http", action="store_true", help="serve streamable HTTP instead of standard input and output")
    made.add_argument(
        "--port",
        type=port_number,
        default=SERVER_PORT,
        metavar="N",
        help=f"for HTTP; {SERVER_PORT} unless told, 0 for any",
    )
    made.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="for HTTP; where others can reach it, too")
    guard = made.add_mutually_exclusive_group()
    guard.add_argument(
        "--token-file", type=Path, metavar="FILE", help="for HTTP; clients must send its text, not that of a kept file"
    )
    guard.add_argument("--no-token", action="store_true", help="for HTTP; every user of this machine may read all")


def _add_ingest_options(made: argparse.ArgumentParser) -> None:
    made.add_argument("targets", nargs="*", metavar="TARGET", help="a file, a folder, a pattern or an address")
    made.add_argument(
        "--content-path", action="append", default=[], metavar="TARGET", help="another spelling of TARGET"
    )
    made.add_argument("--chunk-size", type=int, metavar="N", help="length of a chunk; kept with the collection")
    made.add_argument("--chunk-overlap", type=int, metavar="N", help="what neighbours share; kept as well")
    made.add_argument(
        "--chunk-unit",
        choices=CHUNK_UNITS,
        help="what both are counted in, tokens of the embedding model; kept as well",
    )
    made.add_argument("--depth", type=_link_depth, metavar="N", help="take in the site: pages up to N links away")
    made.add_argument("--pages", type=positive_number, metavar="N", help="pages of the site at most")
    made.add_argument(
        "--whole-site", action="store_true", help="pages of all of the site, not only of those below the address"
    )
    policy = made.add_mutually_exclusive_group()
    policy.add_argument("--fail-fast", action="store_true", help="stop at the first file that cannot be read")
    policy.add_argument(
        "--keep-going", action="store_false", dest="fail_fast", help="list failures at the end (the default)"
    )
    made.add_argument("--verbose", action="store_true", help="tell of each file where its first chunks begin")
    made.add_argument("--verify", action="store_true", help="search for what was indexed first")


def _check_ingest(made: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Leave where options of a site and of files are mixed."""
    if arguments.depth is None and (arguments.pages or arguments.whole_site):
        made.error("ingest: --pages and --whole-site go with --depth")
    if arguments.depth is not None and (arguments.fail_fast or arguments.verify):
        made.error("ingest: --fail-fast and --verify do not go with --depth")


def _add_search_options(made: argparse.ArgumentParser) -> None:
    made.add_argument("query", nargs="*", help="what to look for")
    _add_query_option(made, "query_option", "query")
    made.add_argument(
        "--queries", type=Path, metavar="FILE", help="JSON lines with _id and text, each answered as JSON"
    )
    made.add_argument(
        "--mode", "--search-mode", choices=["bm25", "vector", "hybrid"], help="by words, by meaning, or by both"
    )
    made.add_argument("--limit", type=positive_number, metavar="N", help="results of a question at most")
    made.add_argument(
        "--source", action="append", default=[], metavar="S", help="only this file, folder, address, title or pattern"
    )
    made.add_argument(
        "--filter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="only what has this author, date (2026-01..2026-03), type (pdf), language (de), kind or tag",
    )
    made.add_argument("--tag", action="append", default=[], metavar="T", help="only what has this tag; several: all")
    made.add_argument("--min-similarity", type=float, metavar="X", help="leave out what has a lower cosine")
    made.add_argument(
        "--reranker",
        metavar="R",
        help="a cross-encoder by name or folder, a name in `models`, or `model`: the one that answers; empty: none",
    )
    made.add_argument("--per-document", type=positive_number, metavar="N", help="results of one document at most")


def _list(made: argparse.ArgumentParser) -> None:
    made.add_argument("words", nargs="*", help="only what has each of them in its title or address")
    made.add_argument(
        "--kind", action="append", choices=["file", "web", "snippet"], help="only files, web pages or search results"
    )
    made.add_argument(
        "--sort",
        choices=["date", "title", "size"],
        default="date",
        help="newest first (the default), by title, longest",
    )
    made.add_argument("--page", type=positive_number, default=1, metavar="N", help="the first one unless told")
    made.add_argument(
        "--limit", type=positive_number, metavar="N", help="documents of a page; with --json all unless told"
    )


def _add_ask_options(made: argparse.ArgumentParser) -> None:
    made.add_argument("question", nargs="*")
    _add_query_option(made, "question_option", "question")
    add_model_options(made)


def _add_query_option(made: argparse.ArgumentParser, kept: str, words: str) -> None:
    made.add_argument(
        "--query", action="append", default=[], dest=kept, metavar="TEXT", help=f"another spelling of {words}"
    )


def _add_remove_options(made: argparse.ArgumentParser) -> None:
    what = made.add_mutually_exclusive_group(required=True)
    what.add_argument("name", nargs="?", help="a number of the list, a file, a folder, an address or a title")
    what.add_argument("--all", action="store_true", help="the whole collection that --collection names")


def positive_number(text: str) -> int:
    """A number above 0; argparse tells what else was written."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def _link_depth(text: str) -> int:
    depth = int(text)
    if depth < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return depth


def port_number(text: str) -> int:
    """A number that a port can have; 0 stands for any that is free."""
    number = int(text)
    if not 0 <= number < 1 << 16:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 65535")
    return number

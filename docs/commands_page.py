"""Writes the tables of docs/commands.md from the list of commands; run it with `make docs`."""

from pathlib import Path

from chatbot.commands.registry import GROUPS, CommandGroup, command_usage

PAGE = Path(__file__).parent / "commands.md"
MARK = "<!-- From here on the page is written by `make docs`, from the list of commands. -->\n"


def make_page() -> str:
    """The page as it should be: what was written by hand, then a table of each group."""
    by_hand = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    return "\n".join([f"{by_hand}{MARK}", *map(_write_table, GROUPS)])


def _write_table(group: CommandGroup) -> str:
    lines = [f"## {group.name.capitalize()}: {group.about}", "", "| command | what it does |", "| --- | --- |"]
    for one in group.commands:
        also = f" Also {', '.join(f'`/{alias}`' for alias in one.aliases)}." if one.aliases else ""
        usage, told = (text.replace("|", "\\|") for text in (command_usage(one), one.help))
        lines.append(f"| `{usage}` | {told}{also} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf-8")

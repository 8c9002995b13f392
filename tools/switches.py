"""Which tools of a chat are on: those that its profile names, and what the user switched by hand."""

from collections.abc import Collection


class ToolSwitches:
    """Says of each tool whether it is on; what the user switched off stays off whatever a profile names."""

    def __init__(self) -> None:
        self._named: frozenset[str] | None = None
        self._useless: frozenset[str] = frozenset()
        self._on: set[str] = set()
        self._off: set[str] = set()

    def allow_only(self, names: Collection[str] | None, useless: Collection[str] = ()) -> None:
        """Have these tools alone on, all where it is None, and forget what was switched on beside others.

        Those that are `useless` here are never on.
        """
        self._named = None if names is None else frozenset(names)
        self._useless = frozenset(useless)
        self._on.clear()

    def switch_tool(self, name: str, *, on: bool) -> None:
        """Switch one on or off by hand."""
        (self._off.discard if on else self._on.discard)(name)
        (self._on if on else self._off).add(name)

    def switch_off_only(self, names: Collection[str]) -> None:
        """Have these alone switched off by hand."""
        self._off = set(names)

    def is_useless(self, name: str) -> bool:
        """Whether there is nothing here that a tool is for."""
        return name in self._useless

    def is_on(self, *names: str) -> bool:
        """Whether a tool is on, by each of the names that it has."""
        if not (self._off | self._useless).isdisjoint(names):
            return False
        return self._named is None or not (self._on | self._named).isdisjoint(names)

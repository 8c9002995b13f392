"""Which tools of a chat are on: those that its profile names, and what the user switched by hand."""

from collections.abc import Collection


class ToolSwitches:
    """Says of each tool whether it is on; what the user switched off stays off whatever a profile names."""

    def __init__(self) -> None:
        self._named: frozenset[str] | None = None
        self._on: set[str] = set()
        self._off: set[str] = set()

    def allow_only(self, names: Collection[str] | None) -> None:
        """Have these tools alone on, all where it is None, and forget what was switched on beside others."""
        self._named = None if names is None else frozenset(names)
        self._on.clear()

    def switch_tool(self, name: str, *, on: bool) -> None:
        """Switch one on or off by hand."""
        (self._off.discard if on else self._on.discard)(name)
        (self._on if on else self._off).add(name)

    def is_on(self, *names: str) -> bool:
        """Whether a tool is on, by each of the names that it has."""
        if not self._off.isdisjoint(names):
            return False
        return self._named is None or not (self._on | self._named).isdisjoint(names)

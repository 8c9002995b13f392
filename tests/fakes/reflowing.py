"""An emulated screen that wraps again what stands on it when its width changes, as most terminals do."""

from typing import Any

import pyte

HISTORY = 10_000


class ReflowingScreen(pyte.HistoryScreen):
    """Rows that were one line before they were wrapped are one line again where there is room."""

    def __init__(self, columns: int, lines: int) -> None:
        super().__init__(columns, lines, history=HISTORY)

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        """What is erased to its end goes on in no other row."""
        super().erase_in_line(how, private)
        if how != 1:
            _mark(self.buffer[self.cursor.y], False)

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:
        """What is erased goes on in no other row."""
        super().erase_in_display(how, *args, **kwargs)
        for y in range(self.cursor.y if how == 0 else 0, self.cursor.y + 1 if how == 1 else self.lines):
            _mark(self.buffer[y], False)

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        """Lay everything out anew; what finds no room goes into the history at the top."""
        lines, columns = lines or self.lines, columns or self.columns
        rows: list[Any] = [*self.history.top, *(self.buffer[y] for y in range(self.lines))]
        at = len(self.history.top) + self.cursor.y
        laid: list[Any] = []
        cells: list[Any] = []
        cursor, offset = (0, 0), -1
        for index, row in enumerate(rows):
            if index == at:
                offset = len(cells) + self.cursor.x
            wrapped = getattr(row, "wrapped", False)
            end = self.columns if wrapped else max((x + 1 for x, cell in row.items() if cell.data != " "), default=0)
            cells += [row[x] for x in range(end)]
            if not wrapped:
                pieces = self._wrapped(cells, columns)
                if offset >= 0:
                    piece = min(offset // columns, len(pieces) - 1)
                    cursor, offset = (len(laid) + piece, min(offset - piece * columns, columns)), -1
                laid += pieces
                cells = []
        self._show(laid, cursor, lines, columns)

    def _wrapped(self, cells: list[Any], columns: int) -> list[Any]:
        """A line as rows."""
        pieces = [cells[start : start + columns] for start in range(0, len(cells), columns)] or [[]]
        rows = []
        for index, piece in enumerate(pieces):
            row: Any = pyte.screens.StaticDefaultDict(self.default_char)
            row.update(enumerate(piece))
            _mark(row, index < len(pieces) - 1)
            rows.append(row)
        return rows

    def _show(self, rows: list[Any], cursor: tuple[int, int], lines: int, columns: int) -> None:
        while len(rows) > max(lines, cursor[0] + 1) and not rows[-1]:
            rows.pop()
        above = max(0, len(rows) - lines)
        self.history.top.clear()
        self.history.top.extend(rows[:above])
        self.buffer.clear()
        self.buffer.update(enumerate(rows[above:]))
        self.lines, self.columns = lines, columns
        self.set_margins()
        self.cursor.y, self.cursor.x = max(0, cursor[0] - above), cursor[1]
        self.dirty.update(range(lines))


def _mark(row: Any, wrapped: bool) -> None:
    """Note whether a row goes on in the next one; a row of pyte's knows no such thing."""
    row.wrapped = wrapped

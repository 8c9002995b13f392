"""The events of a stream (text/event-stream): their data, one text each; how large one may be is the transport's."""

from collections.abc import Iterator


class EventReader:
    """Takes the bytes of a stream and gives the data of each event; comments and other fields are passed over."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[str]:
        """The data of the events that end in this piece; bytes that are no UTF-8 are replaced."""
        *ended, rest = piece.split(b"\n")
        for end in ended:
            yield from self._take_line(b"".join([*self._parts, end]))
            self._parts = []
        if rest:
            self._parts.append(rest)

    def finish(self) -> Iterator[str]:
        """The data of an event that the stream's end has ended."""
        yield from self._take_line(b"".join(self._parts))
        self._parts = []
        yield from self._end_event()

    def _take_line(self, raw: bytes) -> Iterator[str]:
        line = raw.decode("utf-8", "replace").removesuffix("\r")
        field, _, value = line.partition(":")
        if not line:
            yield from self._end_event()
        elif field == "data":
            self._data.append(value.removeprefix(" "))

    def _end_event(self) -> Iterator[str]:
        data, self._data = "\n".join(self._data), []
        if data.strip():
            yield data

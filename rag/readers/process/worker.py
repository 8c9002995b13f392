"""The process in which files are read: what a hostile file takes or breaks, it takes from and breaks in here.

Takes one order after the other from the socket whose descriptor is its argument. Every message is its length in eight
bytes and JSON; after an order comes the file's descriptor or the bytes. It answers with any number of `documents`, or a
`picture`, a `page` with its documents, a `sitemap` or what an `archive` says where that is ordered, and then one of
`done`, `refused`, `exhausted` and `crashed`. Processor time is counted by a timer that ends the process, memory is
limited by the system.
"""

import base64
import io
import json
import os
import signal
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, Literal

from msgspec import convert

from rag.documents import Picture, Properties
from rag.readers.formats import RECORD_TYPES, STREAMS, read_one, read_records_of
from rag.readers.front_matter import properties_of
from rag.readers.pictures.picture import read_picture
from rag.readers.properties.finding import find_properties
from rag.readers.text import name_of
from rag.readers.website.page_links import find_links
from rag.readers.website.sitemap import read_sitemap
from rag.zim.archive import answer_request
from rag.zim.values import ArchiveRequest
from utils.errors import DocumentError
from utils.platform import die_with_parent, limit_memory, memory_in_use

LENGTH = struct.Struct(">Q")
_BATCH = 1 << 18
"""Characters of records that are sent together."""
_WORN = 1 << 28
"""Bytes of memory a worker may keep from the files it read; past them a new one takes its place."""


Wanted = Literal["text", "picture", "page", "sitemap"]


@dataclass(frozen=True)
class Order:
    """What is to be read: `size` bytes that follow, or those of the descriptor that comes along when it is -1."""

    source: str
    media_type: str
    charset: str
    size: int
    seconds: float
    """Processor time."""
    memory: int
    """Bytes beside what the process has already."""
    wanted: Wanted = "text"
    """The documents in it, the picture that it is, a page of a site with its links, or a map of a site."""
    request: ArchiveRequest | None = None
    """What is asked of the ZIM archive at `source`, in the place of that."""


Row = tuple[str, str, str, str, dict[str, Any]]
"""Source, title, text, media type, and what the text says of itself."""


def main() -> None:
    """Read what is ordered until the other side is gone."""
    die_with_parent()
    threading.Thread(target=_exit_at_end_of, args=(sys.stdin.fileno(),), daemon=True).start()
    fresh = memory_in_use()
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        while begin := _receive_order(connection):
            order, file = begin
            with file:
                signal.setitimer(signal.ITIMER_PROF, order.seconds)
                limit_memory(order.memory)
                end = _answer_order(connection, order, file)
                signal.setitimer(signal.ITIMER_PROF, 0)
            _send_message(connection, end | {"worn": memory_in_use() - fresh > _WORN})


def _answer_order(connection: socket.socket, order: Order, file: BinaryIO) -> dict[str, Any]:
    """Send the documents; the message to end with."""
    try:
        for message in messages_of(order, file):
            _send_message(connection, message)
    except DocumentError as error:
        return {"refused": [error.problem, error.remedy]}
    except RecursionError:
        return {"refused": [f"{name_of(order.source)} is nested too deeply to be read.", ""]}
    except MemoryError:
        return {"exhausted": True}
    except OSError as error:
        # Its disk, or the network that it lies on, does not give it.
        return {"refused": [f"{name_of(order.source)} cannot be read: {error.strerror or error}.", ""]}
    except Exception:  # noqa: BLE001 - not handled here: it is told by the process that ordered
        return {"crashed": traceback.format_exc()}
    return {"done": True}


def messages_of(order: Order, file: BinaryIO) -> Iterator[dict[str, Any]]:
    """What is wanted of a file, in messages; raises `DocumentError`."""
    if order.request:
        yield {"archive": answer_request(order.source, order.request)}
    elif order.wanted == "picture":
        yield {"picture": picture_message(read_picture(file.read(), order.source))}
    elif order.wanted == "sitemap":
        yield {"sitemap": asdict(read_sitemap(file.read()))}
    else:
        if order.wanted == "page":
            data = file.read()
            file = io.BytesIO(data)
            # Where no text is in it, its links are known all the same.
            yield {"page": asdict(find_links(data, order.media_type, order.source, order.charset))}
        for batch in _batch_rows(rows_of(order, file)):
            yield {"documents": batch}


def rows_of(order: Order, file: BinaryIO) -> Iterator[Row]:
    """The documents in a file; raises `DocumentError`."""
    if order.media_type in STREAMS and order.size < 0:
        for source, title, text in read_records_of(file, order.media_type, order.source):
            kind = RECORD_TYPES[order.media_type]
            yield _row_of(source, title, text, kind, properties_of(text, kind))
    else:
        data = file.read()
        title, text, kind = read_one(data, order.media_type, order.source, order.charset)
        yield _row_of(order.source, title, text, kind, find_properties(data, text, kind, order.charset))


def _row_of(source: str, title: str, text: str, media_type: str, properties: Properties) -> Row:
    return source, title, text, media_type, asdict(properties)


def picture_message(picture: Picture) -> dict[str, Any]:
    """A picture as it goes over the socket, its bytes as text."""
    return asdict(picture) | {"data": base64.b64encode(picture.data).decode()}


def _batch_rows(rows: Iterator[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    size = 0
    try:
        for row in rows:
            batch.append(row)
            size += len(row[2])
            if size >= _BATCH:
                yield batch
                batch, size = [], 0
    except Exception:
        # What was read before is handed out all the same.
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _receive_order(connection: socket.socket) -> tuple[Order, BinaryIO] | None:
    """The next order with its bytes; None when there will be none."""
    head, files, *_ = socket.recv_fds(connection, LENGTH.size, 1)
    if not head:
        return None
    head += _receive_bytes(connection, LENGTH.size - len(head))
    order = convert(json.loads(_receive_bytes(connection, LENGTH.unpack(head)[0])), Order)
    if files:
        return order, os.fdopen(files[0], "rb")
    return order, io.BytesIO(_receive_bytes(connection, order.size))


def _receive_bytes(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = connection.recv(min(size - len(data), 1 << 20))
        if not part:
            sys.exit()
        data += part
    return bytes(data)


def _send_message(connection: socket.socket, message: dict[str, Any]) -> None:
    connection.sendall(frame_message(message))


def frame_message(message: dict[str, Any]) -> bytes:
    """A message as it goes over the socket; lone surrogates, which broken files have, go with it."""
    data = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return LENGTH.pack(len(data)) + data


def unframe_message(data: bytes) -> dict[str, Any]:
    """The message again, without its length."""
    message: dict[str, Any] = json.loads(data.decode("utf-8", "surrogatepass"))
    return message


def _exit_at_end_of(pipe: int) -> None:
    os.read(pipe, 1)
    os._exit(0)


if __name__ == "__main__":
    main()

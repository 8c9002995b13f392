"""What went wrong with a server, in words: the one place that knows what the SDK and its HTTP client raise."""

import httpx2
from mcp import MCPError
from mcp_types import PARSE_ERROR, REQUEST_TIMEOUT
from pydantic import ValidationError

from utils.errors import MagpieError
from utils.secrets import hide_learnt
from utils.text import one_line

_LATE, _NO_MESSAGE = "it did not answer in time", "what it sent is no message of the protocol"
_REASONS_BY_CODE = {REQUEST_TIMEOUT: _LATE, PARSE_ERROR: _NO_MESSAGE}
_REASONS_BY_TYPE: tuple[tuple[type[BaseException], str], ...] = (
    (ValidationError, "what it sent does not fit the protocol"),
    (TimeoutError, _LATE),
    (httpx2.TimeoutException, _LATE),
    (httpx2.SSEError, "its answer is no stream of events"),
    (httpx2.RemoteProtocolError, "it broke off, or what it sent is no proper HTTP"),
)


def broke_off(message: object) -> bool:
    """Whether what came from the SDK in the place of a message says that the stream of messages has broken off."""
    return isinstance(message, httpx2.TransportError) and not isinstance(message, httpx2.SSEError)


def first_of(error: BaseException) -> BaseException:
    """What broke a group of tasks, or the error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def reason_of(error: BaseException) -> str:
    """What went wrong, as a clause, without the keys that a server was shown."""
    error = first_of(error)
    for kind, told in _REASONS_BY_TYPE:
        if isinstance(error, kind):
            return told
    if isinstance(error, httpx2.HTTPStatusError):
        return f"it answers with HTTP status {error.response.status_code}"
    if isinstance(error, MCPError):
        return _REASONS_BY_CODE.get(error.code) or f"it says: {one_line(hide_learnt(error.message), 300).rstrip('.')}"
    said = error.problem if isinstance(error, MagpieError) else str(error)
    return one_line(hide_learnt(said), 300).rstrip(".") or type(error).__name__

"""What the failures of a server of models mean: its words and the exceptions become one sentence and a remedy."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from chatbot.models.remote.destination import Destination, hide_key
from chatbot.models.wire_values import parse_object
from utils.errors import ModelError, ModelNotFound, ModelUnavailable, NetworkError, Offline, ReplyBroken, Unreachable
from utils.network.retries import LONGEST_WAIT_SECONDS, RetryableFailure, is_retried, read_retry_after
from utils.text import one_line

SLOW_SERVER = "Wait for the model to load and ask again, choose a smaller one, or raise request_timeout."
CHOOSE = "/model lists those that are there."
NO_MONEY = re.compile(
    r"insufficient_quota|billing|exceeded your current quota|credit balance|payment|spend[_ ]limit|usage limits",
    re.IGNORECASE,
)
MISSING = re.compile(
    r"model.{0,200}?(not found|does not exist|not loaded|no such|unknown)|no models? loaded", re.IGNORECASE
)


class PackageErrors(NamedTuple):
    """What a package raises: the kind of all, of connections and of statuses other than 200."""

    base: type[Exception]
    connection: type[Exception]
    status: type[Any]


class PassingError(Exception):
    """An error that a stream began with and that may be over soon; `meaning` is what it is if it is not."""

    def __init__(self, status: int, meaning: ModelError) -> None:
        super().__init__(str(meaning))
        self.status = status
        self.meaning = meaning


@dataclass(frozen=True)
class ApiErrors:
    """Reads the failures of the servers of one API."""

    api: str
    """How a sentence calls it: what answers there `is no API for models`."""
    load_package: Callable[[], PackageErrors]
    """Imports the package, which takes a second."""
    read_refusal: Callable[[str, dict[str, Any], int], ModelError | None]
    """What of a request is refused, by the server's words, all that it says of the error, and the status."""
    check_url: str
    """What to do where another thing answers."""
    reach: str
    """What to do where nothing answers."""
    set_key: str
    check_key: str

    @asynccontextmanager
    async def translate_errors(self, where: Destination) -> AsyncIterator[None]:
        """Whatever the package, httpx2 and the guard raise inside becomes a `ModelError`."""
        import httpx2

        package = self.load_package()
        known = (OSError, package.base, httpx2.HTTPError, httpx2.InvalidURL, NetworkError, UnicodeError, PassingError)
        try:
            yield
        except known as error:
            # Some servers repeat the key: such words must not stand in a traceback either.
            repeats = bool(where.key) and where.key in str(error)
            raise self.translate_error(where, error) from (None if repeats else error)

    def translate_error(self, where: Destination, error: Exception) -> ModelError:
        """The `ModelError` that stands for a library's exception."""
        import httpx2

        from utils.network.httpx2_transport import AnswerRefused

        cause = self._find_cause(error)
        match cause:
            case PassingError():
                return cause.meaning
            case Offline():
                return ModelUnavailable(cause.problem, cause.remedy)
            case AnswerRefused():
                return ReplyBroken(f"{where.host} sends what is not taken: {one_line(str(cause))}.", self.check_url)
            case Unreachable() | httpx2.ConnectTimeout() | httpx2.ConnectError() | ConnectionError():
                return ModelUnavailable(f"Nothing answers at {where.endpoint.base_url}.", self.reach)
            case httpx2.TimeoutException() | TimeoutError():
                return ModelUnavailable(f"No sign from {where.host} within the time allowed.", SLOW_SERVER)
            case httpx2.TransportError():
                return ReplyBroken(f"The connection to {where.host} broke in the middle of an answer.", "Ask again.")
        if isinstance(cause, self.load_package().status):
            return self.refused_request(where, cause.status_code, cause.response.text)
        return ModelUnavailable(f"{where.host} cannot be asked: {one_line(str(cause or error), 200)}.", self.check_url)

    def passing_failure(self, where: Destination, error: Exception) -> RetryableFailure | None:
        """What of a failure may be over soon; None where to ask again would bring the same."""
        import httpx2

        from utils.network.httpx2_transport import AnswerRefused

        cause = self._find_cause(error)
        match cause:
            case PassingError():
                return RetryableFailure(tell_busy(where, cause.status))
            case AnswerRefused() | httpx2.TimeoutException() | httpx2.ConnectError():
                return None
            case httpx2.TransportError():
                return RetryableFailure(f"The connection to {where.host} broke")
        if not isinstance(cause, self.load_package().status):
            return None
        meaning = self.refused_request(where, cause.status_code, cause.response.text)
        if not may_pass(cause.status_code, meaning):
            return None
        return RetryableFailure(tell_busy(where, cause.status_code), read_retry_after(cause.response.headers))

    def foreign_answer(self, where: Destination, what: str) -> ModelUnavailable:
        """An answer that no server of this API would give."""
        return ModelUnavailable(f"What answers at {where.endpoint.base_url} is {self.api} ({what}).", self.check_url)

    def refused_request(self, where: Destination, status: int, body: str) -> ModelError:
        """The failure that a status other than 200 and its body mean."""
        answer = parse_object(body)
        details = read_details(answer) if answer is not None else None
        if details:
            return self.said_error(where, status, details)
        if status in (401, 403):
            return self.refused_key(where, status)
        if refusal := self.read_refusal("", {}, status):
            return refusal
        if is_retried(status):
            problem = f"{where.host} answers with status {status} and no word why."
            return ModelUnavailable(problem, "Wait a moment and ask again.")
        return self.foreign_answer(
            where, "it sends a web page" if body.lstrip().startswith("<") else f"status {status}"
        )

    def said_error(self, where: Destination, status: int, details: dict[str, Any]) -> ModelError:
        """The failure that a server's own words mean."""
        words = one_line(hide_key(where, str(details.get("message") or details.get("type") or details)), 300)
        if refusal := self.read_refusal(words, details, status):
            return refusal
        words = words.rstrip(".")
        told = f"{words} {details.get('code')} {details.get('type')} {details.get('details')}"
        if status == 402 or NO_MONEY.search(told):
            return ModelError(f"{where.host} takes no more from this account: {words}.", "See your plan there.")
        if status in (401, 403):
            return self.refused_key(where, status, words)
        if status == 404 or MISSING.search(told):
            return ModelNotFound(f"{where.host} says: {words}.", CHOOSE)
        if is_retried(status):
            return ModelUnavailable(f"{where.host} says (status {status}): {words}.", wait_for(status))
        return ModelError(f"{where.host} says: {words}.", "Ask again, or see the server's log.")

    def refused_key(self, where: Destination, status: int, words: str = "") -> ModelError:
        """That a server wants a key, or another one."""
        said = f" ({words})" if words else ""
        if where.key and not where.sent_key:
            problem = f"{where.host} wants a key, and none is sent to it unencrypted{said}."
            return ModelUnavailable(problem, "Use https://, or its private address in numbers.")
        if not where.key:
            return ModelUnavailable(f"{where.host} wants a key{said}.", self.set_key)
        return ModelUnavailable(f"{where.host} does not accept the key (status {status}){said}.", self.check_key)

    def _find_cause(self, error: Exception) -> BaseException | None:
        """What broke a connection, which the package raises an exception of its own from."""
        return error.__cause__ if isinstance(error, self.load_package().connection) else error


def may_pass(status: int, meaning: ModelError) -> bool:
    """Whether the same request may be answered later: what will not has a meaning of its own kind."""
    return is_retried(status) and type(meaning) is ModelUnavailable


def tell_busy(where: Destination, status: int) -> str:
    """The beginning of the sentence that a request is sent again."""
    busy = "has too much to do" if status in (429, 503, 529) else "could not answer"
    return f"{where.host} {busy} (status {status})"


def wait_for(status: int) -> str:
    """What to do about a server that does not answer now."""
    if status == 429:
        return f"Wait a minute and ask again: more than {LONGEST_WAIT_SECONDS:.0f} s are not waited for."
    return "Wait a moment and ask again, or see the server's log."


def read_details(answer: dict[str, Any]) -> dict[str, Any]:
    """What an answer says of an error: servers put it below `error`, or at the top, as an object or as a text."""
    for key in ("error", "detail", "message"):
        said = answer.get(key)
        if isinstance(said, dict):
            return said
        if said:
            return {**answer, "message": said if isinstance(said, str) else str(said)}
    return {}

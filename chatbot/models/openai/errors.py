"""What the failures of a server of OpenAI's protocol mean: words and exceptions become one sentence and a remedy."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from chatbot.models.openai.endpoints import KEY_VARIABLE
from chatbot.models.openai.refusals import read_refusal
from chatbot.models.remote.destination import WORDS_READ, Destination, hide_key
from chatbot.models.wire_values import parse_object
from utils.errors import ModelError, ModelNotFound, ModelUnavailable, NetworkError, Offline, ReplyBroken, Unreachable
from utils.network.retries import LONGEST_WAIT_SECONDS, RetryableFailure, is_retried, read_retry_after
from utils.text import one_line

CHECK_URL = "Check openai.base_url and OPENAI_BASE_URL: it is often http://host:port/v1."
CHECK_KEY = f"Check {KEY_VARIABLE}, or the file that openai.key_file names."
SET_KEY = f"Set {KEY_VARIABLE}, or name a file of mode 0600 that holds it: openai.key_file."
SLOW_SERVER = "Wait for the model to load and ask again, choose a smaller one, or raise request_timeout."
CHOOSE = "/model lists those that are there."
QUOTA = re.compile(r"insufficient_quota|billing|exceeded your current quota|credit balance|payment", re.IGNORECASE)
MISSING = re.compile(
    r"model.{0,200}?(not found|does not exist|not loaded|no such|unknown)|no models? loaded", re.IGNORECASE
)
BY_FILTER = re.compile(r"content[_ ](filter|policy|management)|safety system", re.IGNORECASE)


@asynccontextmanager
async def translate_errors(where: Destination) -> AsyncIterator[None]:
    """Whatever the `openai` package, httpx2 and the guard raise inside becomes a `ModelError`."""
    import httpx2
    import openai

    try:
        yield
    except (OSError, openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, NetworkError, UnicodeError) as error:
        # Some servers repeat the key: such words must not stand in a traceback either.
        repeats = bool(where.key) and where.key in str(error)
        raise translate_error(where, error) from (None if repeats else error)


def translate_error(where: Destination, error: Exception) -> ModelError:
    """The `ModelError` that stands for a library's exception."""
    import httpx2
    import openai

    from utils.network.httpx2_transport import AnswerRefused

    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
    match cause:
        case Offline():
            return ModelUnavailable(cause.problem, cause.remedy)
        case openai.APIStatusError():
            return refused_request(where, cause.status_code, cause.response.text)
        case AnswerRefused():
            return ReplyBroken(f"{where.host} sends what is not taken: {one_line(str(cause))}.", CHECK_URL)
        case Unreachable() | httpx2.ConnectTimeout() | httpx2.ConnectError() | ConnectionError():
            return ModelUnavailable(f"Nothing answers at {where.endpoint.base_url}.", f"Start it. {CHECK_URL}")
        case httpx2.TimeoutException() | TimeoutError():
            return ModelUnavailable(f"No sign from {where.host} within the time allowed.", SLOW_SERVER)
        case httpx2.TransportError():
            return ReplyBroken(f"The connection to {where.host} broke in the middle of an answer.", "Ask again.")
    return ModelUnavailable(f"{where.host} cannot be asked: {one_line(str(cause or error), 200)}.", CHECK_URL)


def passing_failure(where: Destination, error: Exception) -> RetryableFailure | None:
    """What of a failure may be over soon; None where to ask again would bring the same."""
    import httpx2
    import openai

    from utils.network.httpx2_transport import AnswerRefused

    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
    match cause:
        case openai.APIStatusError():
            if not is_retried(cause.status_code) or is_final(cause.response.text, cause.status_code):
                return None
            busy = "has too much to do" if cause.status_code in (429, 503, 529) else "could not answer"
            after = read_retry_after(cause.response.headers)
            return RetryableFailure(f"{where.host} {busy} (status {cause.status_code})", after)
        case AnswerRefused() | httpx2.TimeoutException() | httpx2.ConnectError():
            return None
        case httpx2.TransportError():
            return RetryableFailure(f"The connection to {where.host} broke")
    return None


def is_final(body: str, status: int) -> bool:
    """Whether the words of an answer say that it will not be another one: no money left, or what was asked for."""
    details = read_details(parse_object(body) or {})
    words = str(details.get("message"))[:WORDS_READ]
    return bool(QUOTA.search(f"{words} {details.get('code')}") or read_refusal(words, details, status))


def foreign_answer(where: Destination, what: str) -> ModelUnavailable:
    """An answer that no server of this protocol would give."""
    return ModelUnavailable(f"What answers at {where.endpoint.base_url} is no API for models ({what}).", CHECK_URL)


def refused_request(where: Destination, status: int, body: str) -> ModelError:
    """The failure that a status other than 200 and its body mean."""
    answer = parse_object(body)
    details = read_details(answer) if answer is not None else None
    if details:
        return said_error(where, status, details)
    if status in (401, 403):
        return refused_key(where, status)
    if is_retried(status):
        problem = f"{where.host} answers with status {status} and no word why."
        return ModelUnavailable(problem, "Wait a moment and ask again.")
    what = "it sends a web page" if body.lstrip().startswith("<") else f"status {status}"
    return foreign_answer(where, what)


def read_details(answer: dict[str, Any]) -> dict[str, Any]:
    """What an answer says of an error: servers put it below `error`, or at the top, as an object or as a text."""
    for key in ("error", "detail", "message"):
        said = answer.get(key)
        if isinstance(said, dict):
            return said
        if said:
            return {**answer, "message": said if isinstance(said, str) else str(said)}
    return {}


def said_error(where: Destination, status: int, details: dict[str, Any]) -> ModelError:
    """The failure that a server's own words mean."""
    words = one_line(hide_key(where, str(details.get("message") or details.get("type") or details)), 300)
    told = f"{words} {details.get('code')} {details.get('type')}"
    if refusal := read_refusal(words, details, status):
        return refusal
    if BY_FILTER.search(told):
        return ModelError(f"The content filter of {where.host} refuses it: {words.rstrip('.')}.", "Ask in other words.")
    if QUOTA.search(told) or status == 402:
        return ModelError(f"{where.host} takes no more from this account: {words.rstrip('.')}.", "See your plan there.")
    if status in (401, 403):
        return refused_key(where, status, words)
    if status == 404 or MISSING.search(told):
        return ModelNotFound(f"{where.host} says: {words.rstrip('.')}.", CHOOSE)
    if is_retried(status):
        return ModelUnavailable(f"{where.host} says (status {status}): {words.rstrip('.')}.", wait_for(status))
    return ModelError(f"{where.host} says: {words.rstrip('.')}.", "Ask again, or see the server's log.")


def wait_for(status: int) -> str:
    """What to do about a server that does not answer now."""
    if status == 429:
        return f"Wait a minute and ask again: more than {LONGEST_WAIT_SECONDS:.0f} s are not waited for."
    return "Wait a moment and ask again, or see the server's log."


def refused_key(where: Destination, status: int, words: str = "") -> ModelError:
    """That a server wants a key, or another one."""
    said = f" ({words.rstrip('.')})" if words else ""
    if where.key and not where.sent_key:
        problem = f"{where.host} wants a key, and none is sent to it unencrypted{said}."
        return ModelUnavailable(problem, "Use https://, or its private address in numbers.")
    if not where.key:
        return ModelUnavailable(f"{where.host} wants a key{said}.", SET_KEY)
    return ModelUnavailable(f"{where.host} does not accept the key (status {status}){said}.", CHECK_KEY)

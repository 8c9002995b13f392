"""Failures as answers: a status, one sentence, and what to do; in the form that clients of OpenAI's API read."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from chatbot.frontends.http_api.values import CleanJson
from rag.catalogue import AmbiguousName
from utils.errors import (
    AddressRefused,
    ConfigError,
    DocumentError,
    LibraryError,
    MagpieError,
    ModelNotFound,
    ModelUnavailable,
    NetworkError,
    QuestionTooLong,
    ToolError,
)
from utils.faults import record_fault
from utils.text import one_line


class ApiRefusal(MagpieError):
    """A request that is not served; `status` is HTTP's."""

    def __init__(
        self, status: int, problem: str, remedy: str = "", *, code: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(problem, remedy)
        self.status = status
        self.code = code
        self.headers = dict(headers or {})


class ErrorDetail(BaseModel):
    """What went wrong."""

    message: str = Field(description="What happened and what to do, in one text.")
    type: str
    code: str | None = None
    param: str | None = Field(None, description="The part of the request that is wrong, where it is known.")
    problem: str = Field(description="What happened.")
    remedy: str = Field("", description="What to do about it; empty where nothing can be done.")


class ErrorBody(BaseModel):
    """The body of every answer that is no success."""

    error: ErrorDetail


_STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (AmbiguousName, 409),
    (ModelNotFound, 404),
    (ModelUnavailable, 503),
    (QuestionTooLong, 400),
    (AddressRefused, 400),
    (DocumentError, 400),
    (NetworkError, 502),
    (ConfigError, 400),
    (LibraryError, 503),
    (ToolError, 400),
)
"""Of what may go wrong in the house; all else is 500."""


def status_of(error: Exception) -> int:
    """HTTP's status for a failure."""
    if isinstance(error, ApiRefusal):
        return error.status
    if type(error) is MagpieError:
        # What is of no kind says what is wrong with what was asked.
        return 400
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def error_detail(error: MagpieError | ToolError, param: str | None = None) -> dict[str, str | None]:
    """A failure as a value."""
    status = status_of(error)
    kind = "server_error" if status >= 500 else "rate_limit_error" if status == 429 else "invalid_request_error"
    return {
        "message": str(error),
        "type": kind,
        "code": getattr(error, "code", "") or None,
        "param": param,
        "problem": error.problem,
        "remedy": getattr(error, "remedy", ""),
    }


def error_response(error: MagpieError | ToolError, *, param: str | None = None) -> CleanJson:
    """A failure as an answer."""
    return CleanJson({"error": error_detail(error, param)}, status_of(error), headers=getattr(error, "headers", None))


def handle_failures(app: FastAPI) -> None:
    """Have every failure of a route told in this form."""

    def tell_failure(_: Request, error: Exception) -> Response:
        return error_response(error if isinstance(error, ToolError) else record_fault(error, "Answering the request"))

    def tell_misfit(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        place, problem = _first_misfit(error)
        return error_response(ApiRefusal(422, problem, "See /api/openapi.json.", code="invalid_value"), param=place)

    def tell_status(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        said = {404: "There is nothing at this address.", 405: "This address does not take that method."}
        problem = said.get(error.status_code) or one_line(str(error.detail), 300)
        return error_response(
            ApiRefusal(error.status_code, problem, "See /api/openapi.json.", headers=error.headers or {})
        )

    for kind in (MagpieError, ToolError, Exception):
        app.add_exception_handler(kind, tell_failure)
    app.add_exception_handler(RequestValidationError, tell_misfit)
    app.add_exception_handler(HTTPException, tell_status)


def _first_misfit(error: RequestValidationError) -> tuple[str, str]:
    """Where a request does not fit first, and a sentence; what it held is not told again."""
    first: Mapping[str, Any] = next(iter(error.errors()), {})
    place = ".".join(str(part) for part in first.get("loc", ()) if part != "body")
    said = one_line(str(first.get("msg", "it does not fit")), 200).rstrip(".")
    return one_line(place, 100), f"{one_line(place, 100) or 'The body'} cannot be that: {said}."

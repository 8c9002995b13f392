"""Which functions of Magpie's own a piece of work calls, and how each is made to fail once."""

import gc
import inspect
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

ROOT = Path(__file__).parents[2]
OURS = tuple(f"{ROOT / folder}/" for folder in ("chatbot", "tools", "rag", "utils"))

NETS = ("utils.faults.", "tools.web.fetch.Fetcher._forget_request")
"""What catches the failures of all others, or looks at one: it is not made to fail itself."""

_struck: list[FunctionType] = []
_waiting: list[tuple[FunctionType, CodeType, Exception]] = []


@contextmanager
def watched() -> Iterator[set[CodeType]]:
    """Collects what is called meanwhile, in all threads that are started meanwhile as well."""
    called: set[CodeType] = set()

    def see(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OURS):
            called.add(frame.f_code)

    threading.setprofile(see)
    sys.setprofile(see)
    try:
        yield called
    finally:
        unwatch()


def unwatch() -> None:
    """Look no longer."""
    sys.setprofile(None)
    threading.setprofile(None)


def functions_of(codes: set[CodeType]) -> list[FunctionType]:
    """The functions that these are the code of, in a fixed order; not those that are made within others."""
    found = {
        (function.__module__, function.__qualname__): function
        for function in gc.get_objects()
        # Not isinstance: that asks an object that pretends to be another for its class, and one of torch's warns then.
        if type(function) is FunctionType
        and function.__code__ in codes
        and not function.__code__.co_freevars
        and "<" not in function.__qualname__
        and not f"{function.__module__}.{function.__qualname__}".startswith(NETS)
    }
    return [found[name] for name in sorted(found)]


@contextmanager
def broken(function: FunctionType, error: Exception) -> Iterator[list[FunctionType]]:
    """Has a function raise at its next call, and be sound again; collects it when that has happened."""
    _struck.clear()
    sound = function.__code__
    _waiting.append((function, sound, error))
    function.__code__ = _failing(function)
    try:
        yield _struck
    finally:
        function.__code__ = sound
        _waiting.clear()


def strike(given: tuple[Any, ...]) -> None:
    """Called in the place of the function, with what that was given."""
    if not _waiting:
        raise RuntimeError("called twice at once")
    function, sound, error = _waiting.pop()
    function.__code__ = sound
    _struck.append(function)
    for work in filter(inspect.iscoroutine, given):
        # Nobody awaits it any more, of which Python would warn.
        work.close()
    raise type(error)(*error.args)


def _failing(function: FunctionType) -> CodeType:
    """Code of the same kind, so that it fails where the function would: when it is called, or when it is awaited."""
    if inspect.isasyncgenfunction(function):
        return _async_generator.__code__
    if inspect.iscoroutinefunction(function):
        return _coroutine.__code__
    if inspect.isgeneratorfunction(function):
        return _generator.__code__
    return _plain.__code__


# They stand in for functions of other modules: of these names they know none.
def _plain(*given: Any, **__: Any) -> Any:
    __import__("tests.fakes.breaking", fromlist=["strike"]).strike(given)


def _generator(*given: Any, **__: Any) -> Any:
    __import__("tests.fakes.breaking", fromlist=["strike"]).strike(given)
    yield


async def _coroutine(*given: Any, **__: Any) -> Any:
    __import__("tests.fakes.breaking", fromlist=["strike"]).strike(given)


async def _async_generator(*given: Any, **__: Any) -> Any:
    __import__("tests.fakes.breaking", fromlist=["strike"]).strike(given)
    yield

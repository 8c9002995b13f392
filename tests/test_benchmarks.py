"""What benchmarks hold of the product."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.turns import STEPS, Clock, put_in_place_of
from chatbot.models.pipeline.reading import found_parts
from chatbot.models.pipeline.reading.answerability import holds_answer
from tools.base import Toolbox


@pytest.mark.parametrize("function", [one for functions in STEPS.values() for one in functions])
def test_every_step_that_is_timed_is_a_coroutine_or_a_stream_of_the_product(function: Callable[..., Any]) -> None:
    assert inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    assert function.__module__.startswith(("chatbot.", "tools."))


@pytest.mark.parametrize(("owner", "function"), [(found_parts, holds_answer), (Toolbox, Toolbox.execute_call)])
def test_a_step_is_timed_wherever_the_product_holds_it(owner: Any, function: Callable[..., Any]) -> None:
    timed = Clock().watch("step", function)
    put_in_place_of(function, timed)
    try:
        assert vars(owner)[function.__name__] is timed
    finally:
        put_in_place_of(timed, function)
    assert vars(owner)[function.__name__] is function

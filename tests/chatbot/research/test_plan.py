import pytest

from chatbot.research.plan import change_plan, is_change, told_plan, write_plan
from tests.fakes.model import ScriptedModel
from utils.errors import MagpieError, ReplyBroken

QUESTION = "What does the lido in Holm cost, and when is it open?"
COST, OPEN = "What does the lido in Holm cost?", "When is the lido in Holm open?"


@pytest.mark.parametrize(
    ("written", "plan"),
    [
        ([COST, OPEN], [COST, OPEN]),
        ([f"  {COST}\n", COST, OPEN, "Who won the war of 1812?"], [COST, OPEN]),
        ([COST], [QUESTION]),
        (["Who won the war of 1812?", "And who lost?"], [QUESTION]),
        ([], [QUESTION]),
        ("no list", [QUESTION]),
    ],
)
async def test_of_what_the_model_writes_what_is_about_the_question_is_planned(written: object, plan: list[str]) -> None:
    assert await write_plan(ScriptedModel([], filled=[{"questions": written}]), QUESTION, 6) == plan


async def test_a_question_of_the_plan_that_asks_of_several_things_is_taken_apart() -> None:
    joined = "When do the lido in Holm and the museum in Holm open?"
    parts = [OPEN, "When is the museum in Holm open?"]
    model = ScriptedModel([], filled=[{"questions": [COST, joined]}, {"questions": parts}])
    assert await write_plan(model, QUESTION, 6) == [COST, *parts]


async def test_a_question_that_the_model_plans_no_parts_of_is_taken_apart_itself() -> None:
    model = ScriptedModel([], filled=[{"questions": []}, {"questions": [COST, OPEN]}])
    assert await write_plan(model, QUESTION, 6) == [COST, OPEN]


async def test_a_plan_has_no_more_questions_than_are_set() -> None:
    towns = [f"What does the lido in {town} cost?" for town in ("Arn", "Brill", "Coll", "Dorn")]
    assert await write_plan(ScriptedModel([], filled=[{"questions": towns}]), QUESTION, 3) == towns[:3]


async def test_a_model_that_writes_no_plan_leaves_the_question_itself() -> None:
    assert await write_plan(ScriptedModel([], filled=[ReplyBroken("It broke off.")]), QUESTION, 6) == [QUESTION]


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("drop 1", [OPEN]),
        ("-2", [COST]),
        ("2 Is it open  in winter?", [COST, "Is it open in winter?"]),
        ("1. Is it dear?", ["Is it dear?", OPEN]),
        ("add Who runs it?", [COST, OPEN, "Who runs it?"]),
        ("+ Who runs it?", [COST, OPEN, "Who runs it?"]),
    ],
)
def test_a_line_changes_the_plan(line: str, changed: list[str]) -> None:
    assert is_change(line)
    assert change_plan([COST, OPEN], line) == changed


@pytest.mark.parametrize(
    ("plan", "line", "told"),
    [
        ([COST, OPEN], "drop 3", "The plan has no question 3. Its numbers are 1 to 2."),
        ([COST, OPEN], "0 What?", "The plan has no question 0."),
        ([COST], "drop 1", "A plan has one question at least."),
        ([COST], "yes please", "That changes no plan. Write `2 other words`"),
    ],
)
def test_a_line_that_cannot_change_it_is_said(plan: list[str], line: str, told: str) -> None:
    with pytest.raises(MagpieError) as failure:
        change_plan(plan, line)
    assert str(failure.value).startswith(told)


def test_a_plan_is_told_in_numbered_lines() -> None:
    assert told_plan([COST, OPEN]) == f"1. {COST}\n2. {OPEN}"

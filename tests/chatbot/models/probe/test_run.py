"""A probe tells apart who calls tools well from who only speaks of it, writes calls as text, or calls none."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from chatbot.conversation.messages import Message
from chatbot.models.embedded.model import EmbeddedModel
from chatbot.models.probe.asking import ProbedModel
from chatbot.models.probe.checks import CHECKS, FIRST_LOOK
from chatbot.models.probe.results import ProbeResult, ProbeResults
from chatbot.models.probe.run import calls_well, count_passed, look_first, run_checks, sum_up, tell_serving
from chatbot.models.probe.squares import GREEN
from tests.fakes.model import ScriptedModel, says
from tests.fakes.probed import SKILLED, SkilledModel, TalkingModel, WritingModel
from tools.base import ToolSchema
from utils.errors import ModelUnavailable, ReplyBroken, ToolsUnsupported

NAMES = ("web_search", "search_vector_db", "fetch_url_content", "calculate")
PARAMETERS = {"type": "object", "properties": {"query": {"type": "string"}, "url": {"type": "string"}}}
TOOLS = tuple(ToolSchema(name, "Does it.", PARAMETERS) for name in NAMES)
RESULT = ProbeResult("a", "d1", True, ("calls a tool",), (), "2026-11-25", True, "embedded:a")


async def asked(model: ScriptedModel | EmbeddedModel, tools: tuple[ToolSchema, ...] = TOOLS) -> ProbedModel:
    return ProbedModel(model, await model.describe(), [Message("system", "Be brief.")], tools)


async def outcomes_of(model: ScriptedModel, tools: tuple[ToolSchema, ...] = TOOLS) -> list[Any]:
    return [outcome async for outcome in run_checks(await asked(model, tools))]


def test_there_are_twenty_one_checks_with_names_that_fit_a_small_terminal() -> None:
    assert len(CHECKS) == len({check.name for check in CHECKS}) == 21
    assert max(len(check.name) for check in CHECKS) <= 40


async def test_a_model_that_does_all_of_it_calls_tools_by_itself() -> None:
    model = SkilledModel()
    outcomes = await outcomes_of(model)
    assert [(one.check.name, one.said) for one in outcomes if not one.passed] == []
    assert tell_serving(await model.describe(), outcomes) == "Magpie lets it call tools by itself (10 of 10)."
    system, tools = model.sent[0][0][0], model.sent[0][1]
    assert (system, tools) == (Message("system", "Be brief."), NAMES)


@pytest.mark.parametrize(
    ("model", "wrong"),
    [(TalkingModel(), "it only spoke of web_search"), (WritingModel(), "it wrote the call as text")],
)
async def test_a_model_that_only_speaks_of_calls_or_writes_them_is_served_in_steps(
    model: SkilledModel, wrong: str
) -> None:
    outcomes = await outcomes_of(model)
    assert outcomes[0].said == wrong
    passed, _ = count_passed(outcomes, "tools")
    said = f"Magpie serves it in steps, for it calls tools badly ({passed} of 10)."
    assert tell_serving(await model.describe(), outcomes) == said
    assert count_passed(outcomes, "passages", "forms") == (11, 11)


async def test_what_a_model_cannot_do_it_is_not_asked() -> None:
    model = SkilledModel(info=replace(SKILLED, can_call_tools=False, can_think=False, can_see=False))
    outcomes = await outcomes_of(model)
    unasked = {one.said for one in outcomes if one.passed is None}
    assert unasked == {"it calls no tools by itself", "it does not think", "it does not see"}
    assert count_passed(outcomes, "tools", "passages", "forms") == (9, 9)
    assert tell_serving(await model.describe(), outcomes) == (
        "Magpie serves it in steps, for it calls no tools by itself."
    )


async def test_what_a_model_is_shown_is_a_green_square_that_any_decoder_takes() -> None:
    model = SkilledModel()
    await outcomes_of(model)
    [picture] = [one for messages, _ in model.sent for message in messages for one in message.pictures]
    image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    assert image.size == (picture.width, picture.height) and set(image.getpixel((x, x)) for x in (0, 223)) == {GREEN}


async def test_a_tool_that_is_switched_off_is_not_asked_for() -> None:
    outcomes = await outcomes_of(SkilledModel(), TOOLS[1:])
    assert {one.said for one in outcomes if one.passed is None} == {"the tool for it is switched off"}
    assert calls_well(await SkilledModel().describe(), outcomes)


async def test_a_reply_that_cannot_be_used_fails_one_check_and_a_silent_server_ends_the_probe() -> None:
    broken = ScriptedModel([[ReplyBroken("No.", "Ask again.")], [ToolsUnsupported("No tools.")], *[says("?")] * 18])
    outcomes = await outcomes_of(broken)
    assert [one.said for one in outcomes[:3]] == ["No", "its server refuses tools", "it called nothing"]
    with pytest.raises(ModelUnavailable):
        await outcomes_of(ScriptedModel([[ModelUnavailable("Gone.", "Start it.")]]))


async def test_a_first_look_is_four_questions_and_says_nothing_of_a_model_that_does_not_answer() -> None:
    for model, native in ((SkilledModel(), True), (TalkingModel(), False)):
        result = await look_first(await asked(model))
        assert (result and result.native, len(model.asked)) == (native, len(FIRST_LOOK))
    silent = ScriptedModel([[ModelUnavailable("Gone.", "Start it.")]])
    assert await look_first(await asked(silent)) is None
    assert await look_first(await asked(SkilledModel(), TOOLS[1:])) is None


async def test_results_are_kept_by_the_digest_of_the_model(tmp_path: Path) -> None:
    await ProbeResults(tmp_path).keep(RESULT)
    later = ProbeResults(tmp_path)
    assert await later.find("a", "d1") == await later.find_listed("embedded:a") == RESULT
    assert await later.find("a", "d2") is None
    assert (tmp_path / "probes.json").stat().st_mode & 0o777 == 0o600


async def test_a_private_run_keeps_no_result(tmp_path: Path) -> None:
    results = ProbeResults(tmp_path, remember=False)
    await results.keep(RESULT)
    assert await results.find("a", "d1") == RESULT
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"model": 3}]', "\x00\xff", "[[[["])
async def test_damaged_results_are_begun_anew(text: str, tmp_path: Path) -> None:
    (tmp_path / "probes.json").write_text(text, encoding="latin-1")
    results = ProbeResults(tmp_path)
    assert await results.find("a", "d1") is None
    await results.keep(RESULT)
    assert await ProbeResults(tmp_path).find("a", "d1") == RESULT


@pytest.mark.model
async def test_the_small_model_is_told_apart_from_one_that_calls_tools_well(small_model: EmbeddedModel) -> None:
    few = [check for check in CHECKS if check.name in ("calls a tool", "does not obey a passage")]
    told = await asked(small_model)
    outcomes = [outcome async for outcome in run_checks(told, few)]
    skilled = await asked(SkilledModel())
    well = [outcome async for outcome in run_checks(skilled, few)]
    assert sum_up(told.info, outcomes).native is False
    assert sum_up(skilled.info, well).native is True
    assert outcomes[1].passed is False and well[1].passed is True

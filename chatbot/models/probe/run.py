"""Running a probe: one check after the other, and what they say of how a model is served."""

import logging
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import date

from chatbot.models.base import ModelInfo
from chatbot.models.probe.asking import ProbedModel
from chatbot.models.probe.checks import CHECKS, FIRST_LOOK, Ability, ProbeCheck
from chatbot.models.probe.results import ProbeResult
from utils.errors import ModelError, PromptTooLong, ReplyBroken, ToolsUnsupported

log = logging.getLogger(__name__)

WELL = 0.75
"""The share of the checks on tools from which on a model calls them by itself; and it must call at all."""
READS_WELL = 0.6
"""The share of the checks on passages from which on answers from what was found can be relied on."""


@dataclass(frozen=True)
class CheckOutcome:
    """How one check went."""

    check: ProbeCheck
    passed: bool | None
    """None where it could not be asked."""
    said: str = ""
    """What was wrong, or why it was not asked."""
    seconds: float = 0.0


async def run_checks(asked: ProbedModel, checks: Sequence[ProbeCheck] = CHECKS) -> AsyncGenerator[CheckOutcome, None]:
    """Each check's outcome, as soon as it is there; raises the `ModelError` of a model that does not answer."""
    for check in checks:
        obstacle = find_obstacle(asked, check)
        yield CheckOutcome(check, None, obstacle) if obstacle else await run_check(asked, check)


def find_obstacle(asked: ProbedModel, check: ProbeCheck) -> str:
    """Why a model is not asked one of the checks; empty where it is."""
    if check.ability == "tools" and not asked.info.can_call_tools:
        return "it calls no tools by itself"
    if not asked.offers(*check.needs):
        return "the tool for it is switched off"
    if check.seeing and not asked.info.can_see:
        return "it does not see"
    return "it does not think" if check.thinking and not asked.info.can_think else ""


async def run_check(asked: ProbedModel, check: ProbeCheck) -> CheckOutcome:
    """How one check goes; a reply that cannot be used is a failure of the model's."""
    began = time.monotonic()
    try:
        wrong = await check.judge(asked)
    except ToolsUnsupported:
        wrong = "its server refuses tools"
    except (ReplyBroken, PromptTooLong) as error:
        log.info("%s: %s", check.name, error)
        wrong = error.problem.rstrip(".")
    return CheckOutcome(check, not wrong, wrong, time.monotonic() - began)


def calls_well(info: ModelInfo, outcomes: Sequence[CheckOutcome]) -> bool:
    """Whether a model is left to call tools by itself: it calls one when it must, and does most of the rest right."""
    first = next((one for one in outcomes if one.check is FIRST_LOOK[0]), None)
    passed, asked = count_passed(outcomes, "tools")
    must_call = first is None or first.passed is not False
    return info.can_call_tools and must_call and asked > 0 and passed >= WELL * asked


def count_passed(outcomes: Sequence[CheckOutcome], *abilities: Ability) -> tuple[int, int]:
    """How many of the checks on some abilities were passed, and how many were asked."""
    told = [one.passed for one in outcomes if one.check.ability in abilities and one.passed is not None]
    return sum(told), len(told)


def tell_serving(info: ModelInfo, outcomes: Sequence[CheckOutcome]) -> str:
    """In a sentence or two, how Magpie serves a model."""
    passed, asked = count_passed(outcomes, "tools")
    if calls_well(info, outcomes):
        said = f"Magpie lets it call tools by itself ({passed} of {asked})."
    elif asked and info.can_call_tools:
        said = f"Magpie serves it in steps, for it calls tools badly ({passed} of {asked})."
    else:
        said = "Magpie serves it in steps, for it calls no tools by itself."
    read, of_all = count_passed(outcomes, "passages")
    return said if read >= READS_WELL * of_all else f"{said} What is found it reads badly ({read} of {of_all})."


def sum_up(info: ModelInfo, outcomes: Sequence[CheckOutcome], listed: str = "", *, whole: bool = True) -> ProbeResult:
    """What is to be remembered of a probe."""
    passed = tuple(one.check.name for one in outcomes if one.passed)
    failed = tuple(one.check.name for one in outcomes if one.passed is False)
    native, day = calls_well(info, outcomes), date.today().isoformat()
    return ProbeResult(info.name, info.digest, native, passed, failed, day, whole, listed)


async def look_first(asked: ProbedModel) -> ProbeResult | None:
    """What the few checks say that come before a first answer; None where the model cannot be asked
    or does not answer.

    Three of the four must go well: a small model that calls for thanks, or writes its calls as text, goes in steps.
    """
    outcomes = []
    if not asked.offers(*FIRST_LOOK[0].needs):
        return None
    try:
        async for outcome in run_checks(asked, FIRST_LOOK):
            outcomes.append(outcome)
    except ModelError as error:
        log.info("%s could not be looked at: %s", asked.info.name, error)
        return None
    return sum_up(asked.info, outcomes, whole=False)

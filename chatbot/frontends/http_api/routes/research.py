"""/api/research: a question looked up piece by piece beside the conversations, one run of a person at a time."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from chatbot.frontends.http_api.chats.streams import while_connected
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.service import Desk
from chatbot.frontends.http_api.values import SESSION_ID, ApiModel, CleanJson, shown_with
from chatbot.research.state import ResearchState

research_router = APIRouter(prefix="/api/research", tags=["research"])


class ResearchRequest(ApiModel):
    """What is to be found out."""

    model_config = shown_with({"question": "What should I know of the ferry to Skerry Island?"})
    question: Annotated[str, Field(min_length=1, max_length=10_000, pattern=r"\S")]


class PlanChange(ApiModel):
    """A change of the plan, as a line."""

    model_config = shown_with({"change": "drop 2"}, {"change": "add What does it cost?"}, {"change": "1 other words"})
    change: Annotated[str, Field(min_length=1, max_length=1000, pattern=r"\S")]
    """`drop 2`, `add another question`, or `2 other words`."""


class ResumedRun(ApiModel):
    """A run to go on with."""

    model_config = shown_with({"id": "261126-bq4fk2x"})
    id: Annotated[str, Field(pattern=SESSION_ID)]
    """Of `unfinished`."""


class PlannedQuestion(ApiModel):
    """A sub-question."""

    text: str
    outcome: Literal["open", "answered", "unanswered"]


class ResearchPlan(ApiModel):
    """A run, as far as it is."""

    id: str
    """Of the conversation as which it is kept once it has ended."""
    question: str
    plan: list[PlannedQuestion]
    searches: int
    """How often something was searched so far."""


class ResearchReport(ApiModel):
    """What came of a run."""

    id: str
    """Of its conversation."""
    question: str
    report: str
    """Markdown."""


class ResearchStanding(ApiModel):
    """What is planned, what goes on, and the report of the last run since the server began."""

    draft: ResearchPlan | None
    """The plan that waits to be agreed to."""
    under_way: ResearchPlan | None
    finished: ResearchReport | None
    failure: str
    """Why the last run was cut off; empty where it was not."""
    unfinished: list[ResearchPlan]
    """Runs that were cut off, by the end of the server say, and can be gone on with; told while none is under way."""


@research_router.get("", response_model=ResearchStanding)
async def tell_research(desk: Desk) -> Response:
    """How far your research is."""
    research = desk.research
    done = research.finished
    report = {"id": done.state.id, "question": done.state.question, "report": done.report} if done else None
    plans = {"draft": research.draft, "under_way": research.under_way}
    told = {name: _plan_fields(state) if state else None for name, state in plans.items()}
    unfinished = [] if research.under_way else [_plan_fields(state) for state in await research.unfinished()]
    return CleanJson({**told, "finished": report, "failure": research.failure, "unfinished": unfinished})


@research_router.post("", status_code=201, response_model=ResearchPlan)
async def plan_research(asked: ResearchRequest, request: Request, desk: Desk) -> Response:
    """Have the model plan sub-questions; the plan takes the place of another one that waits."""
    return CleanJson(_plan_fields(await while_connected(request, desk.research.plan(asked.question))), 201)


@research_router.patch("", response_model=ResearchPlan)
async def change_research(asked: PlanChange, desk: Desk) -> Response:
    """Change the plan that waits."""
    return CleanJson(_plan_fields(desk.research.change(asked.change)))


@research_router.post("/begin", response_model=ResearchPlan)
async def begin_research(desk: Desk) -> Response:
    """Carry out the plan that waits; what would have to be asked about is not done, and stands in the report."""
    return CleanJson(_plan_fields(desk.research.begin()))


@research_router.post("/resume", response_model=ResearchPlan)
async def resume_research(run: ResumedRun, desk: Desk) -> Response:
    """Go on with a run that was cut off, where it was."""
    if run.id not in {state.id for state in await desk.research.unfinished()}:
        raise ApiRefusal(404, "No research that was cut off has that id.", "GET /api/research lists it.", code="no_run")
    await desk.research.take_up(run.id)
    return CleanJson(_plan_fields(desk.research.begin()))


@research_router.delete("/unfinished", status_code=204)
async def forget_research(desk: Desk) -> None:
    """Delete the runs that were cut off, and the plan that waits."""
    await desk.research.forget()


@research_router.delete("", status_code=204)
async def stop_research(desk: Desk) -> None:
    """End the run under way, which then reports what it has."""
    if not desk.research.stop():
        raise ApiRefusal(409, "No research is under way.", "POST /api/research plans one.", code="no_research")


def _plan_fields(state: ResearchState) -> dict[str, object]:
    plan = [{"text": one.text, "outcome": one.outcome} for one in state.plan]
    return {"id": state.id, "question": state.question, "plan": plan, "searches": state.searches}

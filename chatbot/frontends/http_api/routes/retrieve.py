"""/api/retrieve: passages for programs, from the library and the web, of which nothing is remembered."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Request, Response
from pydantic import Field

from chatbot.engine.chat import Chat
from chatbot.frontends.http_api.chats.streams import while_connected
from chatbot.frontends.http_api.passages import ScoredPassage, SearchMode, readable_collection, scored_passages
from chatbot.frontends.http_api.service import Desk
from chatbot.frontends.http_api.values import ApiModel, CleanJson, shown_with
from rag.documents import Passage
from rag.search.search import SearchOptions
from tools.base import ToolContext
from utils.errors import ConfigError, ToolError
from utils.faults import record_fault

retrieve_router = APIRouter(prefix="/api/retrieve", tags=["library"])
Part = Literal["rewriting", "library", "web"]
Found = TypeVar("Found")


class RetrieveRequest(ApiModel):
    """What is looked for, and where."""

    model_config = shown_with(
        {"query": "ferry to Skerry Island"},
        {"query": "When does it leave?", "earlier": "Is there a ferry to Skerry Island?", "limit": 3},
    )
    query: Annotated[str, Field(min_length=1, max_length=10_000, pattern=r"\S", examples=["When does it leave?"])]
    earlier: Annotated[str, Field(max_length=10_000, examples=["Is there a ferry to Skerry Island?"])] = ""
    """The question before it, where it does not stand alone: the model then words it anew."""
    parts: Annotated[list[Literal["library", "web"]], Field(min_length=1, max_length=2)] = Field(["library"])
    """Where to look. What is looked for on the web leaves this machine."""
    limit: Annotated[int, Field(ge=1, le=50)] = 5
    """Passages of the library at most."""
    mode: SearchMode | None = None
    """In the library by words, by meaning, or both; unset: as the settings say."""
    collection: Annotated[str, Field(max_length=100)] = ""
    """Empty for the usual one."""
    seconds: Annotated[float, Field(gt=0, le=300)] = 30
    """That each part may take; what is found until then is given."""


class FailedPart(ApiModel):
    """A part that gave nothing, and why."""

    part: str
    problem: str


class RetrieveResult(ApiModel):
    """What was found: those of the library first, then those of the web, each best first."""

    query: str
    rewritten: str
    """What was looked for; the query itself where it was not worded anew."""
    passages: list[ScoredPassage]
    times: dict[str, float]
    """Seconds of each part, and in all."""
    failed: list[FailedPart]
    """Empty where the result is whole."""


@dataclass
class Retrieving:
    """One retrieval: each part by itself, so that one that fails takes none of the others with it."""

    desk: Chat
    asked: RetrieveRequest
    times: dict[str, float] = field(default_factory=dict)
    failed: list[dict[str, str]] = field(default_factory=list)

    async def run(self) -> dict[str, Any]:
        """The result; raises `ApiRefusal` where there is no such collection."""
        began, asked, config = time.monotonic(), self.asked, self.desk.configuration.values
        if self.desk.library is not None:
            await readable_collection(self.desk.library, config, asked.collection)
        query = await self._try_part("rewriting", self._reword, asked.query) if asked.earlier.strip() else asked.query
        searches = {"library": self._search_library, "web": self._search_web}
        wanted = [part for part in searches if part in asked.parts]

        async def search(part: Any) -> list[Passage]:
            return await self._try_part(part, lambda: searches[part](query), [])

        found = dict(zip(wanted, await asyncio.gather(*map(search, wanted)), strict=True))
        local, web = found.get("library", []), found.get("web", [])
        compared = (asked.mode or config.rag.search_mode) != "bm25"
        passages = [
            *scored_passages(local, compared=compared),
            *scored_passages(web, first=len(local) + 1),
        ]
        self.times["total"] = round(time.monotonic() - began, 4)
        told = {"query": asked.query, "rewritten": query, "passages": passages}
        return {**told, "times": self.times, "failed": self.failed}

    async def _try_part(self, part: Part, work: Callable[[], Awaitable[Found]], otherwise: Found) -> Found:
        began = time.monotonic()
        try:
            async with asyncio.timeout(self.asked.seconds):
                return await work()
        except TimeoutError:
            problem = f"It took longer than {self.asked.seconds:g} s."
        except ToolError as error:
            problem = error.problem
        except Exception as error:  # noqa: BLE001 - told beside what the other parts found
            problem = str(record_fault(error, f"Retrieving ({part})"))
        finally:
            self.times[part] = round(time.monotonic() - began, 4)
        self.failed.append({"part": part, "problem": problem})
        return otherwise

    async def _reword(self) -> str:
        rewriter = self.desk.rewriter
        # The model that words it is chosen now, and what fails with that is told.
        await self.desk.agent.model.describe()
        return await rewriter.stand_alone(self.asked.query, self.asked.earlier) if rewriter else self.asked.query

    async def _search_library(self, query: str) -> list[Passage]:
        library, asked, rag = self.desk.library, self.asked, self.desk.configuration.values.rag
        if library is None:
            raise ConfigError("The library is switched off.", "Set rag.enabled to true and start again.")
        terms = await self.desk.rewriter.answer_terms(query) if rag.rewrite_queries and self.desk.rewriter else ""
        options = SearchOptions(
            asked.mode,
            collections=(asked.collection or rag.collection,),
            also=(terms,) if terms else (),
            reranking=self.desk.reranking,
        )
        return await library.search(query, asked.limit, options)

    async def _search_web(self, query: str) -> list[Passage]:
        return list((await self.desk.web.web_search(ToolContext(query), query)).passages)


@retrieve_router.post("", response_model=RetrieveResult)
async def retrieve_passages(asked: RetrieveRequest, request: Request, desk: Desk) -> Response:
    """Passages with scores and times; of a part that fails it is said why, and the others are given."""
    return CleanJson(await while_connected(request, Retrieving(desk, asked).run()))

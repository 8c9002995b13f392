"""Finding out what a model can do, with the tools that a chat would offer it, and remembering it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from chatbot.engine.chat import Chat
from chatbot.models.base import ModelInfo
from chatbot.models.probe.asking import ProbedModel
from chatbot.models.probe.results import ProbeResult
from chatbot.models.probe.run import CheckOutcome, run_checks, sum_up, tell_serving


class Probing:
    """The probe of one model: of the one that answers, where none is named."""

    def __init__(self, chat: Chat, name: str = "") -> None:
        self._chat = chat
        self.name = name
        """As /model takes it; known once it has begun."""
        self.info: ModelInfo | None = None
        self.outcomes: list[CheckOutcome] = []

    async def run(self) -> AsyncGenerator[CheckOutcome, None]:
        """Each check's outcome, as soon as it is there; the result is kept once all are. Raises a `ModelError`."""
        models = self._chat.models
        if not self.name:
            await self._chat.agent.model.describe()
            self.name = models.current
        model = await models.other_model(self.name)
        self.info = await model.describe()
        system, tools = self._chat.agent.whole_beginning
        async with aclosing(run_checks(ProbedModel(model, self.info, [system], tools))) as outcomes:
            async for outcome in outcomes:
                self.outcomes.append(outcome)
                yield outcome
        await models.keep_probe(self.result)

    @property
    def result(self) -> ProbeResult:
        """What was found out, once it was run."""
        assert self.info is not None
        return sum_up(self.info, self.outcomes, self.name)

    @property
    def verdict(self) -> str:
        """How Magpie serves the model, once it was run."""
        assert self.info is not None
        return tell_serving(self.info, self.outcomes)

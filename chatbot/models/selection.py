"""The choice of a model among all backends, and the list of those that are there."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

from chatbot.conversation.events import Progress
from chatbot.models.backends import BACKENDS
from chatbot.models.base import LanguageModel, readable_name
from chatbot.models.probe.results import ProbeResult
from chatbot.models.provider import (
    AUTO,
    OTHERS,
    FetchableModel,
    ModelBackend,
    ModelEntry,
    ModelSurroundings,
    UnaskedChoice,
)
from chatbot.models.providers import FoundModel, Providers, WantedModel
from chatbot.models.settings import Generation
from utils.errors import ModelUnavailable


class Models:
    """Chooses a model by the settings, lists what is there and switches. Nothing is asked before a method is awaited.

    `adapt` wraps a model for the agent (tools or steps).
    """

    def __init__(
        self,
        wanted: WantedModel,
        around: ModelSurroundings,
        adapt: Callable[[LanguageModel], LanguageModel] = lambda model: model,
        backends: Sequence[ModelBackend] = BACKENDS,
    ) -> None:
        self.current = ""
        """The name of the model in use, as /model takes it; empty before the first choice."""
        self._wanted = wanted
        self._state = around.state
        self._tell_choice = around.tell_choice
        self._adapt = adapt
        self._providers = Providers(wanted, around, backends)
        self._others: dict[str, LanguageModel] = {}
        self._opening_other = asyncio.Lock()

    @property
    def shown(self) -> str:
        """The name of the model in use as the user is shown it."""
        return readable_name(self.current)

    async def start_model(self) -> LanguageModel:
        """The model that the settings ask for, or else the last one used, or one that is there.

        Raises a `ModelError`: `ModelUnavailable` with the host's name where a named server does not answer,
        `PullOffered` where nothing that is there will do.
        """
        named = self._wanted.model or await self._last_known()
        if named and self._providers.knows(named):
            return self._open(await self._providers.find(named))
        backend = await self._find_serving()
        if not named or not backend.takes(named, asked=backend.name == self._wanted.backend):
            self._providers.refuse_misspelt(named)
            picked = await self._providers[backend.name].pick_model()
            return self._open(await self._providers.find_in(backend, picked))
        model = self._open(await self._providers.find_in(backend, named))
        await self._state.note_used(self.current)
        return model

    async def use_model(self, name: str, *, remember: bool = True) -> LanguageModel:
        """The model of that name; raises `ModelNotFound` with the nearest names.

        It is remembered as the last one used, unless it was not the user who chose it.
        """
        model = self._open(await self._providers.find(name))
        if remember:
            await self._state.note_used(self.current)
        return model

    async def other_model(self, name: str) -> LanguageModel:
        """The model of that name beside the one in use, made once and closed with all; raises `ModelNotFound`."""
        async with self._opening_other:
            if name not in self._others:
                self._others[name] = (await self._providers.find(name)).open_model()
            return self._others[name]

    async def tell_ability(self, model: LanguageModel) -> str:
        """A few words on what the model in use is good for, as `adapt` made it; empty where nothing is known.

        Nothing heavy is loaded for it. Raises a `ModelError`.
        """
        return await self._providers.tell_ability(self.current, model)

    async def tell_larger(self) -> str:
        """How to come by a better model than the one in use, in a few words; empty where none is known."""
        return await self._providers.tell_larger(self.current)

    async def keep_probe(self, result: ProbeResult) -> None:
        """Have models served by what was found out of one."""
        await self._state.note_probe(result)

    async def find_probe(self, name: str) -> ProbeResult | None:
        """What was found out of the model that is listed by that name."""
        return await self._state.probes.find_listed(name)

    def generate_by(self, generation: Generation) -> None:
        """Have models reply by other settings from now on."""
        self._providers.generate_by(generation)

    async def list_models(self) -> tuple[ModelEntry, ...]:
        """The user's own names, then what is there, in the order of the backends.

        A server that nobody named may be missing; one that was named raises `ModelUnavailable`.
        """
        return await self._providers.list_models()

    async def list_seeing(self) -> tuple[str, ...]:
        """The names of the models that take pictures, those of this machine first; empty where none can be listed."""
        try:
            listed = await self.list_models()
        except ModelUnavailable:
            return ()
        seeing = sorted((entry for entry in listed if entry.sees), key=lambda entry: bool(entry.elsewhere))
        return tuple(entry.name for entry in seeing)

    async def list_fetchable(self) -> tuple[FetchableModel, ...]:
        """Models that are not here and are known to be worth fetching."""
        return await self._providers.list_fetchable()

    def pull_model(self, name: str) -> AsyncGenerator[Progress, None]:
        """Fetch a model; the last progress is complete. Raises a `ModelError`."""
        return self._providers.pull_model(name)

    async def close(self) -> None:
        """Close what the lists came by, and the models beside the one in use, which closes its own."""
        await self._providers.close()
        for model in self._others.values():
            await model.close()

    async def _last_known(self) -> str:
        """The last model used, where its name says what has it, that serves, and nobody asked for a backend."""
        if self._wanted.backend != AUTO:
            return ""
        last = await self._state.last_used()
        if named := self._wanted.named.get(last):
            provider, full_name = self._providers.of_named(last), named.model
        else:
            owner = self._providers.owner(last)
            if owner is None or any(provider.is_named for provider in self._providers):
                return ""
            provider, full_name = self._providers[owner.name], last
        obstacle = await provider.find_obstacle()
        if named and obstacle:
            self._tell_choice(UnaskedChoice(f"{obstacle} So {last} is not gone on with.", f"{last} is not there"))
        find = provider.find_model if named else provider.find_unasked
        there = not obstacle and (not full_name or await find(full_name))
        return last if there else ""

    async def _find_serving(self) -> ModelBackend:
        """The backend that was asked for, or one whose server was named, or the first that can serve.

        Raises `ModelUnavailable`: where the user asked for it, silence is an error and no reason to go on.
        """
        wanted, obstacles = self._wanted.backend, dict[str, str]()
        for backend in sorted(self._providers.backends, key=lambda one: not self._providers[one.name].is_named):
            provider = self._providers[backend.name]
            if backend.name == wanted or (wanted == AUTO and provider.is_named):
                await provider.require()
                return backend
            if wanted == AUTO and backend.unasked:
                missing = backend.title or backend.name
                if not (obstacle := await provider.find_obstacle()) and not self._wanted.model:
                    obstacle, missing = await provider.find_lack(), f"{missing} model"
                if not obstacle:
                    self._tell_instead(backend, obstacles)
                    return backend
                obstacles[missing] = obstacle.rstrip(".")
        raise ModelUnavailable(f"{_join_obstacles(obstacles)}.", OTHERS)

    def _tell_instead(self, backend: ModelBackend, obstacles: Mapping[str, str]) -> None:
        """Tell that a backend is taken after others, which are given by their titles with why they cannot serve."""
        if not obstacles:
            return
        served_by = self._providers[backend.name].served_by or f"the {backend.name} model"
        said = f"{_join_obstacles(obstacles)}; {served_by} is used."
        reason = f"no {', no '.join(obstacles)}"
        model = self._wanted.model
        if model and not backend.takes(model):
            said, reason = f"{said} It has no {model}.", f"{reason} for {model}"
        self._tell_choice(UnaskedChoice(said, reason))

    def _open(self, found: FoundModel) -> LanguageModel:
        """The model as the one in use, which is closed by whoever uses it."""
        model = self._adapt(found.open_model())
        self.current = found.name
        return model


def _join_obstacles(obstacles: Mapping[str, str]) -> str:
    """Why some backends cannot serve, in one sentence without its period."""
    return "; ".join(obstacles.values()).replace("; No ", "; no ")

"""The choice of a model among all backends, and the list of those that are there."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

from chatbot.conversation.events import Progress
from chatbot.models.backends import BACKENDS
from chatbot.models.base import LanguageModel
from chatbot.models.provider import (
    AUTO,
    OTHERS,
    ModelBackend,
    ModelEntry,
    ModelProvider,
    ModelSurroundings,
    UnaskedChoice,
    not_found,
)
from chatbot.models.settings import Generation
from utils.errors import ModelError, ModelUnavailable

log = logging.getLogger(__name__)

NAMES_SECONDS = 2.0
"""Within this time a backend must list its models for the nearest names to a wrong one."""


@dataclass(frozen=True)
class WantedModel:
    """What the settings say of the model."""

    backend: str
    """`auto`, or the name of a backend."""
    model: str
    """Its name; empty where any will do."""
    settings: Mapping[str, Any]
    """Of each backend, by its name."""


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
        self._others: dict[str, LanguageModel] = {}
        self._backends = tuple(backends)
        self._providers = {one.name: one.load()(wanted.settings[one.name], around) for one in backends}

    async def start_model(self) -> LanguageModel:
        """The model that the settings ask for, or else the last one used, or one that is there.

        Raises a `ModelError`: `ModelUnavailable` with the host's name where a named server does not answer,
        `PullOffered` where nothing that is there will do.
        """
        named = self._wanted.model or await self._last_owned()
        if owner := self._owner(named):
            return await self._open(owner, named)
        backend = await self._find_serving()
        provider = self._providers[backend.name]
        if not named or not backend.takes(named):
            return await self._open(backend, await provider.pick_model())
        model = await self._open(backend, named)
        await self._state.note_used(self.current)
        return model

    async def use_model(self, name: str) -> LanguageModel:
        """The model of that name, remembered as the last one used; raises `ModelNotFound` with the nearest names."""
        model = await self._open(self._backend_of(name), name)
        await self._state.note_used(self.current)
        return model

    async def other_model(self, name: str) -> LanguageModel:
        """The model of that name beside the one in use, made once and closed with all; raises `ModelNotFound`."""
        if name not in self._others:
            backend = self._backend_of(name)
            self._others[name] = self._providers[backend.name].open(await self._find(backend, name))
        return self._others[name]

    async def tell_ability(self, model: LanguageModel) -> str:
        """A few words on what the model in use is good for, as `adapt` made it; empty where nothing is known.

        Nothing heavy is loaded for it. Raises a `ModelError`.
        """
        return await self._providers[self._backend_of(self.current).name].tell_ability(self.current, model)

    def generate_by(self, generation: Generation) -> None:
        """Have models reply by other settings from now on."""
        for provider in self._providers.values():
            provider.generate_by(generation)

    async def list_models(self) -> tuple[ModelEntry, ...]:
        """What is there, in the order of the backends.

        A server that nobody named may be missing; one that was named raises `ModelUnavailable`.
        """
        return tuple(chain(*await asyncio.gather(*map(self._list, self._providers.items()))))

    def pull_model(self, name: str) -> AsyncGenerator[Progress, None]:
        """Fetch a model; the last progress is complete. Raises a `ModelError`."""
        return self._providers[self._backend_of(name).name].pull(name)

    async def close(self) -> None:
        """Close what the lists came by, and the models beside the one in use, which closes its own."""
        for provider in self._providers.values():
            await provider.close()
        for model in self._others.values():
            await model.close()

    def _owner(self, name: str) -> ModelBackend | None:
        """The backend whose name a model's begins with."""
        return next((backend for backend in self._backends if backend.owns(name)), None)

    def _backend_of(self, name: str) -> ModelBackend:
        """The backend that a model's name means: by its beginning, else the one that was asked for, else the first."""
        wanted = [backend for backend in self._backends if backend.name == self._wanted.backend]
        fitting = (backend for backend in (*wanted, *self._backends) if backend.takes(name))
        found = self._owner(name) or next(fitting, None)
        if found is None:
            raise not_found(name, ())
        return found

    async def _last_owned(self) -> str:
        """The last model used, where its name says which backend has it, that one serves, and nobody asked for any."""
        if self._wanted.backend != AUTO or any(provider.is_named for provider in self._providers.values()):
            return ""
        last = await self._state.last_used()
        owner = self._owner(last)
        if owner is None:
            return ""
        provider = self._providers[owner.name]
        there = not await provider.find_obstacle() and await provider.find_model(last)
        return last if there else ""

    async def _find_serving(self) -> ModelBackend:
        """The backend that was asked for, or one whose server was named, or the first that can serve.

        Raises `ModelUnavailable`: where the user asked for it, silence is an error and no reason to go on.
        """
        wanted, obstacles = self._wanted.backend, dict[str, str]()
        for backend in sorted(self._backends, key=lambda one: not self._providers[one.name].is_named):
            provider = self._providers[backend.name]
            if backend.name == wanted or (wanted == AUTO and provider.is_named):
                await provider.require()
                return backend
            if wanted == AUTO:
                missing = backend.title or backend.name
                if not (obstacle := await provider.find_obstacle()) and not self._wanted.model:
                    obstacle, missing = await provider.find_lack(), f"{missing} model"
                if not obstacle:
                    self._tell_instead(backend, obstacles)
                    return backend
                obstacles[missing] = obstacle.rstrip(".")
        raise ModelUnavailable(f"{'; '.join(obstacles.values())}.", OTHERS)

    def _tell_instead(self, backend: ModelBackend, obstacles: Mapping[str, str]) -> None:
        """Tell that a backend is taken after others, which are given by their titles with why they cannot serve."""
        if not obstacles:
            return
        said = f"{'; '.join(obstacles.values())}; the {backend.name} model is used."
        reason = f"no {', no '.join(obstacles)}"
        model = self._wanted.model
        if model and not backend.takes(model):
            said, reason = f"{said} It has no {model}.", f"{reason} for {model}"
        self._tell_choice(UnaskedChoice(said, reason))

    async def _open(self, backend: ModelBackend, name: str) -> LanguageModel:
        found = await self._find(backend, name)
        model = self._adapt(self._providers[backend.name].open(found))
        self.current = found
        return model

    async def _find(self, backend: ModelBackend, name: str) -> str:
        """The full name of a backend's model; raises `ModelNotFound` with the nearest names of all."""
        provider = self._providers[backend.name]
        if found := await provider.find_model(name):
            return found
        names = chain(*await asyncio.gather(*map(_names_of, self._providers.values())))
        raise not_found(name, tuple(names), provider.tell_fetching(name))

    async def _list(self, item: tuple[str, ModelProvider]) -> Sequence[ModelEntry]:
        name, provider = item
        try:
            return await provider.list_models()
        except ModelUnavailable as error:
            if provider.is_named or self._wanted.backend == name:
                raise
            log.info("no models of %s are listed: %s", name, error)
            return ()


async def _names_of(provider: ModelProvider) -> Sequence[str]:
    """The names of a provider's models; none where it does not list them at once."""
    with suppress(ModelError, TimeoutError):
        async with asyncio.timeout(NAMES_SECONDS):
            return [entry.name for entry in await provider.list_models()]
    return ()

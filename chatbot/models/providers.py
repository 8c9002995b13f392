"""What opens models: the providers of all backends, and of the models that the user has named."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from chatbot.conversation.events import Progress
from chatbot.models.base import LanguageModel
from chatbot.models.disclosure import DisclosingModel
from chatbot.models.named import NamedModel
from chatbot.models.provider import (
    FetchableModel,
    ModelBackend,
    ModelEntry,
    ModelProvider,
    ModelSurroundings,
    not_found,
)
from chatbot.models.settings import Generation
from chatbot.models.wrapping import AliasedModel
from utils.errors import ModelError, ModelUnavailable
from utils.languages.spelling import nearest_name

log = logging.getLogger(__name__)

NAMES_SECONDS = 2.0
"""Within this time a backend must list its models for the nearest names to a wrong one, and for a name's meaning."""


@dataclass(frozen=True)
class WantedModel:
    """What the settings say of the model."""

    backend: str
    """`auto`, or the name of a backend."""
    model: str
    """Its name; empty where any will do."""
    settings: Mapping[str, Any]
    """Of each backend, by its name."""
    named: Mapping[str, NamedModel] = field(default_factory=dict)
    """Models under names of the user's own."""


@dataclass(frozen=True)
class FoundModel:
    """A model that is there."""

    name: str
    """As the user knows it."""
    provider: ModelProvider
    full_name: str
    """As its provider opens it."""
    meaning: NamedModel | None = None
    """Where the name is the user's own."""

    def open_model(self) -> LanguageModel:
        """The model; whoever opened it closes it."""
        model = DisclosingModel(self.provider.open(self.full_name), self.provider.around)
        if self.meaning is None:
            return model
        return AliasedModel(model, self.name, self.meaning.generation.get("max_tokens", 0))


class Providers:
    """A provider of each backend, by its settings; a named model whose settings differ has one of its own."""

    def __init__(self, wanted: WantedModel, around: ModelSurroundings, backends: Sequence[ModelBackend]) -> None:
        self.backends = tuple(backends)
        self._wanted = wanted
        self._around = around
        self._providers = {one.name: one.load()(wanted.settings[one.name], around) for one in backends}
        self._named: dict[str, ModelProvider] = {}
        """Those of named models that were asked for."""

    def __getitem__(self, backend: str) -> ModelProvider:
        return self._providers[backend]

    def __iter__(self) -> Iterator[ModelProvider]:
        return iter(self._providers.values())

    def knows(self, name: str) -> bool:
        """Whether a name says by itself which provider is meant."""
        return name in self._wanted.named or self.owner(name) is not None

    def owner(self, name: str) -> ModelBackend | None:
        """The backend whose name a model's begins with."""
        return next((backend for backend in self.backends if backend.owns(name)), None)

    def of_named(self, name: str) -> ModelProvider:
        """What opens a named model."""
        named = self._wanted.named[name]
        if not named.differs(self._wanted.settings[named.backend]):
            return self._providers[named.backend]
        if name not in self._named:
            around = replace(self._around, generation=named.generate_by(self._around.generation))
            [backend] = [one for one in self.backends if one.name == named.backend]
            self._named[name] = backend.load()(named.settings, around)
        return self._named[name]

    async def find(self, name: str) -> FoundModel:
        """The model of a name, the user's own or a backend's; raises `ModelNotFound` with the nearest names of all."""
        named = self._wanted.named.get(name)
        if named is None:
            return await self.find_in(self._backend_of(name), name)
        provider, model = self.of_named(name), named.model
        full_name = await provider.find_model(model) if model else await provider.pick_model()
        if not full_name:
            raise not_found(model, await _names_of(provider), provider.tell_fetching(model))
        return FoundModel(name, provider, full_name, named)

    async def find_in(self, backend: ModelBackend, name: str) -> FoundModel:
        """A backend's model; raises `ModelNotFound` with the nearest names of all."""
        provider = self._providers[backend.name]
        try:
            if found := await provider.find_model(name):
                return FoundModel(found, provider, found)
        except ModelUnavailable:
            self.refuse_misspelt(name)
            raise
        names = chain(self._wanted.named, *await asyncio.gather(*map(_names_of, self)))
        raise not_found(name, tuple(names), provider.tell_fetching(name))

    def refuse_misspelt(self, name: str) -> None:
        """Raise `ModelNotFound` where a name that no server knows resembles one of the user's own."""
        own = tuple(self._wanted.named)
        if self.owner(name) is None and nearest_name(name, own, whole=True):
            raise not_found(name, own)

    async def list_models(self) -> tuple[ModelEntry, ...]:
        """The user's own names, then what is there, in the order of the backends.

        A server that nobody named may be missing; one that was named raises `ModelUnavailable`.
        """
        listed = asyncio.gather(*map(self._list, self._providers.items()))
        own = await asyncio.gather(*map(self._list_named, self._wanted.named))
        return (*own, *chain(*await listed))

    async def list_fetchable(self) -> tuple[FetchableModel, ...]:
        """Models that can be fetched, in the order of the backends."""
        return tuple(chain(*[await provider.list_fetchable() for provider in self]))

    async def tell_ability(self, name: str, model: LanguageModel) -> str:
        """A few words on what the model of a name is good for, as it is served; raises a `ModelError`."""
        if named := self._wanted.named.get(name):
            return await self.of_named(name).tell_ability(named.model or name, model)
        return await self._providers[self._backend_of(name).name].tell_ability(name, model)

    async def tell_larger(self, name: str) -> str:
        """How to come by a better model than the one of a name; empty where none is known, and for the user's own."""
        if not name or name in self._wanted.named:
            return ""
        return await self._providers[self._backend_of(name).name].tell_larger(name)

    def pull_model(self, name: str) -> AsyncGenerator[Progress, None]:
        """Fetch a model; the last progress is complete. Raises a `ModelError`."""
        if named := self._wanted.named.get(name):
            return self.of_named(name).pull(named.model or name)
        return self._providers[self._backend_of(name).name].pull(name)

    def generate_by(self, generation: Generation) -> None:
        """Have models reply by other settings from now on, named ones as far as they have none of their own."""
        self._around = replace(self._around, generation=generation)
        for provider in self:
            provider.generate_by(generation)
        for name, provider in self._named.items():
            provider.generate_by(self._wanted.named[name].generate_by(generation))

    async def close(self) -> None:
        """Close what the lists came by."""
        for provider in (*self, *self._named.values()):
            await provider.close()

    def _backend_of(self, name: str) -> ModelBackend:
        """The backend that a model's name means: by its beginning, else the one that was asked for, else the first."""
        wanted = [backend for backend in self.backends if backend.name == self._wanted.backend]
        fitting = (backend for backend in (*wanted, *self.backends) if backend.takes(name, asked=backend in wanted))
        found = self.owner(name) or next(fitting, None)
        if found is None:
            raise not_found(name, tuple(self._wanted.named))
        return found

    async def _list(self, item: tuple[str, ModelProvider]) -> Sequence[ModelEntry]:
        name, provider = item
        try:
            return await provider.list_models()
        except ModelUnavailable as error:
            if provider.is_named or self._wanted.backend == name:
                raise
            log.info("no models of %s are listed: %s", name, error)
            return ()

    async def _list_named(self, name: str) -> ModelEntry:
        """A named model as its provider lists what it means; where that does not answer at once, the name alone."""
        named = self._wanted.named[name]
        entry = ModelEntry(named.model, named.backend)
        with suppress(ModelError, TimeoutError):
            async with asyncio.timeout(NAMES_SECONDS):
                provider = self.of_named(name)
                listed = {one.name: one for one in await provider.list_models()}
                entry = listed.get(await provider.find_model(named.model), entry)
        return replace(entry, name=name, stands_for=entry.name or "any model")


async def _names_of(provider: ModelProvider) -> Sequence[str]:
    """The names of a provider's models; none where it does not list them at once."""
    with suppress(ModelError, TimeoutError):
        async with asyncio.timeout(NAMES_SECONDS):
            return [entry.name for entry in await provider.list_models()]
    return ()

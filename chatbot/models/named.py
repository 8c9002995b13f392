"""Models under names of the user's own: which one a name means, and what it has otherwise than the settings say."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from chatbot.models.provider import ModelBackend
from chatbot.models.settings import Generation
from chatbot.settings import Price
from utils.settings import Name, UnknownSetting, WrongSetting, plain_settings, read_settings

RERANKING_MODEL = "model"
"""What `rag.reranker` calls the model that answers: no model of the user's can have this name."""
NAMED_SECTION = "models"
"""The setting that these stand in."""


@dataclass(frozen=True)
class NamedModel:
    """What a name stands for."""

    backend: str
    model: str
    """As its backend lists it; empty: the one that the backend begins with."""
    settings: Any
    """The section of its backend, with what this one has otherwise."""
    generation: Mapping[str, Any] = field(default_factory=dict)
    """What it has otherwise of how models reply."""
    price: Price | None = None

    def generate_by(self, general: Generation) -> Generation:
        """How it replies, where models in general reply so."""
        return replace(general, **self.generation)

    def differs(self, section: Any) -> bool:
        """Whether it needs a provider of its own beside that of its backend's section."""
        return bool(self.generation) or self.settings != section


@dataclass(frozen=True, kw_only=True)
class _Meaning:
    """What is said of a named model beside settings."""

    backend: Name = ""
    model: Name = ""
    price: Price | None = None


def read_named_models(
    entries: Mapping[str, Mapping[str, Any]], sections: Mapping[str, Any], backends: Sequence[ModelBackend]
) -> dict[str, NamedModel]:
    """The named models, by their names; `sections` are the settings of each backend.

    Raises `UnknownSetting` and `WrongSetting`.
    """
    return {name: _read_entry(name, entry, sections, backends) for name, entry in entries.items()}


def _read_entry(
    name: str, entry: Mapping[str, Any], sections: Mapping[str, Any], backends: Sequence[ModelBackend]
) -> NamedModel:
    _refuse_name(name, backends)
    place = f"{NAMED_SECTION}.{name}."
    own = {key: entry[key] for key in _names_of(_Meaning) if key in entry}
    meaning = _read_part(_Meaning, own, place)
    backend = _find_backend(meaning, place, backends)
    section = sections[backend.name]
    of_backend = {key: entry[key] for key in _names_of(section) if key in entry and key not in own}
    of_reply = {key: entry[key] for key in _names_of(Generation) if key in entry and key not in (own | of_backend)}
    known = dict.fromkeys((*_names_of(_Meaning), *_names_of(section), *_names_of(Generation)))
    for key in entry:
        if key not in known:
            raise UnknownSetting(place + key, [place + one for one in known])
    elsewhere = [secret for secret, owner in backend.secrets_of.items() if owner in of_backend]
    shared = {key: value for key, value in plain_settings(section).items() if key not in elsewhere}
    settings = _read_part(type(section), shared | of_backend, place)
    generation = _read_part(Generation, of_reply, place)
    model = meaning.model
    if model and not backend.takes(model):
        model = f"{backend.name}:{model}"
    return NamedModel(backend.name, model, settings, {key: getattr(generation, key) for key in of_reply}, meaning.price)


def _refuse_name(name: str, backends: Sequence[ModelBackend]) -> None:
    """Raise `WrongSetting` where a name cannot be written behind /model, or means something already."""
    owner = next((backend.name for backend in backends if backend.owns(name)), "")
    if owner:
        raise WrongSetting(NAMED_SECTION, name, f"such a name means a model of {owner}")
    if name == RERANKING_MODEL:
        raise WrongSetting(NAMED_SECTION, name, "for rag.reranker that is the model that answers")
    if not name or name != name.strip():
        raise WrongSetting(NAMED_SECTION, name, "a name must not be empty, nor begin or end with a space")


def _find_backend(meaning: _Meaning, place: str, backends: Sequence[ModelBackend]) -> ModelBackend:
    """The backend that is named, or that the model's name begins with."""
    for backend in backends:
        if meaning.backend == backend.name or (not meaning.backend and backend.owns(meaning.model)):
            return backend
    *first, last = (backend.name for backend in backends)
    raise WrongSetting(f"{place}backend", meaning.backend, f"it must be {', '.join(first)} or {last}")


def _read_part(kind: type[Any], tree: Mapping[str, Any], place: str) -> Any:
    """Settings of this kind, whose mistakes are told with the place that they stand in."""
    try:
        return read_settings(kind, tree)
    except UnknownSetting as error:
        raise UnknownSetting(place + error.name, [place + one for one in error.known]) from error
    except WrongSetting as error:
        raise WrongSetting(place + error.name, error.value, error.reason) from error


def _names_of(settings: Any) -> Iterator[str]:
    return (one.name for one in fields(settings))

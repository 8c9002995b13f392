"""The configuration: the settings that stand beside each part, composed from five places.

Defaults < file < profile < environment (`MAGPIE_*`, also from a `.env` beside the file) < command line.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from chatbot.history.settings import HistorySettings
from chatbot.models.backends import BACKENDS, backend_names
from chatbot.models.named import NamedModel, read_named_models
from chatbot.models.provider import AUTO
from chatbot.models.settings import Generation
from chatbot.settings import (
    AgentSettings,
    CitationSettings,
    MemorySettings,
    ResearchSettings,
    ServeSettings,
    TelegramSettings,
    ViewSettings,
)
from rag.settings import POSTGRES_VARIABLE, RagSettings
from tools.settings import CrawlSettings, FetchSettings, McpSettings, RankingSettings, SearchSettings
from utils.errors import ConfigError, FileMissing, FileUnreadable
from utils.files import expand_home, read_json
from utils.languages.spelling import nearest_name
from utils.network.settings import NetworkSettings
from utils.paths import CODE_FOLDER, default_data_dir, user_config_dir, write_private
from utils.settings import (
    Name,
    UnknownSetting,
    WrongSetting,
    decode_value,
    get_setting,
    new_name,
    plain_settings,
    put_setting,
    read_dotenv,
    read_settings,
    rename_old_keys,
    setting_names,
    short_value,
)
from utils.text import one_line

ENVIRONMENT_PREFIX = "MAGPIE_"
SCHEMA = "$schema"
"""Tells an editor of the file where its schema is (docs/config.schema.json); no setting, but it stays in the file."""
CHECKOUT = CODE_FOLDER
SECRETS = frozenset({"MAGPIE_TELEGRAM_TOKEN", POSTGRES_VARIABLE})
"""Variables that are no settings, for whoever needs them reads them: a file of settings is no place for these."""
MAX_CONFIG_BYTES = 1_000_000
"""Bytes of a file of settings."""


ConfigT = TypeVar("ConfigT")


def with_backends(kind: type[ConfigT]) -> type[ConfigT]:
    """The class with a section for each backend of models, and with their names as what `backend` can be."""
    kind.__annotations__["backend"] = Literal.__getitem__(backend_names())
    for backend in BACKENDS:
        kind.__annotations__[backend.name] = backend.settings
        setattr(kind, backend.name, backend.settings())
    return kind


@dataclass(frozen=True, kw_only=True)
@with_backends
class Config(Generation, AgentSettings, ViewSettings, RankingSettings):
    """Every setting of Magpie."""

    backend: str = AUTO
    """What runs the model, one of the list of backends; auto: the first of them that can."""
    model: Name = ""
    """Name of the model; unset: the last one used, else one that can call tools."""
    models: dict[Name, dict[Name, Any]] = field(default_factory=dict)
    """Models under names of your own: {"fast": {"backend": "ollama", "model": "qwen3:4b", "temperature": 0}}."""
    private: bool = False
    """Keep nothing of a run (`--private`): no input, page or log; the library is searched and nothing added to it."""
    offline: bool = False
    """Let nothing leave this machine (`--offline`): no page, no search, no model elsewhere."""
    data_dir: Path | None = None
    """Where Magpie keeps its data; unset: the platform's data folder."""
    history: HistorySettings = HistorySettings()
    """Conversations that are kept."""
    memory: MemorySettings = MemorySettings()
    """What is remembered of the user."""
    citations: CitationSettings = CitationSettings()
    """Checking what an answer cites."""
    research: ResearchSettings = ResearchSettings()
    """Research runs."""
    rag: RagSettings = RagSettings()
    """The library."""
    search: SearchSettings = SearchSettings()
    """Searching the web."""
    fetch: FetchSettings = FetchSettings()
    """Opening pages."""
    crawl: CrawlSettings = CrawlSettings()
    """Taking in whole sites."""
    mcp: McpSettings = McpSettings()
    """Tools of other programs."""
    network: NetworkSettings = NetworkSettings()
    """Reaching the network."""
    telegram: TelegramSettings = TelegramSettings()
    """Magpie as a Telegram bot."""
    serve: ServeSettings = ServeSettings()
    """The HTTP API of `magpie serve`."""

    @property
    def backends(self) -> dict[str, Any]:
        """The settings of each backend of models, by its name."""
        return {backend.name: getattr(self, backend.name) for backend in BACKENDS}

    @property
    def named_models(self) -> dict[str, NamedModel]:
        """The models of `models`, by their names; raises `UnknownSetting` and `WrongSetting`."""
        return read_named_models(self.models, self.backends, BACKENDS)

    @property
    def data_folder(self) -> Path:
        """The data folder in force."""
        return expand_home(self.data_dir) if self.data_dir else default_data_dir()

    @property
    def library(self) -> RagSettings:
        """The settings of the library in force."""
        return replace(self.rag, read_only=self.rag.read_only or self.private)

    @property
    def history_file(self) -> Path:
        """The file of the kept conversations in force."""
        return expand_home(self.history.path).absolute() if self.history.path else self.data_folder / "sessions.db"

    @property
    def library_folder(self) -> Path:
        """The folder of the library in force."""
        return expand_home(self.rag.folder).absolute() if self.rag.folder else self.data_folder


Tree = dict[str, Any]


@dataclass(frozen=True)
class Configuration:
    """The settings in force and the file that keeps them."""

    values: Config
    path: Path
    fixed: Mapping[str, str]
    """Dotted names that environment or command line decide, with what decides them."""
    beneath: Config | None = None
    """The settings without those of the profile in force; None: there are none of it."""
    of_profile: frozenset[str] = frozenset()
    """Dotted names that the profile in force decides."""

    def with_setting(self, name: str, value: Any) -> "Configuration":
        """The same with one setting changed, for this run; raises `ConfigError`."""
        changed = {name: value}
        beneath = _changed_settings(self.beneath, changed, "the new value") if self.beneath else None
        values = _changed_settings(self.values, changed, "the new value")
        return replace(self, values=values, beneath=beneath, of_profile=self.of_profile - {name})

    def with_profile(self, settings: Mapping[str, Any]) -> "Configuration":
        """The same with these settings of a profile, and none of another's; raises `ConfigError`.

        What the environment or the command line decides stays.
        """
        beneath = self.beneath or self.values
        chosen = {name: value for name, value in settings.items() if name not in self.fixed}
        values = _changed_settings(beneath, chosen, "the profile")
        return replace(self, values=values, beneath=beneath, of_profile=frozenset(chosen))

    def store_setting(self, name: str) -> str:
        """Write one setting to the file and say so; what environment or command line decide is not written."""
        if name in self.fixed:
            return f"{name} is set by {self.fixed[name]}, so this holds until you leave and the file stays as it is."
        tree = _read_file(self.path)
        put_setting(tree, name, get_setting(plain_settings(self.values), name))
        _write_settings(self.path, tree)
        return f"Saved {name} in {self.path}."

    def save_settings(self) -> str:
        """Write every setting that differs from its default, or that the file already has, and say so."""
        tree = _read_file(self.path)
        values, defaults = plain_settings(self.values), plain_settings(Config())
        kept = set(setting_names(Config, tree))
        for name in setting_names(Config, values):
            if name not in {*self.fixed, *self.of_profile} and (
                name in kept or get_setting(values, name) != get_setting(defaults, name)
            ):
                put_setting(tree, name, get_setting(values, name))
        _write_settings(self.path, tree)
        return f"Saved the settings in {self.path}."


def find_path(named: Path | None, environment: Mapping[str, str]) -> Path:
    """The file to use: the one named, MAGPIE_CONFIG, config.json beside main.py, else the user's.

    Never the working directory: other programs' config.json lie there.
    """
    if named or environment.get("MAGPIE_CONFIG"):
        return expand_home(Path(named or environment["MAGPIE_CONFIG"]))
    beside = CHECKOUT / "config.json"
    return beside if beside.exists() and (CHECKOUT / "main.py").exists() else user_config_dir() / "config.json"


def load_configuration(
    named: Path | None = None, options: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None
) -> Configuration:
    """Compose the settings; `options` are dotted names from the command line. Raises `ConfigError`."""
    environment = os.environ if environment is None else environment
    path = find_path(named, environment)
    tree = _read_file(path, needed=bool(named or environment.get("MAGPIE_CONFIG")))
    _validate_settings(tree, str(path))
    fixed: dict[str, str] = {}
    for name, (variable, value) in _from_environment(path, environment).items():
        put_setting(tree, name, value)
        fixed[name] = f"the environment variable {variable}"
    for name, value in (options or {}).items():
        put_setting(tree, name, value)
        fixed[name] = "the command line"
    return Configuration(_validate_settings(tree, "environment or command line"), path, fixed)


def _read_file(path: Path, *, needed: bool = False) -> Tree:
    try:
        tree = read_json(path, MAX_CONFIG_BYTES)
    except FileMissing as error:
        if needed:
            told = f"There is no configuration file {path}."
            raise ConfigError(told, "Name an existing one, or leave --config out.") from error
        return {}
    except FileUnreadable as error:
        raise ConfigError(error.problem, "Mend it, or name another with --config.") from error
    if not isinstance(tree, dict):
        raise ConfigError(f"{path} must hold one JSON object.", "See config.example.json.")
    return rename_old_keys(Config, tree)


def _from_environment(path: Path, environment: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    """Dotted names with the variable that sets them and its value; MAGPIE_RAG__TOP_K is rag.top_k."""
    given = {name: text for name, text in environment.items() if name not in SECRETS}
    variables = {**read_dotenv(path.parent / ".env"), **given}
    known = set(setting_names(Config, plain_settings(Config())))
    found: dict[str, tuple[str, Any]] = {}
    for variable, text in variables.items():
        if not variable.upper().startswith(ENVIRONMENT_PREFIX) or variable.upper() == "MAGPIE_CONFIG":
            continue
        name = new_name(Config, variable[len(ENVIRONMENT_PREFIX) :].lower().replace("__", "."))
        if name not in known:
            raise ConfigError(f"{one_line(variable, 100)} names no setting.", _suggest_name(name, known))
        found[name] = (variable, decode_value(text))
    return found


def _validate_settings(tree: Tree, where: str) -> Config:
    try:
        config = read_settings(Config, {name: value for name, value in tree.items() if name != SCHEMA})
        _ = config.named_models
        return config
    except UnknownSetting as error:
        known = {*setting_names(Config, plain_settings(Config())), *error.known}
        raise ConfigError(
            f"There is no setting {one_line(error.name, 100)} (in {where}).", _suggest_name(error.name, known)
        ) from error
    except WrongSetting as error:
        told = f"{error.name} cannot be {short_value(error.value)} (in {where}): {error.reason}."
        raise ConfigError(told, "See config.example.json.") from error


def _changed_settings(values: Config, changed: Mapping[str, Any], where: str) -> Config:
    tree = plain_settings(values)
    for name, value in changed.items():
        put_setting(tree, name, value)
    return _validate_settings(tree, where)


def _suggest_name(name: str, known: set[str]) -> str:
    meant = nearest_name(name, sorted(known))
    return f"Did you mean {meant}?" if meant else "config.example.json has them all."


def _write_settings(path: Path, tree: Tree) -> None:
    try:
        write_private(path, json.dumps(tree, indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.", "Name another file with --config.") from error

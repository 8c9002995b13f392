import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from chatbot.config import CHECKOUT, Config, Configuration, find_path, load_configuration
from chatbot.engine.model_choice import surroundings
from utils.errors import ConfigError
from utils.network.access import NetworkAccess
from utils.settings import plain_settings


def write(folder: Path, tree: object) -> Path:
    path = folder / "config.json"
    path.write_text(tree if isinstance(tree, str) else json.dumps(tree), encoding="utf-8")
    return path


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_example_has_every_setting_at_its_default() -> None:
    example = read(CHECKOUT / "config.example.json")
    assert (CHECKOUT / example.pop("$schema")).is_file()
    assert example == json.loads(json.dumps(plain_settings(Config())))


def test_the_example_can_be_taken_as_it_is() -> None:
    assert load_configuration(CHECKOUT / "config.example.json", {}, {}).values == Config()


def test_the_name_of_the_schema_stays_in_a_file_that_is_saved(tmp_path: Path) -> None:
    path = write(tmp_path, {"$schema": "docs/config.schema.json", "rag": {"top_k": 3}})
    changed = load_configuration(path, {}, {}).with_setting("temperature", 0)
    changed.save_settings()
    assert read(path) == {"$schema": "docs/config.schema.json", "rag": {"top_k": 3}, "temperature": 0.0}


def test_command_line_beats_environment_beats_dotenv_beats_file(tmp_path: Path) -> None:
    path = write(tmp_path, {"temperature": 0.1, "max_tokens": 100, "rag": {"top_k": 1, "chunk_size": 900}})
    (tmp_path / ".env").write_text("MAGPIE_MAX_TOKENS=200\nMAGPIE_RAG__TOP_K=2\nUNRELATED=1\n")
    found = load_configuration(path, {"rag.chunk_size": 300}, {"MAGPIE_RAG__TOP_K": "3", "PATH": "/bin"})
    values = found.values
    assert (values.temperature, values.max_tokens, values.rag.top_k, values.rag.chunk_size) == (0.1, 200, 3, 300)
    assert found.fixed == {
        "max_tokens": "the environment variable MAGPIE_MAX_TOKENS",
        "rag.top_k": "the environment variable MAGPIE_RAG__TOP_K",
        "rag.chunk_size": "the command line",
    }


def test_lists_in_the_environment_are_json(tmp_path: Path) -> None:
    environment = {"MAGPIE_FETCH__ALLOW_HOSTS": '["127.0.0.1:80"]'}
    assert load_configuration(write(tmp_path, {}), {}, environment).values.fetch.allow_hosts == ("127.0.0.1:80",)


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        ({"temprature": 1}, "There is no setting temprature (in {path}). Did you mean temperature?"),
        (
            {"prices": {"qwen2.5:7b": {"promt": 1}}},
            "There is no setting prices.qwen2.5:7b.promt (in {path}). Did you mean prices.qwen2.5:7b.prompt?",
        ),
        ({"rag": {"topk": 1}}, "There is no setting rag.topk (in {path}). Did you mean rag.top_k?"),
        (
            {"backend": "cloud"},
            "backend cannot be 'cloud' (in {path}): it must be auto, ollama, openai, anthropic or embedded. "
            "See config.example.json.",
        ),
        (
            {"rag": {"top_k": 0}},
            "rag.top_k cannot be 0 (in {path}): it must be a whole number of at least 1. See config.example.json.",
        ),
        (
            '{"a": 1,\n "b": }',
            "{path} is not valid JSON: Expecting value at line 2, column 7. Mend it, or name another with --config.",
        ),
        ([1], "{path} must hold one JSON object. See config.example.json."),
    ],
)
def test_a_wrong_setting_is_named_with_its_place(tmp_path: Path, tree: object, told: str) -> None:
    path = write(tmp_path, tree)
    with pytest.raises(ConfigError) as caught:
        load_configuration(path, {}, {})
    assert str(caught.value) == told.format(path=path)


def test_a_misspelt_variable_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"MAGPIE_MODLE names no setting\. Did you mean model\?"):
        load_configuration(write(tmp_path, {}), {}, {"MAGPIE_MODLE": "x"})


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="There is no configuration file"):
        load_configuration(tmp_path / "absent.json", {}, {})


def test_the_working_directory_is_never_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"temperature": 1.5})
    monkeypatch.chdir(tmp_path)
    assert find_path(None, {}) != tmp_path / "config.json"
    assert find_path(None, {"MAGPIE_CONFIG": "/etc/magpie.json"}) == Path("/etc/magpie.json")


def test_older_flat_spellings_are_taken_and_saved_under_the_new_name(tmp_path: Path) -> None:
    path = write(tmp_path, {"rag_collection": "notes", "chroma_db_path": "/data", "ollama_host": "http://h:1"})
    found = load_configuration(path, {}, {})
    rag = found.values.rag
    assert (rag.collection, rag.chroma_db_path, found.values.backends["ollama"].host) == (
        "notes",
        Path("/data"),
        "http://h:1",
    )
    found.save_settings()
    assert read(path) == {"rag": {"collection": "notes", "chroma_db_path": "/data"}, "ollama": {"host": "http://h:1"}}


def test_a_toggle_writes_its_own_key_and_leaves_the_rest(tmp_path: Path) -> None:
    path = write(tmp_path, {"model": "qwen3", "temperature": 0.9})
    found = load_configuration(path, {"temperature": 0.2}, {}).with_setting("tools_enabled", False)
    assert found.store_setting("tools_enabled") == f"Saved tools_enabled in {path}."
    assert read(path) == {"model": "qwen3", "temperature": 0.9, "tools_enabled": False}


def test_what_the_command_line_set_is_said_and_not_written(tmp_path: Path) -> None:
    path = write(tmp_path, {})
    found = load_configuration(path, {"markdown": True}, {}).with_setting("markdown", False)
    assert found.store_setting("markdown").startswith("markdown is set by the command line")
    assert (found.values.markdown, read(path)) == (False, {})


def test_saving_writes_what_differs_and_what_was_there(tmp_path: Path) -> None:
    path = write(tmp_path, {"temperature": 0.3})
    found: Configuration = load_configuration(path, {"seed": 7}, {}).with_setting("rag.top_k", 9)
    found.save_settings()
    assert read(path) == {"temperature": 0.3, "rag": {"top_k": 9}}
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("private", [True, False])
async def test_a_private_run_remembers_no_model_whoever_asks_for_one(tmp_path: Path, private: bool) -> None:
    around = surroundings(Config(private=private, data_dir=tmp_path), NetworkAccess(), print)
    await around.state.note_used("qwen3:8b")
    assert (tmp_path / "models.json").exists() is not private


def test_prices_are_saved_whole_whatever_the_names_of_their_models(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"prices": {"qwen2.5:7b": {"prompt": 0.1}}}')
    load_configuration(path, environment={}).save_settings()
    unsaid = {"cached": None, "written": None, "written_hour": None, "reply": 0.0}
    assert read(path) == {"prices": {"qwen2.5:7b": {"prompt": 0.1, **unsaid}}}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 100_000, "{path} is not valid JSON: it is nested more than 100 deep. Mend it, or"),
        ('{"seed": ' + "9" * 5000 + "}", "{path} is not valid JSON: a number in it is too large. Mend it, or"),
        ('{"max_tokens": 1e999}', "{path} is not valid JSON: a number in it is too large. Mend it, or"),
        (" " * 1_100_000, "{path} cannot be read: it is larger than 1,000,000 bytes. Mend it, or"),
        ('{"' + "n" * 100_000 + '": 1}', "There is no setting nnn"),
        ('{"model": "' + "m" * 100_000 + '"}', "model cannot be 'mmm"),
        ('{"rag": {"embedding_model": "' + "m" * 100_000 + '"}}', "rag.embedding_model cannot be 'mmm"),
        ('{"rag": {"embedding_model": "a\\u0000b"}}', "rag.embedding_model cannot be 'a\\x00b'"),
        ('{"history": {"keep_days": 1000000}}', "history.keep_days cannot be 1000000 (in {path}): it must be a whole"),
        ('{"fetch": {"cache_hours": 1e300}}', "fetch.cache_hours cannot be 1e+300 (in {path}): it must be a number"),
        ('{"data_dir": "a\\u0000b"}', "data_dir cannot be 'a\\x00b' (in {path}): it can be the name of no file."),
        ('{"data_dir": "a\\ud800b"}', "data_dir cannot be 'a\\ud800b' (in {path}): it can be the name of no file."),
        ('{"data_dir": "' + "d" * 5000 + '"}', "data_dir cannot be 'ddd"),
        (
            '{"data_dir": "~nobodyhere/x"}',
            "data_dir cannot be '~nobodyhere/x' (in {path}): nobody has that home folder.",
        ),
    ],
)
def test_whatever_stands_in_the_file_is_told_in_one_short_sentence(tmp_path: Path, text: str, told: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_configuration(path, {}, {})
    assert str(caught.value).startswith(told.format(path=path))
    assert len(str(caught.value)) < 500
    str(caught.value).encode()


@pytest.mark.parametrize("path", [Path("/dev/zero"), Path("/dev"), Path("/dev/full")])
def test_only_a_regular_file_can_be_the_configuration(path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be read: it is (no regular file|a folder)\. Mend it"):
        load_configuration(path, {}, {})


def test_a_pipe_beside_the_configuration_keeps_nobody_waiting(tmp_path: Path) -> None:
    path = write(tmp_path, {})
    os.mkfifo(tmp_path / ".env")
    with pytest.raises(ConfigError, match=r"\.env cannot be read: it is no regular file\. Mend it, or move it away\."):
        load_configuration(path, {}, {})


def test_every_number_and_every_text_among_the_settings_has_a_bound() -> None:
    unbounded = [name for name, kind in kinds("", Config) if unlimited(kind)]
    assert unbounded == []


def kinds(name: str, kind: type) -> list[tuple[str, Any]]:
    """What msgspec knows of the type of each setting, by its dotted name."""
    described = msgspec.inspect.type_info(kind)
    return list(described_kinds(name, described))


def described_kinds(name: str, described: Any) -> Iterator[tuple[str, Any]]:
    for part in ("types", "item_types", "fields"):
        for inner in getattr(described, part, ()):
            field = getattr(inner, "name", "")
            yield from described_kinds(f"{name}.{field}".strip("."), getattr(inner, "type", inner))
    for part in ("item_type", "key_type", "value_type"):
        if hasattr(described, part):
            yield from described_kinds(name, getattr(described, part))
    yield name, described


def unlimited(kind: Any) -> bool:
    if isinstance(kind, msgspec.inspect.IntType):
        return (kind.ge is None and kind.gt is None) or (kind.le is None and kind.lt is None)
    if isinstance(kind, msgspec.inspect.FloatType):
        return (kind.ge is None and kind.gt is None) or (kind.le is None and kind.lt is None)
    return isinstance(kind, msgspec.inspect.StrType) and kind.max_length is None and not kind.pattern


def test_a_key_in_the_wrong_place_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="openai cannot be 'sk-") as refused:
        load_configuration(write(tmp_path, {"openai": "sk-quiet-4815162342aB"}), {}, {})
    assert "4815162342" not in str(refused.value)


def test_where_the_library_is_is_no_setting_and_is_not_read_from_a_file_of_settings(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    environment = {"MAGPIE_CONFIG": str(tmp_path / "config.json")}
    load_configuration(options={}, environment={**environment, "MAGPIE_POSTGRES_URL": "postgresql:///birds"})
    (tmp_path / ".env").write_text("MAGPIE_POSTGRES_URL=postgresql:///birds\n")
    with pytest.raises(ConfigError, match=r"^MAGPIE_POSTGRES_URL names no setting"):
        load_configuration(options={}, environment=environment)

"""The files for containers and services, which are not run here, name what there is."""

import re
import shlex
import tomllib
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from psycopg.conninfo import conninfo_to_dict

from chatbot.cli import FRONT_ENDS
from chatbot.config import SECRETS, Config, load_configuration
from chatbot.frontends.http_api.routes.health import HEALTH_PATH
from chatbot.settings import ServeSettings
from rag.backends import open_backend
from tests.fakes.places import ROOT
from tests.fakes.postgres import PostgresServer
from utils.network.offline import OfflineSwitch
from utils.settings import plain_settings, setting_names

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))


def test_every_variable_that_is_set_is_a_setting_or_a_secret_that_is_read() -> None:
    text = DOCKERFILE + (ROOT / "compose.yaml").read_text(encoding="utf-8")
    named = {name for name in re.findall(r"\bMAGPIE_\w+", text) if name not in SECRETS}
    known = set(setting_names(Config, plain_settings(Config())))
    assert named and {name.removeprefix("MAGPIE_").lower().replace("__", ".") for name in named} <= known


def test_every_variable_of_compose_stands_in_the_example() -> None:
    used = set(re.findall(r"\$\{(\w+)", (ROOT / "compose.yaml").read_text(encoding="utf-8")))
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert used == set(re.findall(r"^(\w+)=", example, re.MULTILINE))
    # A checkout's own settings are read from the same file.
    assert not any(name.startswith("MAGPIE_") for name in used)


def test_the_image_has_every_package_and_is_asked_where_it_listens() -> None:
    copied = set(re.findall(r"^COPY (\w+) \1$", DOCKERFILE, re.MULTILINE))
    assert copied == {
        path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name not in ("tests", "benchmarks")
    }
    kept = (ROOT / ".dockerignore").read_text(encoding="utf-8")
    assert all(f"!{name}\n" in kept for name in copied)
    port = ServeSettings().port
    assert f"http://127.0.0.1:{port}{HEALTH_PATH}" in DOCKERFILE and f"EXPOSE {port}\n" in DOCKERFILE
    assert COMPOSE["services"]["magpie"]["ports"] == [f"127.0.0.1:${{SERVE_PORT:-{port}}}:{port}"]
    assert "USER 10001:10001\n" in DOCKERFILE


def environment_of(service: str, **variables: str) -> dict[str, str]:
    """What a service finds in its environment, with these in `.env`."""

    def put_in(found: re.Match[str]) -> str:
        return variables.get(found[1]) or found[2] or ""

    given = COMPOSE["services"][service]["environment"]
    return {name: re.sub(r"\$\{(\w+)(?::[-?]([^}]*))?\}", put_in, text) for name, text in given.items()}


def test_what_a_service_waits_for_and_keeps_is_there() -> None:
    services = COMPOSE["services"]
    for one in services.values():
        assert set(one.get("depends_on", {})) <= set(services)
        named = {volume.partition(":")[0] for volume in one.get("volumes", [])}
        assert {name for name in named if not name.startswith(".")} <= set(COMPOSE["volumes"])
        assert all((ROOT / name).is_dir() for name in named if name.startswith("."))
    # It waits for a database that can be asked, where there is one.
    assert services["magpie"]["depends_on"]["postgres"] == {"condition": "service_healthy", "required": False}
    assert services["postgres"]["healthcheck"]["test"][1] == "pg_isready" and "ports" not in services["postgres"]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {"chat", "postgres"} <= set(extras)


def test_without_a_word_the_library_is_a_file() -> None:
    assert environment_of("magpie")["MAGPIE_RAG__BACKEND"] == Config().rag.backend == "sqlite"


@pytest.mark.parametrize("service", ["magpie", "telegram"])
def test_the_settings_of_compose_keep_the_library_in_postgresql(
    service: str, postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = environment_of(service, LIBRARY_BACKEND="postgres", POSTGRES_PASSWORD="a1b2c3")
    (tmp_path / "config.json").write_text("{}")
    config = load_configuration(tmp_path / "config.json", {"data_dir": str(tmp_path)}, environment).values
    made = COMPOSE["services"]["postgres"]["environment"]
    address = environment["MAGPIE_POSTGRES_URL"]
    assert conninfo_to_dict(address) == {
        "host": "postgres",
        "user": made["POSTGRES_USER"],
        "dbname": made["POSTGRES_DB"],
        "password": "a1b2c3",
    }
    # As the image makes them.
    postgres_server.execute("CREATE ROLE magpie SUPERUSER LOGIN PASSWORD 'a1b2c3'", "CREATE DATABASE magpie")
    try:
        here = conninfo_to_dict(postgres_server.address)["host"]
        monkeypatch.setenv("MAGPIE_POSTGRES_URL", address.replace("@postgres/", "@/") + f"?host={here}")
        with closing(open_backend(config.library_folder, config.library, OfflineSwitch())) as library:
            assert library.documents("").is_empty()
    finally:
        postgres_server.execute("DROP DATABASE magpie WITH (FORCE)", "DROP ROLE magpie")


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_every_unit_starts_a_command_that_there_is(unit: object) -> None:
    [started] = re.findall(r"^ExecStart=(.*)$", ROOT.joinpath(str(unit)).read_text(encoding="utf-8"), re.MULTILINE)
    program, *arguments = shlex.split(started)
    assert program.endswith("/magpie") and any(one.parse(arguments) for one in FRONT_ENDS[:-2])

"""The files for containers and services, which are not run here, name what there is."""

import re
import shlex

import pytest
import yaml

from chatbot.cli import FRONT_ENDS
from chatbot.config import SECRETS, Config
from chatbot.frontends.http_api.routes.health import HEALTH_PATH
from chatbot.settings import ServeSettings
from tests.fakes.places import ROOT
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


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_every_unit_starts_a_command_that_there_is(unit: object) -> None:
    [started] = re.findall(r"^ExecStart=(.*)$", ROOT.joinpath(str(unit)).read_text(encoding="utf-8"), re.MULTILINE)
    program, *arguments = shlex.split(started)
    assert program.endswith("/magpie") and any(one.parse(arguments) for one in FRONT_ENDS[:-2])

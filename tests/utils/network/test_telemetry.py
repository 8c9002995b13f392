import os
import platform
import subprocess
import sys
from pathlib import Path

from tests.fakes.places import ROOT

QUESTIONS = """
from utils.network import telemetry
telemetry.switch_off()
from huggingface_hub import constants
from chromadb.config import Settings
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import NonRecordingSpan
print(constants.HF_HUB_DISABLE_TELEMETRY, constants.HF_HUB_DISABLE_XET, constants.HF_HUB_DISABLE_IMPLICIT_TOKEN)
print(Settings().anonymized_telemetry)
print(isinstance(TracerProvider().get_tracer("x").start_span("y"), NonRecordingSpan))
"""


def test_the_libraries_understand_that_they_are_not_to_report() -> None:
    run = subprocess.run([sys.executable, "-c", QUESTIONS], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (run.stdout, run.stderr) == ("True True True\nFalse\nTrue\n", "")


CHILDREN = """
import sys
sys.addaudithook(lambda name, given: print(name, given[0]) if name in ("subprocess.Popen", "os.posix_spawn") else None)
from utils.network import telemetry
telemetry.switch_off()
from openai._base_client import get_platform
from anthropic._base_client import get_platform as get_it_again
import platform
print(get_platform(), get_it_again(), platform.platform().startswith("Linux"), list(platform.uname())[5])
"""


def test_no_program_is_started_with_the_users_environment_to_name_the_platform() -> None:
    run = subprocess.run([sys.executable, "-c", CHILDREN], capture_output=True, text=True, cwd=ROOT, check=False)
    linux = sys.platform == "linux"
    named = f"Linux Linux True {platform.machine()}\n" if linux else f"MacOS MacOS False {platform.machine()}\n"
    assert (run.stdout, run.stderr) == (named, "")


def test_pytorch_leaves_nothing_in_the_temporary_folder(tmp_path: Path) -> None:
    loading = "from utils.network import telemetry; telemetry.switch_off(); import sentence_transformers"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", loading],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)},
        cwd=ROOT,
        check=True,
    )
    assert list(tmp_path.iterdir()) == []

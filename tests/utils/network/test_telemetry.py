import os
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


def test_pytorch_leaves_nothing_in_the_temporary_folder(tmp_path: Path) -> None:
    loading = "from utils.network import telemetry; telemetry.switch_off(); import sentence_transformers"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", loading],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)},
        cwd=ROOT,
        check=True,
    )
    assert list(tmp_path.iterdir()) == []

"""What keeps the libraries that Magpie stands on from reporting, fetching or leaving anything of their own accord."""

import os
import platform
from pathlib import Path

SWITCHES = {
    # What several libraries agreed on (https://donottrack.sh).
    "DO_NOT_TRACK": "1",
    # huggingface_hub, and through it transformers and sentence-transformers.
    "HF_HUB_DISABLE_TELEMETRY": "1",
    # A token that lies on this disk goes nowhere unasked.
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    # Its second way of downloading is a client of its own, not Python's, which no guard of ours would see.
    "HF_HUB_DISABLE_XET": "1",
    # transformers would ask the hub, in the background, for a safer copy of weights that are on this disk.
    "DISABLE_SAFETENSORS_CONVERSION": "1",
    # ONNX Runtime, which from 1.29 on tells its maker of every session; what is called after the import comes too late.
    "ORT_DISABLE_TELEMETRY": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "OTEL_SDK_DISABLED": "true",
    # PyTorch makes a folder for what it compiles as soon as it is loaded, in the temporary one, by a name that all
    # users know. Nothing is compiled here: one that is there already, and that no other user may write, stays as it is.
    "TORCHINDUCTOR_CACHE_DIR": str(Path(__file__).parent),
}


def switch_off() -> None:
    """Set it for this process and its children; to be called before any of those libraries is imported."""
    os.environ.update(SWITCHES)
    # Whoever asks for the platform's name (the packages of OpenAI and Anthropic do with each first request) has Python
    # start `uname -p` for this part of it, with every key that stands in the environment. Once known, it is not asked.
    vars(platform.uname()).setdefault("processor", platform.machine())

"""Child processes: what they are given of the environment (what they need to run, and none of the secrets of the user),
and how those are started that end with whoever wanted them.
"""

import asyncio
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from typing import Any

from utils.network.telemetry import SWITCHES
from utils.supervisor import supervised_command

_NAMES_NEEDED = frozenset(
    [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "TESSDATA_PREFIX",
        "PYTHONPATH",
        "PYTHONHOME",
        "PYTHONHASHSEED",
        "VIRTUAL_ENV",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "HF_HOME",
        "HF_HUB_CACHE",
        "HF_HUB_OFFLINE",
        "TRANSFORMERS_OFFLINE",
        "SENTENCE_TRANSFORMERS_HOME",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
    ]
)
# How the system, and the libraries that compute, are told where and on what to work.
_BEGINNINGS = (
    "LC_",
    "XDG_",
    "OMP_",
    "OPENBLAS_",
    "MKL_",
    "MALLOC_",
    "CUDA_",
    "HIP_",
    "ROCR_",
    "GGML_",
    "VK_",
    "COVERAGE_",
)


def child_environment(root: str, own: Mapping[str, str], environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of a child that finds Magpie's modules in `root`; `own` are variables for it alone.

    What keeps libraries from reporting holds in it as well.
    """
    path = os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH")]))
    return {**_keep_needed(environment), "PYTHONPATH": path, **SWITCHES, **own}


def foreign_environment(own: Mapping[str, str], environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of another program: where Magpie's modules are is no business of its."""
    return {**_keep_needed(environment), **own}


def _keep_needed(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name in _NAMES_NEEDED or name.startswith(_BEGINNINGS)}


async def start_supervised(program: Sequence[str], **options: Any) -> tuple[Process, int]:
    """Start a program with pipes for what it reads and writes; with all below it, it ends when the lifeline is closed.

    The lifeline is a descriptor, for the caller to close. Raises `OSError` where nothing can be started.
    """
    reader, lifeline = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *supervised_command(reader, list(program)),
            stdin=PIPE,
            stdout=PIPE,
            pass_fds=[reader],
            process_group=0,
            **options,
        )
    except BaseException:
        os.close(lifeline)
        raise
    finally:
        os.close(reader)
    return process, lifeline

"""Downloading a model file from the Hugging Face hub, going on where an earlier try stopped."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

from utils.network.model_hub import Hub


def fetch_file(hub: Hub, place: tuple[str, str, str], draft: Path, report: Callable[[int], None]) -> None:
    """Fetch the file at `place` (repository, revision, file name) into `draft`, which may hold its beginning.

    `report` is told the bytes that are there; what it raises ends the download. Raises `ConnectionError` when the hub
    cannot be reached or does not have the file, the `OSError` of a disk that is full, and `Offline`. The bytes are not
    checked.
    """
    hub.reach.require_online(f"{place[2]} is not on this machine")
    from httpx2 import HTTPError
    from huggingface_hub import get_hf_file_metadata, hf_hub_url, logging
    from huggingface_hub.file_download import http_get

    logging.set_verbosity_error()  # it tells of each new try on standard error, where the chat is
    repository, revision, name = place
    hub.govern_client()
    try:
        url = hf_hub_url(repository, name, revision=revision, endpoint=hub.endpoint)
        found = get_hf_file_metadata(url, token=False, endpoint=hub.endpoint)
        # hf_hub_download of version 2 begins anew with each try, so its own request is made here, onto our file.
        with draft.open("ab") as file:
            if file.tell() < (found.size or 0):
                http_get(
                    found.location,
                    file,
                    resume_size=file.tell(),
                    expected_size=found.size,
                    tqdm_class=_make_progress_bar(report),
                )
    except (HTTPError, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise ConnectionError(str(error)) from error


def _make_progress_bar(report: Callable[[int], None]) -> type[Any]:
    """A class with as much of tqdm's interface as the hub's download calls."""

    class Bar:
        def __init__(self, *, initial: int = 0, **_: object) -> None:
            self.n = initial

        def update(self, n: int = 1) -> None:
            self.n += n
            report(self.n)

        def __enter__(self) -> "Bar":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def close(self) -> None:
            pass

    return Bar

"""Exact counts for OpenAI's models, by vocabularies of tiktoken that are on this disk already; none is ever fetched.

tiktoken itself downloads what it does not find, by a client that no guard of ours sees. So its loader is never called:
what it says of a vocabulary (address, SHA-256, pattern) is read from a copy of its table whose loader is ours.
"""

import asyncio
import base64
import hashlib
import importlib.util
import logging
import math
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatbot.models.counting.token_estimate import estimate_tokens
from utils.errors import FileMissing, FileUnreadable
from utils.files import expand_home, read_bytes

if TYPE_CHECKING:
    from types import ModuleType

    from tiktoken import Encoding

log = logging.getLogger(__name__)

CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
"""Where tiktoken looks, in its order; without them in a folder of the temporary one."""
TEMPORARY_CACHE = "data-gym-cache"
MAX_VOCABULARY_BYTES = 30_000_000
"""The largest that is published has 4 MB."""
MAX_PIECE_CHARS = 20_000
"""Characters that are counted at once: of a million spaces the stack of tiktoken's pattern overflows."""
PUBLISHED = "tiktoken_ext.openai_public"
LOADERS = "tiktoken.load"


class VocabularyMissing(Exception):
    """A vocabulary cannot be had; the text is a part of a sentence."""


class TokenVocabulary:
    """Counts the tokens of a model of OpenAI's, or estimates them where its vocabulary is not on this disk.

    `folder` has the vocabularies; None: tiktoken's own. Nothing is read before the first count.
    """

    def __init__(self, model: str, folder: Path | None = None) -> None:
        self._model = model.rpartition("/")[2]
        self._folders = tuple(vocabulary_folders(folder))
        self._encoding: Encoding | None = None
        self._obstacle: str | None = None
        self._loading = asyncio.Lock()

    @property
    def is_known(self) -> bool:
        """Whether the model is one of those whose vocabulary tiktoken knows."""
        try:
            return bool(vocabulary_of(self._model))
        except VocabularyMissing:
            return False

    async def count_tokens(self, text: str) -> int:
        """Tokens of a text by itself; special tokens in it are counted as the text that they are."""
        if await self.tell_estimate() or self._encoding is None:
            return math.ceil(estimate_tokens(text))
        if len(text) <= MAX_PIECE_CHARS:
            return len(self._encoding.encode_ordinary(text))
        return await asyncio.to_thread(self._count_pieces, self._encoding, text)

    async def tell_estimate(self) -> str:
        """A sentence why tokens are only estimated; empty where they are counted."""
        async with self._loading:
            if self._obstacle is None:
                try:
                    name = vocabulary_of(self._model)
                    self._encoding = await asyncio.to_thread(load_encoding, name, self._folders)
                    self._obstacle = ""
                except VocabularyMissing as error:
                    log.info("tokens of %s are estimated: %s", self._model, error)
                    self._obstacle = f"Tokens are estimated, for {error}."
            return self._obstacle

    def _count_pieces(self, encoding: "Encoding", text: str) -> int:
        return sum(len(encoding.encode_ordinary(piece)) for piece in split_pieces(text))


def vocabulary_folders(folder: Path | None) -> Iterator[Path]:
    """Where vocabularies may lie: in the folder that the user named, or else where tiktoken keeps them."""
    named = [os.environ.get(variable) for variable in CACHE_VARIABLES]
    if folder is not None:
        yield expand_home(folder)
    elif chosen := next(filter(None, named), None):
        yield Path(chosen)
    else:
        yield Path(tempfile.gettempdir()) / TEMPORARY_CACHE


def split_pieces(text: str) -> Iterator[str]:
    """A text in pieces that can be counted one by one, cut before a word where there is one."""
    start = 0
    while (end := start + MAX_PIECE_CHARS) < len(text):
        space = text.rfind(" ", start + 1, end)
        end = space if space > 0 and not text[space + 1].isspace() else end
        yield text[start:end]
        start = end
    yield text[start:]


def vocabulary_of(model: str) -> str:
    """The name of a model's vocabulary; raises `VocabularyMissing`."""
    from tiktoken.model import encoding_name_for_model

    try:
        return encoding_name_for_model(model)
    except KeyError as error:
        raise VocabularyMissing(f"no vocabulary is known for {model}") from error


@lru_cache(maxsize=2)
def load_encoding(name: str, folders: tuple[Path, ...]) -> "Encoding":
    """What counts by a vocabulary; a second of work. Raises `VocabularyMissing`."""
    import tiktoken

    published = copy_of_published(partial(read_ranks, folders))
    constructor = published.ENCODING_CONSTRUCTORS.get(name)
    if constructor is None:
        raise VocabularyMissing(f"tiktoken has no vocabulary {name}")
    return tiktoken.Encoding(**constructor())


def copy_of_published(load: Callable[[str, str], dict[bytes, int]]) -> "ModuleType":
    """A copy of tiktoken's table of vocabularies that takes their tokens from `load` and can reach no other loader."""
    found = importlib.util.find_spec(PUBLISHED)
    if found is None or found.loader is None:
        raise VocabularyMissing("tiktoken has no table of vocabularies")
    copy = importlib.util.module_from_spec(found)
    found.loader.exec_module(copy)
    for name, value in list(vars(copy).items()):
        if getattr(value, "__module__", "") == LOADERS:
            setattr(copy, name, refuse_loading)
    vars(copy)["load_tiktoken_bpe"] = load
    return copy


def refuse_loading(*_: Any, **__: Any) -> Any:
    """In the place of loaders that may download; raises `VocabularyMissing`."""
    raise VocabularyMissing("its vocabulary is of a form that is not read here")


def read_ranks(folders: tuple[Path, ...], address: str, expected_hash: str) -> dict[bytes, int]:
    """The tokens of a vocabulary with their ranks, from a file named as tiktoken's cache or as the address names it.

    Raises `VocabularyMissing` where there is none with this SHA-256.
    """
    name = address.rpartition("/")[2]
    wrong = ""
    for folder in folders:
        for path in (folder / hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest(), folder / name):
            try:
                data = read_bytes(path, MAX_VOCABULARY_BYTES)
            except FileMissing:
                continue
            except FileUnreadable as error:
                wrong = error.problem.rstrip(".")
                continue
            if hashlib.sha256(data).hexdigest() == expected_hash:
                return {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, data.splitlines())}
            wrong = f"{path} is not {name} as it was published"
    raise VocabularyMissing(wrong or f"{name} is not in {' or '.join(map(str, folders))}")

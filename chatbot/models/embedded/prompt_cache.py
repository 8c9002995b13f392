"""The evaluated beginnings of prompts, kept on disk so that each is read once a machine and restored afterwards."""

import asyncio
import hashlib
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

from chatbot.models.embedded.engine_client import EngineClient
from utils.errors import FileUnreadable, ModelError
from utils.files import read_text

Told = Callable[[int, int], None]
"""Given how many of how many are done."""
FOLDER_BYTES = 512 << 20
"""What the folder may hold; 1,000 tokens of the 1.5B take 28 MB, so this is some 15 prompts."""


class PromptStates:
    """A folder of saved states; a file is used only if it is whole and was made of this very prompt and engine."""

    def __init__(self, folder: Path, engine: str, limit: int = FOLDER_BYTES) -> None:
        self._folder = folder
        self._engine = engine
        self._limit = limit
        self._turn = 0

    async def ensure_held(self, client: EngineClient, prompt: str, told: Told = lambda done, total: None) -> bool:
        """Have the engine hold a prompt; True when it was restored rather than read.

        While it is read, `told` is given how many of how many tokens are done, at last that all is.
        """
        if await self.restore_prompt(client, prompt):
            return True
        slot = await self._free_slot(client)
        try:
            await self._read_prompt(client, prompt, slot, told)
        finally:
            told(1, 1)
        name = self._file_name(prompt)
        await client.post(f"/slots/{slot}?action=save", {"filename": name})
        await asyncio.to_thread(self._keep_state, name)
        return False

    async def restore_prompt(self, client: EngineClient, prompt: str) -> bool:
        """Have the engine hold a prompt if it was saved; a file that does not fit is dropped."""
        name = self._file_name(prompt)
        if not await asyncio.to_thread(self._is_whole, name):
            return False
        slot = await self._free_slot(client)
        try:
            await client.post(f"/slots/{slot}?action=restore", {"filename": name})
        except ModelError:
            self._drop_state(self._folder / name)
            return False
        (self._folder / name).touch()
        return True

    def _file_name(self, prompt: str) -> str:
        return hashlib.sha256(f"{self._engine}\n{prompt}".encode()).hexdigest()[:32] + ".state"

    async def _free_slot(self, client: EngineClient) -> int:
        """A slot that may be overwritten: each in turn, so that two prompts warmed up after each other both stay.

        What a slot holds may be another Magpie's chat. The engine copies idle slots to its cache when a request
        starts on another slot, so one is made there first.
        """
        slots = await client.get("/slots")
        self._turn += 1
        order = [slots[(self._turn - 1 + step) % len(slots)] for step in range(len(slots))]
        slot = min(order, key=lambda slot: bool(slot["is_processing"]))
        other = slots[(slot["id"] + 1) % len(slots)]
        if not other["is_processing"]:
            await self._read_prompt(client, "\n", other["id"], lambda done, total: None)
        return int(slot["id"])

    async def _read_prompt(self, client: EngineClient, prompt: str, slot: int, told: Told) -> None:
        told(0, 1)
        body = {"prompt": prompt, "n_predict": 0, "id_slot": slot, "cache_prompt": True}
        async with aclosing(client.stream("/completion", body)) as events:
            async for event in events:
                if progress := event.get("prompt_progress"):
                    told(progress["processed"], progress["total"])

    def _is_whole(self, name: str) -> bool:
        """Whether the file is as it was written; a damaged one is dropped, since llama.cpp trusts its contents."""
        path = self._folder / name
        try:
            record = read_text(path.with_suffix(".sha256"))
            with path.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() == record:
                    return True
        except (FileUnreadable, OSError):
            pass
        self._drop_state(path)
        return False

    def _keep_state(self, name: str) -> None:
        """Note the digest of a new file and drop the oldest ones beyond the limit."""
        path = self._folder / name
        with path.open("rb") as file:
            path.with_suffix(".sha256").write_text(hashlib.file_digest(file, "sha256").hexdigest())
        states = sorted(self._folder.glob("*.state"), key=lambda state: state.stat().st_mtime)
        excess = sum(state.stat().st_size for state in states) - self._limit
        for state in states:
            if excess <= 0 or state == path:
                break
            excess -= state.stat().st_size
            self._drop_state(state)

    def _drop_state(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        path.with_suffix(".sha256").unlink(missing_ok=True)

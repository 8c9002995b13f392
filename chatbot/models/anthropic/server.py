"""The connection to Claude's server."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from chatbot.models.anthropic.errors import ANTHROPIC_ERRORS
from chatbot.models.anthropic.stream import MessageStream
from chatbot.models.remote.server import ModelServer, read_entries
from utils.errors import ModelNotFound

if TYPE_CHECKING:
    import httpx2

PAGE_MODELS = 1000
"""Models on a page of the list: the most that can be asked for."""
MOST_LIST_PAGES = 20
API_HEADERS = frozenset({"anthropic-version"})


class ClaudeServer(ModelServer):
    """One server."""

    backend = "anthropic"
    errors = ANTHROPIC_ERRORS
    stream = MessageStream

    async def list_entries(self) -> list[dict[str, Any]] | None:
        """The models as the server lists them, newest first; None from one that lists none. Raises a `ModelError`."""
        entries: list[dict[str, Any]] = []
        after = ""
        for _ in range(MOST_LIST_PAGES):
            try:
                answer = await self.ask_briefly(f"/v1/models?limit={PAGE_MODELS}{after}")
            except ModelNotFound:
                return entries or None
            page = read_entries(answer)
            if page is None:
                raise self.errors.foreign_answer(self.where, "its list of models is none")
            entries += page
            last = answer.get("last_id") if isinstance(answer, dict) and answer.get("has_more") is True else None
            if not isinstance(last, str) or not last:
                break
            after = f"&after_id={quote(last, safe='')}"
        return entries

    async def find_entry(self, name: str) -> dict[str, Any] | None:
        """What the server tells of a model, also by another name of it; None where it has none of that name."""
        try:
            answer = await self.ask_briefly(f"/v1/models/{quote(name, safe='')}")
        except ModelNotFound:
            return None
        return answer if isinstance(answer, dict) and isinstance(answer.get("id"), str) else None

    def stream_message(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The events of a streamed reply; closing the iterator cancels it. Raises a `ModelError`."""
        return self.stream_events("/v1/messages", body)

    def make_client(self, http: "httpx2.AsyncClient") -> Any:
        """The package's client, which takes nothing from the environment that it is not given."""
        from anthropic import AsyncAnthropic

        # What is given here is put in place of what the environment says.
        return AsyncAnthropic(
            api_key="unused",
            base_url=self.where.endpoint.base_url,
            max_retries=0,
            http_client=http,
            webhook_key="",
            open_telemetry=False,
        )

    def extra_headers(self) -> frozenset[str]:
        """The version of the API."""
        return API_HEADERS

"""Opening web pages, by the guarded client and through the cache, and articles of archives; both become documents."""

import asyncio
from functools import partial
from http import HTTPStatus

from rag.documents import Document
from rag.readers import can_be_sent, read_bytes
from rag.zim.address import is_article
from rag.zim.shelf import ZimShelf
from tools.settings import FetchSettings
from tools.web.browser.messages import FEW_CHARACTERS
from tools.web.browser.renderer import PageRenderer
from tools.web.page_cache import PageCache, utc_now
from utils.errors import DocumentError
from utils.network.addresses import Target, parse_url
from utils.network.http import Client, Response


class Fetcher:
    """Reads pages, and articles on a shelf of archives; several readers of one page share one request."""

    def __init__(
        self,
        client: Client,
        cache: PageCache,
        settings: FetchSettings,
        shelf: ZimShelf | None = None,
        renderer: PageRenderer | None = None,
    ) -> None:
        """With a renderer it reads what the scripts of a page write, where there is hardly any text without them."""
        self._client = client
        self._renderer = renderer
        self._shelf = shelf or ZimShelf(())
        self._cache = cache
        self._settings = settings
        self._loading: dict[str, asyncio.Task[Document]] = {}

    async def fetch(self, url: str) -> Document:
        """The page as a document, its source the address to which it led.

        Raises `NetworkError` for what does not arrive and `DocumentError` for what cannot be read.
        """
        if is_article(url):
            return await self._shelf.read(url)
        # What was opened yesterday and is closed today is not read from the cache either.
        url = self._client.admit_url(url).url
        cached = await asyncio.to_thread(self._cache.get_page, url)
        if cached:
            return cached
        if url not in self._loading:
            self._loading[url] = asyncio.create_task(self._load_page(url))
            self._loading[url].add_done_callback(partial(self._forget_request, url))
        return await asyncio.shield(self._loading[url])

    def _forget_request(self, url: str, task: asyncio.Task[Document]) -> None:
        """Forget the request; looking at its failure keeps asyncio from reporting it when all who waited have left."""
        del self._loading[url]
        if not task.cancelled():
            task.exception()

    async def _load_page(self, url: str) -> Document:
        try:
            async with asyncio.timeout(self._settings.timeout):
                response = await self._client.get(url, check_type)
                document = await self._read(response)
        except TimeoutError as error:
            raise DocumentError(
                f"{parse_url(url).host} took longer than {self._settings.timeout:g} s to be read."
            ) from error
        if isinstance(document, DocumentError) or (self._renderer and lacks_text(document, response)):
            document = await self._render(response, document)
        await asyncio.to_thread(self._cache.put_page, url, document)
        return document

    async def _read(self, response: Response) -> Document | DocumentError:
        """The document, or why it has no text where a browser may find some; raises `DocumentError`."""
        try:
            return await read_response(response)
        except DocumentError as error:
            if self._renderer and lacks_text(None, response):
                return error
            raise

    async def _render(self, response: Response, known: Document | DocumentError) -> Document:
        """What the page is once its scripts have run; what is known of it where that brings no more."""
        assert self._renderer
        try:
            rendered = await read_response(await self._renderer.render(response))
        except DocumentError as error:
            if isinstance(known, DocumentError):
                raise DocumentError(known.problem, str(error)) from error
            return known
        return known if isinstance(known, Document) and len(known.text) >= len(rendered.text) else rendered


def lacks_text(document: Document | None, response: Response) -> bool:
    """Whether it is a page with scripts and hardly any text."""
    if response.status != HTTPStatus.OK or response.media_type not in ("text/html", "application/xhtml+xml"):
        return False
    return b"<script" in response.body.lower() and len(document.text if document else "") < FEW_CHARACTERS


async def read_response(response: Response) -> Document:
    """An answer as a document; raises `DocumentError` for an error status and for what cannot be read."""
    if response.status != HTTPStatus.OK:
        known = response.status in HTTPStatus._value2member_map_
        phrase = HTTPStatus(response.status).phrase if known else "an unknown status"
        raise DocumentError(f"{parse_url(response.url).host} answers {response.status} ({phrase}).")
    return await read_bytes(response.body, response.content_type, response.url, utc_now().isoformat(timespec="seconds"))


def check_type(target: Target, content_type: str) -> None:
    """Refuse what is no page, before it is loaded; raises `DocumentError`."""
    kind = content_type.partition(";")[0].strip().lower()
    if not can_be_sent(content_type, target.url):
        raise DocumentError(
            f"{target.host} sends {kind}, which cannot be read.",
            "Magpie reads HTML, PDF, DOCX, XLSX, PPTX, EPUB, CSV, JSON, Markdown and plain text.",
        )

"""Telegram's Bot API over real HTTP on loopback, as strict with what it is sent as the real one."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, Self
from urllib.parse import parse_qs, unquote

TOKEN = "123456789:AAE-magpie_test_token_of_35_letters"
ME = {"id": 123456789, "is_bot": True, "first_name": "Magpie", "username": "magpie_test_bot"}
ANN, BOB = 1001, 1002
GROUP = -100200300
BOT_API_TAGS = frozenset({"b", "i", "s", "u", "code", "pre", "a", "blockquote"})
MAX_UNITS = 4096


@dataclass
class BotMessage:
    """A message of the bot, as it stands in a chat now."""

    id: int
    chat: int
    text: str
    """Without markup."""
    source: str
    """As it was sent."""
    is_html: bool
    params: dict[str, str]
    versions: list[str] = field(default_factory=list)
    """What stood there, first to last."""

    @property
    def buttons(self) -> dict[str, str]:
        """The data of each button by its text."""
        rows = json.loads(self.params.get("reply_markup", "{}")).get("inline_keyboard", [])
        return {one["text"]: one["callback_data"] for row in rows for one in row}


class ApiRefusal(Exception):
    """An error of the Bot API: status, description, parameters."""

    def __init__(self, status: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.status = status
        self.parameters = parameters


class StrictHtml(HTMLParser):
    """Reads Telegram's HTML; what it does not know or is not closed is refused."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in BOT_API_TAGS:
            raise ApiRefusal(400, f'Bad Request: can\'t parse entities: Unsupported start tag "{tag}"')
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise ApiRefusal(400, f'Bad Request: can\'t parse entities: Unexpected end tag "{tag}"')

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise ApiRefusal(400, 'Bad Request: can\'t parse entities: Unsupported start tag "!"')


def read_html(source: str) -> str:
    """The text that is seen; raises `ApiRefusal`."""
    parser = StrictHtml()
    parser.feed(source)
    parser.close()
    if parser.open:
        raise ApiRefusal(400, f"Bad Request: can't parse entities: Can't find end tag for \"{parser.open[-1]}\"")
    return parser.text


class FakeTelegram:
    """The server. `async with FakeTelegram() as server:` gives its address as `server.url`.

    `calls` holds (method, parameters) of every request. `busy` gives methods the seconds of a 429, used up one by one.
    """

    def __init__(self) -> None:
        self.url = ""
        self.token = TOKEN
        self.calls: list[tuple[str, dict[str, str]]] = []
        self.messages: dict[int, list[BotMessage]] = defaultdict(list)
        self.answered_presses: list[tuple[str, str]] = []
        self.busy: dict[str, list[float]] = defaultdict(list)
        self.refused: dict[str, Callable[[dict[str, str]], bool]] = {}
        """By method what is refused as unparseable."""
        self.files: dict[str, bytes] = {}
        self.paths: dict[str, str] = {}
        """What getFile says by the id of a file, where that is another path."""
        self.webhook = False
        self.conflicts = 0
        """How many more requests for news another program wins."""
        self.is_cut = False
        """Whether connections are closed without a word."""
        self.cut_methods: set[str] = set()
        """Methods at which connections are closed without a word."""
        self.cuts = 0
        """Connections that were closed so."""
        self.pending: list[dict[str, Any]] = []
        """Updates that were not confirmed."""
        self.poll_seconds = 60.0
        """How long a request for news is held open at most."""
        self._next_id = 500
        self._news = asyncio.Condition()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def number(self) -> int:
        """A new id."""
        self._next_id += 1
        return self._next_id

    def begin_ids_anew(self, number: int) -> None:
        """Have the next id be a smaller one."""
        self._next_id = number

    async def put(self, **update: Any) -> int:
        """Have an update wait for the bot; its id."""
        number = self.number()
        self.pending.append({"update_id": number, **update})
        async with self._news:
            self._news.notify_all()
        return number

    async def say(self, text: str = "", user: int = ANN, chat: int = 0, **more: Any) -> int:
        """Somebody writes to the bot, or in a group; the id of the update."""
        chat = chat or user
        kind = "private" if chat > 0 else "supergroup"
        sender = {"id": user, "is_bot": False, "first_name": f"User {user}"}
        body = {"message_id": self.number(), "date": 1_764_000_000, "chat": {"id": chat, "type": kind}, "from": sender}
        return await self.put(message={**body, **({"text": text} if text else {}), **more})

    async def press(self, message: BotMessage, button: str, user: int = ANN) -> None:
        """Somebody presses a button of a message."""
        chat = {"id": message.chat, "type": "private" if message.chat > 0 else "supergroup"}
        stands = {"message_id": message.id, "date": 1_764_000_000, "chat": chat}
        sender = {"id": user, "is_bot": False, "first_name": f"User {user}"}
        query = {"id": str(self.number()), "from": sender, "chat_instance": "1", "data": message.buttons[button]}
        await self.put(callback_query={**query, "message": stands})

    async def until(self, found: Callable[[], Any], seconds: float = 20) -> Any:
        """Wait until something is the case, which is looked at after each request; what `found` gave."""
        async with asyncio.timeout(seconds), self._news:
            while not (value := found()):
                await self._news.wait()
        return value

    async def shows(self, part: str, chat: int = ANN) -> BotMessage:
        """Wait for a message of the bot that has this in it."""
        found = await self.until(lambda: [one for one in self.messages[chat] if part in one.text])
        assert isinstance(found[0], BotMessage)
        return found[0]

    async def settles(self, user: int = ANN) -> None:
        """Wait until all that was asked before is done: a command is answered after it, and its answer taken away."""
        await self.say("/start", user=user)
        await self.shows("I am Magpie.", user)
        # It may have had to wait, which is said.
        beside = ("I am Magpie.", "I will come to that")
        self.messages[user] = [one for one in self.messages[user] if not one.text.startswith(beside)]

    async def refused_connections(self, count: int) -> None:
        """Wait until so many more connections were closed without a word."""
        wanted = self.cuts + count
        await self.until(lambda: self.cuts >= wanted)

    def texts(self, chat: int = ANN) -> list[str]:
        """What the bot's messages in a chat say now."""
        return [one.text for one in self.messages[chat]]

    def called(self, method: str) -> list[dict[str, str]]:
        """The parameters of each call of a method."""
        return [params for name, params in self.calls if name == method]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._exchange(head.decode("latin-1"), reader, writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        except ConnectionError:
            self.cuts += 1
            async with self._news:
                self._news.notify_all()
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _exchange(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = head.split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (item.partition(":") for item in lines) if name}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        path, _, query = first.split()[1].partition("?")
        path = unquote(path)
        if self.is_cut or path.rpartition("/")[2] in self.cut_methods:
            raise ConnectionResetError
        if path.startswith("/file/"):
            self._write(writer, 200, self.files[path.rpartition("/")[2]])
            return
        _, bot, method = path.split("/")
        given = parse_qs(query or raw.decode(), keep_blank_values=True)
        params = {name: values[0] for name, values in given.items()}
        self.calls.append((method, params))
        status, answer = 200, {"ok": True}
        try:
            answer["result"] = await self._answer(bot, method, params)
        except ApiRefusal as refusal:
            status = refusal.status
            answer = {"ok": False, "error_code": status, "description": str(refusal)}
            answer |= {"parameters": refusal.parameters} if refusal.parameters else {}
        if self.is_cut:
            raise ConnectionResetError
        self._write(writer, status, json.dumps(answer).encode())
        await writer.drain()
        async with self._news:
            self._news.notify_all()

    @staticmethod
    def _write(writer: asyncio.StreamWriter, status: int, body: bytes) -> None:
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)

    async def _answer(self, bot: str, method: str, params: dict[str, str]) -> Any:
        if bot != f"bot{self.token}":
            raise ApiRefusal(401, "Unauthorized")
        if self.busy[method]:
            seconds = self.busy[method].pop(0)
            raise ApiRefusal(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)
        if method in self.refused and self.refused[method](params):
            raise ApiRefusal(400, "Bad Request: can't parse entities: refused by the test")
        known: dict[str, Callable[[dict[str, str]], Any]] = {
            "getMe": lambda _: ME,
            "sendMessage": self._send,
            "editMessageText": self._edit,
            "deleteMessage": self._delete,
            "answerCallbackQuery": self._answer_press,
            "getFile": self._find_file,
            "deleteWebhook": self._drop_webhook,
        }
        if method == "getUpdates":
            return await self._updates(params)
        return known.get(method, lambda _: True)(params)

    async def _updates(self, params: dict[str, str]) -> list[dict[str, Any]]:
        if self.webhook:
            told = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete it"
            raise ApiRefusal(409, told)
        if self.conflicts:
            self.conflicts -= 1
            raise ApiRefusal(409, "Conflict: terminated by other getUpdates request")
        if "offset" in params:
            self.pending = [one for one in self.pending if one["update_id"] >= int(params["offset"])]
        try:
            async with asyncio.timeout(min(float(params.get("timeout", 0)), self.poll_seconds)), self._news:
                self._news.notify_all()
                while not self.pending:
                    await self._news.wait()
        except TimeoutError:
            pass
        return self.pending[:100]

    def _send(self, params: dict[str, str]) -> dict[str, Any]:
        chat = int(params["chat_id"])
        text = self._seen(params)
        is_html = params.get("parse_mode") == "HTML"
        sent = BotMessage(self.number(), chat, text, params["text"], is_html, params, [text])
        self.messages[chat].append(sent)
        return self._as_json(sent)

    def _edit(self, params: dict[str, str]) -> dict[str, Any]:
        standing = {one.id: one for one in self.messages[int(params["chat_id"])]}
        sent = standing.get(int(params["message_id"]))
        if sent is None:
            raise ApiRefusal(400, "Bad Request: message to edit not found")
        text, is_html = self._seen(params), params.get("parse_mode") == "HTML"
        if (sent.source, sent.is_html, "reply_markup" in sent.params) == (params["text"], is_html, False):
            told = "message is not modified: specified new message content and reply markup are exactly the same"
            raise ApiRefusal(400, f"Bad Request: {told}")
        sent.text, sent.source, sent.is_html, sent.params = text, params["text"], is_html, params
        sent.versions.append(text)
        return self._as_json(sent)

    def _delete(self, params: dict[str, str]) -> bool:
        chat = int(params["chat_id"])
        self.messages[chat] = [one for one in self.messages[chat] if one.id != int(params["message_id"])]
        return True

    def _answer_press(self, params: dict[str, str]) -> bool:
        self.answered_presses.append((params["callback_query_id"], params.get("text", "")))
        return True

    def _find_file(self, params: dict[str, str]) -> dict[str, Any]:
        name = params["file_id"]
        return {"file_id": name, "file_unique_id": name, "file_path": self.paths.get(name, name)}

    def _drop_webhook(self, _: dict[str, str]) -> bool:
        self.webhook = False
        return True

    @staticmethod
    def _seen(params: dict[str, str]) -> str:
        text = read_html(params["text"]) if params.get("parse_mode") == "HTML" else params["text"]
        if not text.strip():
            raise ApiRefusal(400, "Bad Request: message text is empty")
        if len(text.encode("utf-16-le")) // 2 > MAX_UNITS:
            raise ApiRefusal(400, "Bad Request: message is too long")
        return text

    @staticmethod
    def _as_json(sent: BotMessage) -> dict[str, Any]:
        chat = {"id": sent.chat, "type": "private" if sent.chat > 0 else "supergroup"}
        return {"message_id": sent.id, "date": 1_764_000_000, "chat": chat, "from": ME, "text": sent.text}

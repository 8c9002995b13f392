"""A chat with a scripted model, for a test to drive through a pseudo-terminal: `chat.py FOLDER [bell]`."""

import asyncio
import json
import sys
from pathlib import Path

from chatbot.frontends import terminal
from chatbot.models.base import BY_SETTINGS, Done, Text
from chatbot.models.provider import PullOffered
from tests.fakes.app import FakeApp
from tests.fakes.model import USAGE, ScriptedModel, calls, says
from tools.mcp_client.elicitation.forms import read_form, read_visit

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name", "description": "As on the ticket", "minLength": 2},
        "seats": {"type": "integer", "minimum": 1, "maximum": 9, "default": 2},
        "window": {"type": "boolean", "default": False},
        "class": {"type": "string", "enum": ["first", "second"], "default": "second"},
        "meals": {"type": "array", "items": {"anyOf": [{"const": "v", "title": "Vegetarian"}, {"const": "m"}]}},
    },
    "required": ["name"],
}
QUESTIONS = {
    "form": read_form("trains", "Book\x1b]0;evil\x07 a seat", SCHEMA),
    "bare": read_form("trains", "Really delete it?", {"type": "object", "properties": {}}),
    "visit": read_visit("trains", "Pay there", "https://pаy.example/now?id=1"),
}


class EchoModel(ScriptedModel):
    """Answers with the question; `wait` never ends, `look` and `open` call tools, `fetch` has no model yet; `form`,
    `bare` and `visit` ask what a server would.
    """

    async def reply(self, messages, tools=(), options=BY_SETTINGS):  # type: ignore[no-untyped-def]
        last = messages[-1]
        # Words, for a folder of the tests may have any of them in its name.
        said = last.content.split()
        self.replies = [says("Looked **up** [1].")]
        if last.role == "user" and "wait" in said:
            self.replies = [[Text("Waiting"), None]]
        elif last.role == "user" and "look" in said:
            self.replies = [calls(("web_search", {"query": "ferry"}))]
        elif last.role == "user" and "open" in said:
            self.replies = [calls(("fetch_url_content", {"url": f"https://collect.example/{said[-1]}"}))]
        elif last.role == "user" and last.content in QUESTIONS:
            reply = await app.face.fill(QUESTIONS[last.content])
            self.replies = [says(f"{reply.action} {json.dumps(reply.values)}")]
        elif last.role == "user" and "fetch" in said:
            self.replies = [[PullOffered("qwen3", "Ollama has no model installed that can chat.", "")]]
        elif last.role == "user":
            self.replies = [[Text(f"You said: {last.prompt_text}"), Done(USAGE)]]
        async for piece in super().reply(messages, tools, options):
            yield piece


if __name__ == "__main__":
    app = FakeApp(EchoModel([]), Path(sys.argv[1]), bell="bell" in sys.argv)
    raise SystemExit(asyncio.run(terminal.run_chat(app.engine)))

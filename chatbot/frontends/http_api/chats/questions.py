"""What is asked of Magpie: a question with what goes with it, or the last one of a conversation again."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from chatbot.conversation.json_events import event_object
from chatbot.conversation.messages import Attachment
from chatbot.engine.chat import Chat
from chatbot.frontends.http_api.chats.held_chats import HeldChat
from chatbot.frontends.http_api.chats.live_answer import LiveAnswer
from chatbot.frontends.http_api.chats.sent_files import FileContent, read_attached
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.turn.under_way import TurnStep


@dataclass(frozen=True)
class AskedQuestion:
    """A question to Magpie, and how it is answered."""

    text: str
    attachments: Sequence[Attachment | FileContent] = ()
    library_only: bool = False
    resumable: bool = False

    async def answer(self, held: HeldChat, answer: LiveAnswer) -> None:
        """Have the chat answer it."""
        chat = held.chat
        attachments = await read_attached(chat, self.attachments, lambda news: answer.add_event(event_object(news)))
        await _settle_tools(held, self.library_only)
        asked = chat.agent.ask(self.text, attachments=attachments, library_only=self.library_only)
        await _tell_events(chat, asked, answer)


@dataclass(frozen=True)
class AskedAgain:
    """The last question of a conversation once more, with what went with it, in the place of its answer."""

    library_only: bool = False
    resumable: bool = False

    async def answer(self, held: HeldChat, answer: LiveAnswer) -> None:
        """Have the chat answer it; raises `ApiRefusal` where nothing was asked."""
        undone = await held.chat.undo_turn()
        if undone is None:
            raise ApiRefusal(409, "Nothing was asked yet in this conversation.", "Ask something first.")
        await _settle_tools(held, self.library_only)
        question = next(message for message in undone.messages if message.is_question)
        asked = held.chat.agent.ask_again(question, library_only=self.library_only)
        await _tell_events(held.chat, asked, answer)


async def _settle_tools(held: HeldChat, library_only: bool) -> None:
    settings = held.chat.agent.settings
    if settings.tools_enabled and settings.approval != "deny" and not library_only:
        # The tools of other programs, which a first question would otherwise not find ready.
        await held.chat.remote.settled()


async def _tell_events(chat: Chat, steps: TurnStep, answer: LiveAnswer) -> None:
    async with aclosing(steps) as events:
        async for event in events:
            answer.add_event(event_object(event))
    await chat.agent.prepare_room()

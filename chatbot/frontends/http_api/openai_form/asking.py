"""What a stateless request is answered in: a chat of its own, with what was said before, of which nothing is kept."""

from chatbot.frontends.http_api.chats.choices import choose_model
from chatbot.frontends.http_api.chats.held_chats import HeldChat
from chatbot.frontends.http_api.chats.live_answer import LiveAnswer
from chatbot.frontends.http_api.chats.questions import AskedQuestion
from chatbot.frontends.http_api.openai_form.caller_tools import ReplyWithTools
from chatbot.frontends.http_api.openai_form.requests import HeededOptions, SentConversation
from chatbot.frontends.http_api.service import ApiService

StatelessWork = AskedQuestion | ReplyWithTools


async def begin_stateless(
    service: ApiService, person: str, options: HeededOptions, conversation: SentConversation, work: StatelessWork
) -> LiveAnswer:
    """Begin the answer; raises a `MagpieError` where that cannot be done."""

    async def take() -> HeldChat:
        held = await service.chats.take_unrecorded(person, conversation.instructions)
        try:
            await _prepare_chat(held, options, conversation)
        except BaseException:
            service.chats.give_back(held)
            raise
        return held

    return await service.answering.begin(take, work)


async def _prepare_chat(held: HeldChat, options: HeededOptions, conversation: SentConversation) -> None:
    chat = held.chat
    chat.models.generate_by(options.heeded_in(chat.configuration.values))
    await choose_model(held, options.model)
    chat.agent.restore(conversation.messages[:-1], (), ())

"""What a stateless request is answered in: a chat of its own, with what was said before, of which nothing is kept."""

from chatbot.frontends.http_api.chats.answering import AskedQuestion
from chatbot.frontends.http_api.chats.held_chats import HeldChat
from chatbot.frontends.http_api.chats.live_answer import LiveAnswer
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.openai_form.caller_tools import ReplyWithTools
from chatbot.frontends.http_api.openai_form.requests import MODEL_NAME, HeededOptions, SentConversation
from chatbot.frontends.http_api.service import ApiService
from chatbot.models.selection import Models

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
            await service.chats.give_back(held)
            raise
        return held

    return await service.answering.begin(take, work)


async def _prepare_chat(held: HeldChat, options: HeededOptions, conversation: SentConversation) -> None:
    chat = held.chat
    chat.models.generate_by(options.heeded_in(chat.configuration.values))
    if options.model not in ("", MODEL_NAME):
        await require_model(chat.models, options.model)
        await chat.use_model(options.model)
    chat.agent.restore(conversation.messages[:-1], (), ())


async def require_model(models: Models, name: str) -> None:
    """Raise `ApiRefusal` where no model that answers has this name."""
    if name not in {entry.name for entry in await models.list_models() if entry.chats}:
        problem = f"There is no model {name[:100]}."
        raise ApiRefusal(404, problem, f"GET /v1/models lists them; {MODEL_NAME} always works.", code="model_not_found")

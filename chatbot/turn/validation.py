"""An answer that is to be valid in some language is checked before it is shown, and mended once where it is not."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing

from chatbot.conversation.events import AnswerDelta, AnswerWithdrawn, Progress
from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import LanguageModel, Text
from chatbot.prompts.fewshot import clip_middle
from chatbot.prompts.loader import read_prompt
from chatbot.turn.ports import Validator
from chatbot.turn.under_way import TurnStep, TurnUnderWay
from chatbot.turn.whole_reply import take_whole_reply

MENDING = "Having the code mended"
MAX_QUESTION_SHOWN = 2000
"""Characters of the question that go with an answer that is to be mended."""


def validated_steps(
    steps: Iterator[TurnStep], turn: TurnUnderWay, validator: Validator | None, model: Callable[[], LanguageModel]
) -> Iterator[TurnStep]:
    """The steps of a turn, with none of the answer shown before it was checked; as they are without a validator."""
    if validator is None:
        yield from steps
        return
    yield from map(hold_answer, steps)
    yield check_answer(turn, validator, model())


async def hold_answer(step: TurnStep) -> TurnStep:
    """What a step shows, without the answer."""
    async with aclosing(step) as events:
        async for event in events:
            if not isinstance(event, AnswerDelta | AnswerWithdrawn):
                yield event


async def check_answer(turn: TurnUnderWay, validator: Validator, model: LanguageModel) -> TurnStep:
    """Show the answer: as it is where it is valid, else mended, else marked with what is wrong."""
    reply = turn.reply
    if problem := await asyncio.to_thread(validator.find_problem, reply.text):
        yield Progress(MENDING, 0, 1)
        mended, usage = await mend_answer(model, validator, turn.question, reply.text, problem)
        reply.usage += usage
        if mended:
            reply.forget_arrived()
            await reply.take_piece(Text(mended))
            await reply.finish_reply()
            problem = await asyncio.to_thread(validator.find_problem, reply.text)
        yield Progress(MENDING, 1, 1)
        if problem:
            reply.text = validator.mark_invalid(reply.text, problem)
    if reply.text:
        yield AnswerDelta(reply.text)


async def mend_answer(
    model: LanguageModel, validator: Validator, question: str, answer: str, problem: str
) -> tuple[str, Usage]:
    """The answer once more with what is wrong in it mended, and what that cost; empty where it cannot be had whole."""
    prompt = mending_prompt(validator.instructions, question, answer, problem)
    told, usage = await take_whole_reply(model, prompt, "The answer is not mended")
    return told.strip(), usage


def mending_prompt(instructions: str, question: str, answer: str, problem: str) -> Sequence[Message]:
    """The question, the answer, and what is wrong with it: no more, so that it fits where they did."""
    return [
        Message("system", instructions),
        Message("user", clip_middle(question, MAX_QUESTION_SHOWN)),
        Message("assistant", answer),
        Message("user", read_prompt("mend").format(problem=problem)),
    ]

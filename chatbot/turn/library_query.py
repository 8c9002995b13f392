"""What the library is searched for where it alone is to answer."""

from collections.abc import Awaitable, Callable, Sequence


async def make_query(
    question: str, questions: Sequence[str], stand_alone: Callable[[str, str], Awaitable[str]] | None
) -> str:
    """The question as it is understood without the conversation, which a search knows nothing of.

    `questions` are those of the conversation, this one last; none where each is to stand for itself.
    """
    earlier = "".join(questions[-2:-1])
    return await stand_alone(question, earlier) if earlier and stand_alone else question

"""How a skill is chosen: by the model, which is told what each is for, or by the likeness of a message to that."""

from collections.abc import Sequence

from chatbot.profiles.skills import Skill
from chatbot.prompts.loader import read_prompt
from rag.embedding.base import Embedder

MIN_LIKENESS = 0.35
"""Cosine of a message and what a skill is for from which on it is followed: among seven skills 7 of 11 messages that
one was for reach it, all with the right one, and none of 12 others. To follow a wrong one costs more than none."""


def describe_skills(skills: Sequence[Skill]) -> str:
    """What the model is told of the skills; empty where there are none."""
    if not skills:
        return ""
    return "\n".join([read_prompt("skills"), *(f"- {skill.name}: {skill.description}" for skill in skills)])


async def find_skill(skills: Sequence[Skill], message: str, embedder: Embedder) -> Skill | None:
    """The skill that a message is most like, if it is like it enough."""
    if not skills or not message.strip():
        return None
    vectors = await embedder.embed([message, *(f"{skill.name}: {skill.description}" for skill in skills)])
    likeness = vectors[1:] @ vectors[0]
    best = int(likeness.argmax())
    return skills[best] if likeness[best] >= MIN_LIKENESS else None

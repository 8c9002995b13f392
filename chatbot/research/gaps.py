"""What is missing after a round: sub-questions without a note, to be searched in other words, and new ones."""

from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.decision.arguments import reword_query
from chatbot.prompts.fewshot import load_prompt
from chatbot.research.plan import fill_questions, new_questions
from chatbot.research.state import Note, ResearchState, Search, SubQuestion
from chatbot.research.things import names_in
from rag.search.rare_words import telling_words, word_stems
from utils.errors import ReplyBroken
from utils.fence import fence_text
from utils.text import one_line

NEW_QUESTIONS = 2
"""Sub-questions that a round adds at most."""
NOTES_SHOWN, NOTE_CHARS_SHOWN = 10, 160
"""Notes that the model is shown, and letters of each: it reads 70 tokens a second."""


async def find_gaps(model: LanguageModel, state: ResearchState, most: int) -> list[Search]:
    """What is to be searched next. New sub-questions are added to the plan, up to so many of them in all."""
    gaps = []
    for place, question in enumerate(state.plan):
        if question.outcome == "unanswered" and (query := await other_query(model, state, question)):
            gaps.append(Search(place, query))
    for text in (await follow_up_questions(model, state))[: max(0, most - len(state.plan))]:
        gaps.append(Search(len(state.plan), text))
        state.plan.append(SubQuestion(text, round=state.round + 1))
    return gaps


async def other_query(model: LanguageModel, state: ResearchState, question: SubQuestion) -> str:
    """Other words to search a sub-question by; empty where the model has none that were not tried."""
    titles = dict.fromkeys(source.passage.title for source in state.sources.values())
    found = ", ".join(one_line(title, 80) for title in [*titles][:5] if title) or "nothing"
    try:
        query = await reword_query(model, question.text, found)
    except ReplyBroken:
        return ""
    tried = {" ".join(one.casefold().split()) for one in question.queries}
    # Words that have nothing to do with the question, nor with all of it, would find something else.
    about = telling_words(f"{question.text} {state.question}")
    return query if query.casefold() not in tried and word_stems(query) & about else ""


async def follow_up_questions(model: LanguageModel, state: ResearchState) -> list[str]:
    """Sub-questions to which the notes lead; each is about something that question or notes name."""
    if not state.notes:
        return []
    shown = "\n".join(one_line(note.sentence, NOTE_CHARS_SHOWN) for note in _spread_notes(state))
    prompt = load_prompt("research_gaps").make_prompt(question=state.question, notes=fence_text(shown))
    written = await fill_questions(model, prompt, NEW_QUESTIONS)
    found = [one for one in written if _leads_on(one, state, shown)]
    return new_questions(found, [one.text for one in state.plan])


def _leads_on(asked: str, state: ResearchState, notes: str) -> bool:
    """Whether a sub-question is about a name that only the notes have, or about what the plan left out of the question.

    Whatever else a small model asks further, nobody wanted to know.
    """
    names = word_stems(" ".join(names_in(asked))) - word_stems(state.question)
    left_out = telling_words(state.question) - word_stems(" ".join(one.text for one in state.plan))
    return bool(names & word_stems(notes) or word_stems(asked) & left_out)


def _spread_notes(state: ResearchState) -> list[Note]:
    """The first notes of each sub-question, those of later ones as well as of the first."""
    rows = [state.notes_of(place) for place in range(len(state.plan))]
    order = [notes[rank] for rank in range(max(map(len, rows), default=0)) for notes in rows if rank < len(notes)]
    return order[:NOTES_SHOWN]

"""What of a remembered fact is to be forgotten: one of the things that it says, or all of it."""

from collections.abc import Sequence

from chatbot.conversation.fact_clauses import clauses_of
from chatbot.conversation.messages import ToolCall
from rag.search.rare_words import says_anything, telling_words, word_stems


def meant_clause(fact: str, what: str) -> str:
    """The one clause of a fact that words mean, where it has several and says more than that; else the fact: with the
    allergy of a son his name is not forgotten."""
    if not says_anything(what):
        return fact
    said, clauses = telling_words(what), clauses_of(fact)
    having = [clause for clause in clauses if said & word_stems(clause)]
    named = len(having) == 1 and having[0] is not clauses[0] and said <= word_stems(having[0])
    return having[0] if named else fact


def forgotten_once(calls: Sequence[ToolCall], facts: Sequence[str]) -> list[ToolCall]:
    """The calls without those that forget a clause of a fact which another one forgets as a whole."""
    forgotten = [str(call.arguments.get("fact", "")) for call in calls if call.name == "forget"]
    clauses = {clause for fact in forgotten if fact in facts for clause in clauses_of(fact) if clause != fact}
    return [call for call in calls if call.name != "forget" or call.arguments.get("fact") not in clauses]

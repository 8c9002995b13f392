"""What the words of a question ask for: terms that count so much, in each language, and what is to be found exactly."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rag.search.tokenization import query_terms, silent_runs, telling_terms

K3 = 8.0
"""How soon a term that a question says again counts no more: twice is 1.8 times, and never more than nine times (BM25's
k3, for which Robertson and others took 7 to 8 and more). Over seven collections, three of them with long questions,
BM25 nDCG@10 .634 with 8 and .630 with no bound."""
MAX_WORDS_BESIDE = 4
"""Other words of a question in which a code comes before all else. In long questions codes are mentioned, not asked
for: with any number of others hybrid nDCG@10 falls from .449 to .430 in CISI, from .801 to .792 in conversations."""
_QUOTED_PHRASE = re.compile(r'"([^"]+)"|“([^“”]+)”|«([^«»]+)»|`([^`]+)`')
_CODE_WORD = re.compile(r"[^\W\d_][-_./:#]?\d|\w_\w|[a-z][A-Z]|\d{5}")
"""What no word of a language has: digits after letters, as in `E4012` and `SN-48`, words joined as in `max_tokens` and
`maxTokens`, five digits. `19th` and `1990s` are none."""
_EDGES = ".,;:!?()[]{}<>\"'`“”„«»¿¡…、。？！"


@dataclass(frozen=True)
class QueryTerms:
    """The words of a question."""

    terms: Sequence[dict[str, float]]
    """For each language that documents are in the terms, and how much each counts."""
    exact: Sequence[tuple[str, Sequence[str]]]
    """What stands for one thing and is found by nothing else, with its terms: a code, a quotation, the only word."""

    @property
    def term_weights(self) -> dict[str, float]:
        """The terms of all languages."""
        return {term: weight for one in self.terms for term, weight in one.items()}


def read_question(text: str, languages: Sequence[str]) -> QueryTerms:
    """What a question asks for where documents are in these languages."""
    counted = [Counter(terms) for terms in telling_terms(text, languages)]
    terms = [{term: (K3 + 1) * n / (K3 + n) for term, n in one.items()} for one in counted]
    parts = exact_parts(text, languages)
    exact = [(part.casefold(), tuple(one)) for part in parts for one in query_terms(part, languages) if one]
    return QueryTerms(terms, list(dict.fromkeys(exact)))


def exact_parts(text: str, languages: Sequence[str]) -> list[str]:
    """What is quoted or looks like a code in a question of few other words, or the only word that says anything."""
    quoted = ["".join(groups) for groups in _QUOTED_PHRASE.findall(text)]
    runs = [stripped for run in _QUOTED_PHRASE.sub(" ", text).split() if (stripped := run.strip(_EDGES))]
    telling = [run for run, silent in zip(runs, silent_runs(runs, languages), strict=True) if not silent]
    parts = quoted + [run for run in telling if _CODE_WORD.search(run)]
    beside = len(quoted) + len(telling) - len(parts)
    if parts:
        return parts if beside <= MAX_WORDS_BESIDE else []
    return telling if len(telling) == 1 else []

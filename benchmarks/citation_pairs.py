"""Sentences with passages that say them and passages that do not, made by rules from questions with their answers."""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.citation_flips import FLIPS
from benchmarks.citation_rewrites import rewritings
from chatbot.models.pipeline.reading.sentences import split_sentences
from rag.documents import Passage

TRUE = "true"
SWAPS = ("swapped near", "swapped far")
FACTS = ("number", "date", "name", "direction")
"""The flips that are counted together; a negation is counted apart."""
ENGLISH, OTHERS = 1100, 110
"""Questions that pairs are made of, in English and in each other language."""
ALONE = 0.4
"""Share of sentences that come without their question, as the later ones of a long answer do."""
CUT = 0.5
"""Share of passages that are cut to some sentences around the one meant, as the library's are."""


@dataclass(frozen=True)
class Asked:
    """A question of the collection, with its paragraph."""

    article: str
    paragraph: int
    """Counted over the collection, the same in each language."""
    context: str
    question: str
    answer: str
    place: int
    """Where the answer begins in the context, in characters."""

    @property
    def sentence(self) -> str:
        """The sentence of the context that the answer is in; empty if it cannot be found."""
        at = 0
        for sentence in split_sentences(self.context):
            at = self.context.find(sentence[:20], at)
            if at <= self.place < at + len(sentence) and self.answer in sentence:
                return sentence
        return ""


@dataclass(frozen=True)
class Pair:
    """A sentence, its question and a passage; `kind` says what is wrong with it, `TRUE` that nothing is."""

    kind: str
    sentence: str
    question: str
    passage: Passage
    language: str
    foreign: bool
    """Whether the passage is in another language than the sentence."""
    article: str
    form: str = "rewritten"
    """How the true sentence was made: `stated` from question and answer, `rewritten`, or the `bare` answer."""
    planted: bool = False
    """Whether the passage has the wrong fact elsewhere: another of its numbers or names."""


Collection = dict[str, list[Asked]]
"""By language; the rows of all languages are parallel."""


def read_collection(folder: Path) -> Collection:
    """The files `xquad.<language>.json` of a folder."""
    return {path.suffixes[0][1:]: list(_read(path)) for path in sorted(folder.glob("xquad.*.json"))}


def _read(path: Path) -> Iterator[Asked]:
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    # The title of the article is in English in every language; its place is its identity.
    paragraphs = [(str(place), p) for place, article in enumerate(articles) for p in article["paragraphs"]]
    for number, (article, paragraph) in enumerate(paragraphs):
        for asked in paragraph["qas"]:
            answer = asked["answers"][0]
            text, start = answer["text"], answer["answer_start"]
            yield Asked(article, number, paragraph["context"], asked["question"], text, start)


def make_pairs(collection: Collection, seed: int = 0) -> list[Pair]:
    """All pairs, in an order that depends on the seed alone."""
    draw = random.Random(seed)
    rows = range(len(next(iter(collection.values()))))
    made: list[Pair] = []
    for language, asked in collection.items():
        chosen = draw.sample(rows, ENGLISH if language == "en" else OTHERS)
        for row in chosen:
            made += _pairs(draw, asked[row], asked, language)
            other = draw.choice([name for name in collection if name != language])
            if asked[row].sentence and draw.random() < (0.15 if language == "en" else 0.6):
                made += _foreign(draw, asked[row], collection[other][row], collection[other], language)
    return made


def _pairs(draw: random.Random, asked: Asked, others: Sequence[Asked], language: str) -> Iterator[Pair]:
    """The true sentences of one question, and of each a few that are wrong."""
    for form, sentence in rewritings(draw, asked.question, asked.answer, asked.sentence, language):
        # A line that is the question itself would make no sense without it.
        needed = form == "bare" or (form == "stated" and language != "en")
        question = asked.question if needed or draw.random() >= ALONE else ""
        true = Pair(TRUE, sentence, question, _passage(draw, asked), language, False, asked.article, form)
        yield true
        yield from _swapped(draw, true, asked, others)
        yield from _flipped(draw, true, asked, others)


def _foreign(
    draw: random.Random, asked: Asked, translated: Asked, others: Sequence[Asked], language: str
) -> Iterator[Pair]:
    passage = Passage(translated.context, "collection", "", "web")
    true = Pair(TRUE, asked.sentence, asked.question, passage, language, True, asked.article)
    yield true
    yield from _swapped(draw, true, translated, others)
    yield from _flipped(draw, true, asked, [asked])


def _swapped(draw: random.Random, true: Pair, asked: Asked, others: Sequence[Asked]) -> Iterator[Pair]:
    near = [o for o in others if o.article == asked.article and o.paragraph != asked.paragraph]
    near = [o for o in near if asked.answer.lower() not in o.context.lower()]
    far = [o for o in others if o.article != asked.article]
    for kind, candidates in zip(SWAPS, (near, far), strict=True):
        if candidates and draw.random() < 0.6:
            yield replace(true, kind=kind, passage=_passage(draw, draw.choice(candidates), cut=not true.foreign))


def _flipped(draw: random.Random, true: Pair, asked: Asked, others: Sequence[Asked]) -> Iterator[Pair]:
    in_article = [o for o in others if o.article == asked.article]
    answers = list(dict.fromkeys(o.answer for o in in_article if o.paragraph == asked.paragraph))
    answers += list(dict.fromkeys(o.answer for o in draw.sample(in_article, min(5, len(in_article)))))
    for kind, flip in FLIPS.items():
        wrong = flip(draw, true.sentence, asked.answer, [true.passage.text, *answers], true.language)
        if wrong and wrong != true.sentence and wrong not in true.passage.text:
            new = [word.strip(".,") for word in wrong.split() if word not in true.sentence.split()]
            planted = all(word in true.passage.text for word in new)
            yield replace(true, kind=kind, sentence=wrong, planted=planted)


def _passage(draw: random.Random, asked: Asked, *, cut: bool = True) -> Passage:
    text = asked.context
    sentences = split_sentences(text)
    place = next((i for i, sentence in enumerate(sentences) if sentence == asked.sentence), None)
    if cut and place is not None and draw.random() < CUT:
        text = " ".join(sentences[max(0, place - 1) : place + 2])
    return Passage(text, "collection", "", "web")


def halves(pairs: Iterable[Pair]) -> tuple[list[Pair], list[Pair]]:
    """The pairs of every other article, to fit on, and the others, to measure on."""
    parts: tuple[list[Pair], list[Pair]] = ([], [])
    for pair in pairs:
        parts[int(pair.article) % 2].append(pair)
    return parts

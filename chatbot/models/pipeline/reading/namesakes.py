"""Things whose names hold the name of another: the Harrow Water Museum is not the Harrow Museum, the X3 Pro no X3."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from chatbot.models.pipeline.decision.names import has_digit, names_in
from chatbot.models.pipeline.reading.editions import (
    asks_of_past,
    ended_passages,
    is_of_another_number,
    names_time,
    other_numbered_titles,
    superseded_titles,
)
from rag.documents import Passage
from rag.search.rare_words import telling_words, word_stems
from utils.languages.detection import language_of, same_language

MAX_WORDS_BETWEEN = 2
"""Words that the longer of two such names has between those of the other, at most."""
MAX_SIGNS = 2
"""Signs that count, at most: they say much the same."""
MIN_LETTERS_OF_HOST = 4
"""Letters from which on a name in an address is no part of another word by chance."""
_CAPITALS = re.compile(r"(?<![\w'’-])[^\W\d_a-z][\w'’-]*(?: [^\W\d_a-z][\w'’-]*)+")
_MODEL = re.compile(r"(?<![\w'’-])[^\W\d_a-z][\w'’-]*(?: [^\W\d_a-z][\w'’-]*){0,3} \d[\w-]*(?! [^\W_a-z])(?![\w.-])")
"""A name with a number at its end, and nothing that may belong to it behind that."""
_NAME_PART = re.compile(r"\w+")
MIN_LETTERS_OF_FORM = 5
"""Letters of a name from which on one that begins alike is a form of it."""
_APART_IN_TITLE = re.compile(r"\s[|·–—-]\s|:\s")
_SITE_PARTS = 4
"""Parts of an address, set apart by slashes, that say whose it is: `https:`, nothing, the host and the first folder."""
MIN_SHARE_OF_REPORT = 0.5
"""Of the telling words of a report's title, the share that a later one about the same has."""
_CHARS_OF_DAY = 10
"""Characters of a day in ISO 8601."""
_PUT_RIGHT = re.compile(
    r"\((?:(?:the|der|die|das|den|le|la|les|el|los|las|il|lo|gli|o|os|as|de|het) |l['’])(?P<meant>[^()?]{3,40})\)$",
    re.IGNORECASE,
)
"""What a question has at its end that was put right in a few words: "(the architect)"."""


@dataclass(frozen=True)
class PassageMarks:
    """By what a passage may be of something else than a question."""

    signs: int
    """How many signs say so."""
    older: bool
    """Whether it is of an older edition of another passage's page, or of something of another number or longer name."""
    elsewhere: bool
    """Whether it is of something else that is called alike, or of another one's site."""


def marks_of(question: str, english: str, passages: Sequence[Passage], *, dated: bool) -> list[PassageMarks]:
    """The marks of each passage; `english` is the question in it, `dated` whether it is for a price or an hour."""
    titles, headed = [one.title for one in passages], [one.headed_title for one in passages]
    sisters = titles_of_sisters(question, titles, [one.text for one in passages])
    kinds = (
        superseded_titles(question, titles),
        superseded_reports(question, english, passages),
        ended_passages(english, passages, dated=dated),
        longer_named_titles(question, titles),
        [is_of_another_number(one.headed_title, one.text, question) for one in passages],
        other_numbered_titles(question, headed),
        sisters,
    )
    told = zip(signs_of_others(question, passages), of_other_sites(question, passages), *kinds, strict=True)
    return [PassageMarks(signs + older[-1], any(older), elsewhere or older[-1]) for signs, elsewhere, *older in told]


def superseded_reports(question: str, english: str, passages: Sequence[Passage]) -> list[bool]:
    """Which passages are of a report that a later one is about the same as, by their titles and days of publication:
    what reopens in November by one of September. Not where a question, `english` in English, asks how it was or names
    a month, nor where the later title lacks a name or a figure that the question has in common with the earlier."""
    if asks_of_past(english) or names_time(question):
        return [False] * len(passages)
    asked = word_stems(names_in(question)) | {word for word in word_stems(question) if has_digit(word)}
    dated = {one.source: (one.published[:_CHARS_OF_DAY], telling_words(one.title)) for one in passages if one.published}
    return [
        any(
            day < later and words & asked <= others and len(words & others) >= MIN_SHARE_OF_REPORT * len(words)
            for day, words in filter(None, [dated.get(one.source)])
            for later, others in dated.values()
        )
        for one in passages
    ]


def longer_named_titles(question: str, titles: Sequence[str]) -> list[bool]:
    """Which titles have the words of a name of a question with others between them, or its model with more behind its
    number, where another title has it as it is."""
    further = _further_named(question, titles)
    return [longer or more for longer, more in zip(_named_apart(question, titles), further, strict=True)]


def named_alike(question: str, titles: Sequence[str]) -> list[int]:
    """The places of the first of each of several titles that have a word of a question in common: "which of the two
    quotes is cheaper?" is about quote-lund and quote-berg. Empty where no two have one, or the question has names.
    """
    asked = sorted(telling_words(question)) if not names_in(question) else []
    words = {title: word_stems(title) for title in titles}
    shared = [[title for title in words if word in words[title]] for word in asked]
    alike = max(shared, key=len, default=[])
    return [titles.index(title) for title in alike] if len(alike) > 1 else []


def signs_of_others(question: str, passages: Sequence[Passage]) -> list[int]:
    """For each passage how many of three signs say that it is of something else than a question: its title has none of
    the names, its page is not what was meant, its site is another one; each where another passage has what it lacks."""
    titles, texts = [one.title for one in passages], [one.text for one in passages]
    signs = (
        titles_of_others(question, [one.headed_title for one in passages]),
        titles_not_meant(question, titles, texts),
        of_other_sites(question, passages),
    )
    return [min(MAX_SIGNS, sum(each)) for each in zip(*signs, strict=True)]


def titles_of_others(question: str, titles: Sequence[str]) -> list[bool]:
    """Which titles have none of the names of a question, where another one has all of them."""
    names, words = word_stems(names_in(question)), [word_stems(title) for title in titles]
    known = bool(names) and any(names <= title for title in words)
    return [known and not names & title for title in words]


def of_other_sites(question: str, passages: Sequence[Passage]) -> list[bool]:
    """Which passages have that name of a question nowhere, in title, text or address, after which the site of another
    one is called whose title has all of several: a town hall's hours on a page about another town than Odo.

    A page whose title has the name of its own site is about that, whatever else its text names.
    """
    names = word_stems(names_in(question))
    whole = [one for one in passages if len(names) > 1 and names <= word_stems(one.title)]
    folders = {one.source.rpartition("/")[0] for one in whole}
    sites = {name for name in names if any(_is_in_address({name}, folder) for folder in folders)}
    return [
        bool(sites)
        and not _has_word_of(names_in(question), passage.title)
        and (_is_titled_as_its_site(passage) or not _has_name(sites, passage))
        and not _is_in_address(sites, passage.source)
        for passage in passages
    ]


def titles_of_sisters(question: str, titles: Sequence[str], texts: Sequence[str]) -> list[bool]:
    """Which titles have another name in the place of one that a question has, where another title has all its names:
    Gym Oldham is not Gym Newham. Not where the text below such a title has the name: it is a page of the same."""
    names = set(_NAME_PART.findall(names_in(question).casefold()))
    words = [tuple(_NAME_PART.findall(title.casefold())) for title in titles]
    meant = [title for title in dict.fromkeys(words) if names and names <= set(title)]
    sisters = [any(_differs_in_name(title, one, names) for one in meant) for title in words]
    # Texts are long: those below other titles need not be looked into.
    return [
        sister and not names <= {*title, *_NAME_PART.findall(text.casefold())}
        for sister, title, text in zip(sisters, words, texts, strict=True)
    ]


def titles_not_meant(question: str, titles: Sequence[str], texts: Sequence[str]) -> list[bool]:
    """Which titles stand above no text that has what a question was put right with, "(the architect)", where another
    one does."""
    found = _PUT_RIGHT.search(question)
    meant = telling_words(found["meant"]) if found else frozenset()
    having = {
        title for title, text in zip(titles, texts, strict=True) if meant and meant <= word_stems(f"{title} {text}")
    }
    return [bool(having) and title not in having for title in titles]


def _differs_in_name(title: tuple[str, ...], meant: tuple[str, ...], names: Set[str]) -> bool:
    """Whether a title has as many words as another one, one of the names among them, and others only for names."""
    other = [named for word, named in zip(title, meant, strict=False) if word != named]
    return len(title) == len(meant) and bool(other) and names >= set(other) and bool(names & set(title))


def _named_apart(question: str, titles: Sequence[str]) -> list[bool]:
    names = list(_names_of_several_words(question))
    words = [tuple(_NAME_PART.findall(title.casefold())) for title in titles]
    whole = [name for name in names if any(_holds(title, name) for title in words)]
    return [any(not _holds(title, name) and _holds_apart(title, name) for name in whole) for title in words]


def _further_named(question: str, titles: Sequence[str]) -> list[bool]:
    """Which titles are of the Vexa 10 Max, where the question is of the Vexa 10 alone and another title as well."""
    found = [False] * len(titles)
    for model in set(_MODEL.findall(question)):
        named = re.compile(rf"(?<!\w){re.escape(model)}(?![\w-])(?P<more> [^\W_a-z][\w'’-]*)?")
        matches = [named.search(title) for title in titles]
        if any(match and not match["more"] for match in matches):
            longer = [bool(match and match["more"] and match[0] not in question) for match in matches]
            found = [known or more for known, more in zip(found, longer, strict=True)]
    return found


def _names_of_several_words(question: str) -> Iterator[tuple[str, ...]]:
    """Words with capitals beside each other; the first of a sentence may be no part of the name."""
    for found in _CAPITALS.finditer(question):
        words = tuple(_NAME_PART.findall(found[0].casefold()))
        yield words
        if len(words) > 2:
            yield words[1:]


def _holds(title: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return any(title[at : at + len(name)] == name for at in range(len(title)))


def _holds_apart(title: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether a title has the words of a name in their order, not far from each other."""
    for start, word in enumerate(title):
        if word == name[0]:
            near = iter(title[start : start + len(name) + MAX_WORDS_BETWEEN])
            if all(word in near for word in name):
                return True
    return False


def has_all_names(passage: Passage, names: Set[str]) -> bool:
    """Whether a passage, or its title, has all of some names, by their stems."""
    return names <= word_stems(f"{passage.headed_title} {passage.text}")


def is_on_subject(question: str, passage: Passage, english: str = "") -> bool:
    """Whether a passage, its title or its address has one of the names of a question: the price of something else is no
    answer.

    One in another language than the question, and than `english`, the question in it, may have them in other letters.
    """
    names = word_stems(f"{names_in(question)} {names_in(english)}")
    understood = {language_of(question) or "en", *(["en"] if english else [])}
    foreign = not any(same_language(passage.text, one) for one in understood)
    return not names or foreign or _has_name(names, passage)


def _has_name(names: Set[str], passage: Passage) -> bool:
    """Whether a passage, its title or its address has one of some names, by their stems."""
    known = word_stems(f"{passage.headed_title} {passage.text}")
    return bool(names & known) or _is_in_address(names, passage.source)


def _has_word_of(names: str, title: str) -> bool:
    """Whether a title has one of some names, or a form of it: a service for citizens is no office for them."""
    words = _NAME_PART.findall(title.casefold())
    return any(
        word == name or (min(len(word), len(name)) >= MIN_LETTERS_OF_FORM and word.startswith(name[:-1]))
        for name in _NAME_PART.findall(names.casefold())
        for word in words
    )


def _is_titled_as_its_site(passage: Passage) -> bool:
    """Whether the title of a page has a name that its site has, by host or first folder: the page of a town hall. What
    stands apart in a title, "Zoo opens | The Post", says whose pages these are and not what they are about."""
    first, *others = _APART_IN_TITLE.split(passage.title)
    about = max(others, key=len) if others and len(first) < len(max(others, key=len)) else first
    # A title may begin with the name, which has a capital there anyway.
    named = word_stems(names_in(f"of {about}"))
    site = "/".join(passage.source.rpartition("/")[0].split("/")[:_SITE_PARTS])
    return _is_in_address(named, site)


def is_site_of(names: Sequence[str], source: str) -> bool:
    """Whether a part of a page's address is some names written together, "gearledger" or "gear-ledger"."""
    joined = "".join(_NAME_PART.findall(" ".join(names).casefold()))
    return joined in re.split(r"[./:?]", source.casefold().replace("-", "")) if joined else False


def _is_in_address(names: Set[str], source: str) -> bool:
    """Whether a page's host or path has a name: on the pages of a baker no recipe says whose it is."""
    words = _NAME_PART.findall(source.casefold().partition("://")[2])
    return any(len(name) >= MIN_LETTERS_OF_HOST and word.startswith(name) for name in names for word in words)

"""What a question compares: whether it asks which of two things has more, for the more or the less, by how much."""

import re

_ASKS_DIFFERENCE = re.compile(
    r"\b(?:by )?how (?:much|many)\b.{0,80}\b(?:more|less|fewer|than|compared (?:to|with))\b|\bdifference\b"
    r"|\bhow much (?!(?:water|paper|butter|power|timber|copper|silver|pepper|ginger|leather|beer|rubber|other)\b)"
    r"\w{2,20}er (?:is|are|was|were)\b"
    r"|^\W*(?:and )?by how (?:much|many)\b.{0,80}\bcompared\b"
    r"|^\W*(?:and )?what (?:does|do|did|will|would) .{0,60}\b(?:costs?|weigh) .{0,20}\b(?:more|less) than\b",
    re.IGNORECASE,
)
_HOW_MUCH_OF = re.compile(r"\bhow (?:much|many)\b(?P<compared>.{0,80})", re.IGNORECASE)
_ASKS_WHICH = re.compile(r"\b(?:which|who|whose|what)\b", re.IGNORECASE)
_ASKS_WHICH_OF_TWO = re.compile(r"\b(?:which|who|whose)\b|\bor\b", re.IGNORECASE)
_ASKED_WORD = re.compile(r"[^\W\d_]+")
_COMPARED_FORMS = r"(?:er|est)$"
_MORE = re.compile(
    r"(?:bigg|bright|broad|costli|dear|deep|farth|furth|great|heavi|high|hott|larg|long|loud|prici|steep|strong|tall"
    rf"|thick|warm|wid){_COMPARED_FORMS}"
)
_LESS = re.compile(
    rf"(?:cheap|clos|cold|cool|dimm|few|flatt|light|low|narrow|near|quiet|shallow|short|small|thinn|weak){_COMPARED_FORMS}"
)
_QUICK, _SLOW = re.compile(rf"(?:fast|quick){_COMPARED_FORMS}"), re.compile(rf"slow{_COMPARED_FORMS}")
_OLD, _YOUNG = re.compile(rf"old{_COMPARED_FORMS}"), re.compile(rf"young{_COMPARED_FORMS}")
_SOONER, _LATER = (
    re.compile(rf"first$|(?:earli|soon){_COMPARED_FORMS}"),
    re.compile(rf"recent(?:ly)?$|(?:new|lat){_COMPARED_FORMS}"),
)
_AMOUNT = re.compile(
    r"\b(?:(?P<more>more|most)|less|least)"
    r"(?=\s*(?:[,.?;:]|$)|\s+(?:than|or|and|expensive|costly|time|money|energy|power|people|(?P<unit>\w+))\b)"
)
"""More or less of the figures' own unit, or of nothing else: "more economical" is not more of it."""
_COMPARED_THING = (
    r"(?!(?:it|that|this|they|those|these|one|he|she|both|each|i|we|you|last|before|usual|ever|expected|average|normal"
    r"|the (?:last|previous|average|usual))\b|\d)[^?,;]{2,60}?"
)
_ADJECTIVES = {
    **{"heavier": "heavy", "lighter": "heavy", "taller": "tall", "higher": "high", "lower": "high", "longer": "long"},
    **{"shorter": "long", "wider": "wide", "narrower": "wide", "deeper": "deep", "bigger": "big", "larger": "large"},
    **{"smaller": "big", "older": "old", "younger": "old", "faster": "fast", "quicker": "fast", "slower": "fast"},
    **{"louder": "loud", "quieter": "loud", "cheaper": "expensive", "dearer": "expensive", "pricier": "expensive"},
    **{"warmer": "warm", "hotter": "hot", "colder": "cold", "thicker": "thick", "thinner": "thick"},
    **{"more expensive": "expensive", "less expensive": "expensive", "more costly": "expensive"},
}
"""What is asked of each of two things of which one has more or less of something."""
_DIFFERENCE_OF_TWO = re.compile(
    rf"\W*(?:(?:and|so|but|then) )?(?:by )?how much (?P<comparative>{'|'.join(_ADJECTIVES)}) (?P<verb>is|are|was|were) "
    rf"(?P<one>{_COMPARED_THING}) (?:than|(?:as )?compared (?:to|with)) (?P<other>{_COMPARED_THING})[\s?.!]{{0,4}}$",
    re.IGNORECASE,
)
_HAS_NAME = re.compile(r"[A-Z0-9]")
_MEASURE = (
    r"(?:price|cost|fee|rent|salary|weight|height|length|width|depth|thickness|diameter|size|area|volume|capacity|age"
    r"|speed|distance|range|duration|temperature|power|noise|loudness|warranty|population|number of \w{2,12})"
)
_DIFFERENCE_BETWEEN = re.compile(
    r"\W*(?:(?:and|so|but|then) )?(?:what(?:['’]s| is| was)|how (?:big|much|large|great) (?:is|was)) (?:the |there a )?"
    rf"(?:difference (?:in|of) (?:the )?(?P<measure>{_MEASURE})|(?P<kind>{_MEASURE}) difference) between "
    rf"(?P<one>{_COMPARED_THING}) and (?P<other>{_COMPARED_THING})[\s?.!]{{0,4}}$",
    re.IGNORECASE,
)
_TIME_UNIT = re.compile(r"(?:s|sec\w*|min\w*|h|hours?|days?|weeks?|months?)$", re.IGNORECASE)
_COMPARING = re.compile(r"(?:more|most|less|least|better|best|worse|worst)$")
_COMPARATIVES = (_COMPARING, _MORE, _LESS, _QUICK, _SLOW, _OLD, _YOUNG, _SOONER, _LATER)


def asks_difference(question: str) -> bool:
    """Whether a question in English asks by how much two things differ: how much wider one is, and not how much it is
    together."""
    measured = _HOW_MUCH_OF.search(question)
    words = _ASKED_WORD.findall(measured["compared"].casefold()) if measured else []
    by_word = any(word.endswith("er") and _is_comparing(word) for word in words)
    return by_word or _ASKS_DIFFERENCE.search(question) is not None


def compares(question: str) -> bool:
    """Whether a question in English asks which of two things has more of something, or by how much."""
    which = _ASKS_WHICH.search(question)
    words = _ASKED_WORD.findall(question[which.end() :].casefold()) if which else []
    return asks_difference(question) or any(map(_is_comparing, words))


def compares_two(question: str) -> bool:
    """Whether a question in English asks which of two things has more of something: "the longer", not "the longest"."""
    words = _ASKED_WORD.findall(question.casefold()) if _ASKS_WHICH_OF_TWO.search(question) else []
    return any(_is_comparing(word) and not word.endswith("st") for word in words)


def _is_comparing(word: str) -> bool:
    return any(forms.match(word) for forms in _COMPARATIVES)


def sides_of_difference(question: str) -> tuple[str, ...]:
    """The two questions of one in English for the difference between two things that it names: "how much heavier is the
    Arlo than the Beam?"; empty where it is no such, or a side has no name: an adult and a child at the pool."""
    between, of_two = _DIFFERENCE_BETWEEN.match(question), _DIFFERENCE_OF_TWO.match(question)
    asked = between or of_two
    if not asked or any(not _HAS_NAME.search(asked[side]) for side in ("one", "other")):
        return ()
    if between:
        measure = (between["measure"] or between["kind"]).casefold()
        return tuple(f"What is the {measure} of {between[side]}?" for side in ("one", "other"))
    how = _ADJECTIVES[asked["comparative"].casefold()]
    return tuple(f"How {how} {asked['verb']} {asked[side]}?" for side in ("one", "other"))


def means_more(word: str) -> bool | None:
    """Whether a comparative in English is of the greater figure: longer is, lighter is not; None for any other word."""
    word = word.casefold()
    if word in ("more", "less"):
        return word == "more"
    known = ((_MORE, True), (_LATER, True), (_OLD, True), (_LESS, False), (_SOONER, False), (_YOUNG, False))
    return next((more for forms, more in known if forms.match(word)), None)


def wants_more(question: str, unit: str, *, is_year: bool) -> bool | None:
    """Whether a question in English is for the side with the greater figure; None where that is not clear.

    The figures have a unit ("grams", "€"), or are years, of which the older side has the smaller one.
    """
    asked = question.casefold()
    if (amount := _AMOUNT.search(asked)) and (amount["unit"] or "")[:4] in (unit.casefold()[:4], ""):
        return amount["more"] is not None
    is_duration = _TIME_UNIT.match(unit) is not None
    known = [(_MORE, True), (_LESS, False), (_QUICK, not is_duration), (_SLOW, is_duration)]
    known += [(_OLD, not is_year), (_YOUNG, is_year)]
    known += [(_SOONER, False), (_LATER, True)] if is_year else []
    told = (more for word in _ASKED_WORD.findall(asked) for forms, more in known if forms.match(word))
    return next(told, None)

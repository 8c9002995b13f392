"""True sentences made from a question, its answer and the sentence that has it."""

import random
import re
from collections.abc import Iterator

SYNONYMS = {
    "began": "started", "started": "began", "large": "big", "show": "demonstrate", "however": "but",
    "although": "though",
    "many": "numerous", "several": "various", "also": "additionally", "because": "since", "used": "employed",
    "important": "significant", "called": "named", "known as": "called", "located": "situated", "help": "assist",
    "built": "constructed", "about": "roughly", "approximately": "about", "often": "frequently", "died": "passed away",
    "people": "persons", "city": "town", "made": "produced", "received": "got", "wrote": "authored", "while": "whereas",
    "country": "nation", "area": "region", "including": "among them", "such as": "for instance", "main": "principal",
    "form": "type", "film": "movie", "war": "armed conflict", "students": "pupils", "teachers": "instructors",
}  # fmt: skip
WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}
DIGITS = {word: str(number) for number, word in WORDS.items()}
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
SHORT = 0.35
"""Share of questions of which the bare answer is a sentence too."""
STATED = 0.6
"""Share of questions, in other languages than English, of which question and answer are one."""


def rewritings(
    draw: random.Random, question: str, answer: str, sentence: str, language: str
) -> Iterator[tuple[str, str]]:
    """Sentences that say what the passage says, each with its form: `stated`, `rewritten` or `bare`."""
    stated = state(question, answer) if language == "en" else append(question, answer)
    if stated and (language == "en" or draw.random() < STATED):
        yield "stated", stated
    if sentence and len(sentence) < 500:
        yield "rewritten", rewrite(draw, sentence, answer, language)
    if draw.random() < SHORT:
        yield "bare", answer if answer.endswith((".", "。", "।")) else f"{answer}."


def append(question: str, answer: str) -> str:
    """A question and its answer as a line, in languages that no rule makes statements for."""
    return f"{question.strip().rstrip('?？؟;').strip()}: {answer}."


def state(question: str, answer: str) -> str:
    """An English question and its answer as a statement; empty where no rule fits."""
    asked = question.strip().rstrip("?").strip()
    for pattern, form in RULES:
        if match := pattern.fullmatch(asked):
            said = form.format(*match.groups(default=""), a=answer.rstrip("."))
            said = re.sub(r"\s+", " ", said).strip()
            return f"{said[:1].upper()}{said[1:]}."
    return ""


RULES = [
    (re.compile(rule, re.I), form)
    for rule, form in (
        (r"who (is|was|are|were) (.+)", "{a} {0} {1}"),
        (r"who (did|does|do) (.+?)", "{1} {a}"),
        (r"who (.+)", "{a} {0}"),
        (r"how many ([\w ]+?) (?:did|does|do) (.+)", "{1} {a} {0}"),
        (r"how many ([\w ]+?) (are|were|is|was|have|had|can|will) (.+)", "{a} {0} {1} {2}"),
        (r"(?:in|on|at) (?:what|which) (\w+) (?:did|does|do) (.+)", "{1} in {a}"),
        (r"(?:in|on|at) (?:what|which) (\w+) (is|was|are|were) (.+)", "{2} {1} in {a}"),
        (r"(?:when|where) (?:did|does|do) (.+)", "{0} in {a}"),
        (r"(?:when|where) (is|was|are|were) (.+)", "{1} {0}: {a}"),
        (r"(?:what|which) (is|was|are|were) (the|a|an) (.+)", "{1} {2} {0} {a}"),
        (r"(?:what|which) (is|was|are|were) (.+)", "{1}: {a}"),
        (r"(?:what|which) ([\w -]+?) (?:did|does|do) (.+)", "{1} the {0} {a}"),
        (
            r"(?:what|which) ([\w -]+?) (is|was|are|were|has|had|have|can|won|led|played|made) (.+)",
            "the {0} {a} {1} {2}",
        ),
        (r"what (?:did|does|do) (.+)", "{0} {a}"),
        (r"what (.+)", "{a} {0}"),
    )
]


def rewrite(draw: random.Random, sentence: str, answer: str, language: str) -> str:
    """One to three small changes that leave the facts as they are."""
    changes = [shorten]
    if language == "en":
        changes += [replace_synonyms, respell_numbers, respell_dates, passive]
    for change in draw.sample(changes, draw.randint(1, min(3, len(changes)))):
        sentence = change(sentence, answer)
    return sentence


def shorten(sentence: str, answer: str) -> str:
    """Without the clauses before or after the answer's, where that leaves enough."""
    clauses = re.split(r"(?<=[,;，；、،]) ?", sentence)
    place = next((i for i, clause in enumerate(clauses) if answer in clause), None)
    if place is None or len(clauses) < 2:
        return sentence
    joint = "" if re.search(r"[，；、]", sentence) else " "
    kept = joint.join(clauses[: place + 1] if place else clauses[:2]).rstrip(",;，；、،.。")
    return f"{kept}." if len(kept) > 30 and joint else sentence if joint else f"{kept}。"


def replace_synonyms(sentence: str, answer: str) -> str:
    """Other words for some."""
    for word, other in SYNONYMS.items():
        if re.search(rf"\b{word}\b", sentence) and word not in answer:
            sentence = re.sub(rf"\b{word}\b", other, sentence, count=1)
            if len(sentence) % 2:
                break
    return sentence


def respell_numbers(sentence: str, answer: str) -> str:
    """1,490 as 1490 or 1.490, five as 5 and 5 as five."""
    sentence = re.sub(r"\b(\d{1,3}),(\d{3})\b(?![,.]\d)", r"\1\2" if len(answer) % 2 else r"\1.\2", sentence)
    sentence = re.sub(r"\b([2-9]|10) (?=[a-z])", lambda m: f"{WORDS[int(m[1])]} ", sentence)
    return re.sub(r"\b(" + "|".join(DIGITS) + r") (?=[a-z]{4})", lambda m: f"{DIGITS[m[1]]} ", sentence, count=1)


def respell_dates(sentence: str, answer: str) -> str:
    """February 7, 2016 as 7 February 2016 or 2016-02-07."""
    del answer
    months = "|".join(MONTHS)

    def told(match: re.Match[str]) -> str:
        if len(sentence) % 2:
            return f"{match[2]} {match[1]} {match[3]}"
        return f"{match[3]}-{MONTHS.index(match[1]) + 1:02d}-{int(match[2]):02d}"

    return re.sub(rf"\b({months}) (\d{{1,2}}),? (\d{{4}})", told, sentence)


def passive(sentence: str, answer: str) -> str:
    """`X founded Y.` as `Y was founded by X.`, where a sentence is that simple."""
    del answer
    verbs = "founded|built|designed|discovered|invented|defeated|wrote|created|introduced|proposed|developed|published"
    match = re.fullmatch(rf"([A-Z][\w .'-]{{2,40}}) ({verbs}) ([\w '-]{{4,60}})\.", sentence)
    if not match:
        return sentence
    done = {"wrote": "written"}.get(match[2], match[2])
    return f"{match[3][:1].upper()}{match[3][1:]} was {done} by {match[1]}."

"""Wishes that are carried out: what is to be remembered, forgotten or reminded of."""

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, takewhile
from typing import Any

from chatbot.conversation.messages import ToolCall
from chatbot.conversation.turns import Turn
from chatbot.conversation.wishes import asks_to_remember, is_courtesy, names_reminder
from chatbot.models.base import LanguageModel
from chatbot.models.dialogue import attached_texts
from chatbot.models.pipeline.acts.forgetting import forgotten_once, meant_clause
from chatbot.models.pipeline.acts.outcomes import act_outcomes
from chatbot.models.pipeline.acts.own_words import is_said, own_clause, two_clauses, without_wish
from chatbot.models.pipeline.decision.arguments import MAX_QUESTION_CHARS, asked_after, text_fields
from chatbot.models.pipeline.decision.router import ACT_WORDS
from chatbot.models.pipeline.decision.tool_choice import Decision
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.prompts.fewshot import clip_middle, load_prompt
from rag.search.rare_words import telling_words, word_stems
from utils.languages.lexicon import load_lexicon

DOES = {
    "remember": "remember",
    "forget": "forget",
    "remind": "set_reminder",
    "list": "list_reminders",
    "cancel": "cancel_reminder",
}
"""The tool for each thing that the model may write down."""
MIN_ACT_SHARE = 0.05
"""The share from which on an act may be among several in one message."""
MIN_FACT_LIKENESS = 0.5
"""Cosine from which on words mean one of the facts."""
MIN_NAMED_LIKENESS = 0.25
"""The same where the fact has all that they tell: "the walnuts" and "I am allergic to walnuts"."""
WHEN_SCHEMA = text_fields(when=60)
MAX_ACT_CHARS = 300
"""Characters of a fact."""
_REMINDS = re.compile(
    r"\b(?:re-?mind|alarm|alert|timer|wake|ping me|tell me (?:at|in|on)|nudge|erinner|weck|rappel|réveil|recu[eé]rd|"
    r"record|avís|ricord|svegli|lembr|acord|herinner|wek|påmin|mind|husk|muistut|herät|przypomn|budź|připome|pripome|"
    r"emlékez|jelez|aminte|reamint|hatırlat|uyar|напомн|напомин|нагада|υπενθ|θύμισ|ingat|nhắc|zapomn)|"
    r"ذك[ّ]?ر|نب[ّ]?ه|תזכיר|הזכ|याद|মনে|提醒|叫我|リマインド|思い出|教えて|알려|알림|เตือน",
    re.IGNORECASE,
)
"""The beginnings of words that ask to be reminded."""
_FORGETS = re.compile(
    r"\b(?:forget|delete|remove|erase|drop|no longer|not any ?more|isn't true|not true|wrong|vergiss|vergess|lösch|"
    r"streich|oubli|efface|supprim|olvid|borr|elimin|dimentic|cancell|esque[cç]|apag|vergeet|wis |schrap|glem|slet|"
    r"glöm|radera|unohda|poista|zapomni|usuń|skasuj|zapome|smaž|zabud|felejts|töröl|uit[ăa]|șterge|unut|sil\b|забуд|"
    r"удал|сотр|видали|ξέχ|ξεχ|διάγρ|σβήσ|lupakan|hapus|quên|xóa)|انس[َى]?|احذف|امسح|תשכח|שכח|מחק|भूल|हटा|ভুলে|忘|删|刪|"
    r"消し|削除|잊|지워|삭제|ลืม|ลบ",
    re.IGNORECASE,
)
"""The beginnings of words that ask to forget, or say that something is no longer so."""
_FORGETS_NAMED = re.compile(
    r"\b(?:forget|delete|erase|vergiss|lösch\w*|oublie\w*|efface\w*|olvid\w+|dimentica\w*|esque[cç]\w+|vergeet|glem|"
    r"glöm|unohda|zapomnij|zapomeň|felejts\w*|uită|unut|забудь\w*|ξέχ\w+) ((?:[^\s,.;!?]+ ?){1,4})",
    re.IGNORECASE,
)
"""A word that asks to forget, with the words behind it."""
_CHARS_OF_DENIAL = 24
"""Before such a word, where a denial of it stands."""
_WITH_HALF_OF_DAY = re.compile(r"(?P<clock>\b\d{1,2}(?::\d\d)?)\s?[ap]\.?m\b\.?", re.IGNORECASE)
_PART_OF_DAY = re.compile(r"\b(?:morning|noon|afternoon|evening|night|tonight|midnight)\b", re.IGNORECASE)
_PLEASE = re.compile(
    r"(?:[,;]\s?|(?<!is)(?<!are)(?<!say)\s)(?:please|pls|bitte|s['’]il (?:te|vous) pla[iî]t|stp|svp|por favor"
    r"|per favore|per piacere|alsjeblieft|"
    r"alstublieft|(?<=, )tack|vær så snill|proszę|prosím|пожалуйста|будь ласка)[ .!]{0,4}$",
    re.IGNORECASE,
)
"""Politeness at the end of a wish, which is no part of what is wished for."""
_DAYS_AFTER = (
    (r"(?<!day after )tomorrow", r"(?:on )?the (?:day after|(?:following|next) day)", "the day after tomorrow"),
    (r"(?:^|(?<=um )|(?<=ab ))morgen", r"(?:am )?(?:tag (?:darauf|danach)|(?:nächsten|folgenden) tag)", "übermorgen"),
    (r"(?<!après-)demain", r"le (?:lendemain|jour (?:suivant|d['’]après))", "après-demain"),
    (r"(?<!pasado )(?<!la )mañana", r"(?:al|el) día siguiente", "pasado mañana"),
    (r"domani", r"il giorno (?:dopo|seguente)", "dopodomani"),
)
"""What says tomorrow, the day behind it where it stands in the next wish, and what that is called by itself."""
_CLOCK_BEHIND = r"(?=$|,? (?:at |um |à |a las? |alle |vers |gegen |ab )?\d)"
"""Where nothing but a time stands behind such a day: the day after Christmas is another one."""
_SENTENCE_OF_WISH = re.compile(r"[.;!?…](?=\s)|[。！？；]")


def acts_schema(names: Sequence[str]) -> dict[str, Any]:
    """The form of what is to be done, with these tools alone."""
    does = [do for do, name in DOES.items() if name in names]
    fields = {
        "do": {"type": "string", "enum": does},
        "what": {"type": "string", "maxLength": 200},
        "when": {"type": "string", "maxLength": 60},
    }
    act = {"type": "object", "properties": fields, "required": list(fields)}
    acts = {"type": "array", "items": act, "minItems": 1, "maxItems": 3}
    return {"type": "object", "properties": {"acts": acts}, "required": ["acts"]}


async def write_acts(
    model: LanguageModel, finder: EvidenceFinder, turns: Sequence[Turn], decision: Decision, facts: Sequence[str]
) -> list[ToolCall]:
    """The calls that carry out what the last message wishes; empty where it names nothing."""
    names = [
        name for name in ACT_WORDS if decision.shares.get(name, 0.0) >= MIN_ACT_SHARE or name == decision.best_wish
    ]
    message, earlier = turns[-1].question.content, turns[-2].question.content if len(turns) > 1 else ""
    prompt = load_prompt("acts").make_prompt(**asked_after(earlier if decision.follows else "", message))
    filled = (await model.fill_schema(prompt, acts_schema(names))).values
    acts = [act for act in filled.get("acts", []) if isinstance(act, dict) and act.get("do") in DOES]
    acts += [act for act in _unlisted_forgetting(acts, message) if "forget" in decision.shares]
    beside_text = bool(attached_texts(turns[-1]))
    acts = [act for act in acts if not _is_no_wish(act, message, beside_text=beside_text)]
    acts = [act for act in acts if not _is_reason(act, message)] or acts
    acts = [act for act in acts if not _was_set_before(act, turns)] or acts
    if len(acts) == 1 and acts[0]["do"] == "remember":
        own = two_clauses(message) or [own_clause(str(acts[0].get("what", "")), message)]
        acts = [acts[0] | {"what": what} for what in own]
    acts = [_with_reminder_meant(act, turns) for act in _with_days_after(acts)]
    calls = filter(None, [await _act_call(finder, act, facts, message) for act in acts])
    return forgotten_once(list({(call.name, *call.arguments.values()): call for call in calls}.values()), facts)


def _was_set_before(act: dict[str, Any], turns: Sequence[Turn]) -> bool:
    """Whether a reminder is the one that the turn before set, and the last message has no word of it: "and at 8 to take
    the bread out" goes on from it, and a small model writes both down."""
    what = telling_words(str(act.get("what", "")))
    if act["do"] != "remind" or not what or len(turns) < 2 or what & word_stems(turns[-1].question.content):
        return False
    calls = [call for call in turns[-2].calls if call.name == "set_reminder"]
    return any(what == telling_words(str(call.arguments.get("text", ""))) for call in calls)


def _is_reason(act: dict[str, Any], message: str) -> bool:
    """Whether what is to be forgotten stands in no sentence that asks for that: small models write down why as well, of
    "The test says that I am well. Forget the pills."."""
    if act["do"] != "forget":
        return False
    words = telling_words(str(act.get("what", "")))
    saying = [sentence for sentence in _SENTENCE_OF_WISH.split(message) if words & word_stems(sentence)]
    return bool(saying) and not any(map(_FORGETS.search, saying))


def _with_days_after(acts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The wishes with the day after tomorrow in the place of "the day after", behind one of tomorrow."""
    before = ""
    for act in acts:
        when = str(act.get("when", ""))
        for tomorrow, after, named in _DAYS_AFTER if before else ():
            if re.search(rf"(?<!\w){tomorrow}\b", before, re.IGNORECASE):
                when = re.sub(rf"^{after}{_CLOCK_BEHIND}", named, when.strip(), flags=re.IGNORECASE)
        yield act | {"when": when} if when else act
        before = when


def _with_reminder_meant(act: dict[str, Any], turns: Sequence[Turn]) -> dict[str, Any]:
    """What is to be cancelled: "that reminder" is the one that was set last in the talk."""
    if act["do"] != "cancel" or names_reminder(str(act.get("what", ""))):
        return act
    told = ("set_reminder", "list_reminders", "cancel_reminder")
    done = [call for turn in turns for call, result in act_outcomes(turn) if call.name in told and not result.failed]
    # Behind a list "the last one" is the last of that.
    last = done[-1] if done and done[-1].name == "set_reminder" else None
    return act | {"what": str(last.arguments.get("text", ""))} if last else act


def _unlisted_forgetting(acts: Sequence[dict[str, Any]], message: str) -> Iterator[dict[str, Any]]:
    """What a message plainly asks to forget beside something else, where the model listed the other alone.

    Only what is named right behind the word: "forget Oslo and remember that I live in Bern", not "don't forget ...".
    """
    if not acts or any(act["do"] == "forget" for act in acts):
        return
    for found in _FORGETS_NAMED.finditer(message):
        before = message[max(0, found.start() - _CHARS_OF_DENIAL) : found.start()]
        denied = load_lexicon().negations & set(before.casefold().split()[-2:])
        behind = dropwhile(str.islower, found[1].split())
        named = " ".join(takewhile(lambda word: not word.islower(), behind))
        if named and not denied:
            yield {"do": "forget", "what": named}


async def _act_call(finder: EvidenceFinder, act: dict[str, Any], facts: Sequence[str], message: str) -> ToolCall | None:
    name, what = DOES[act["do"]], _PLEASE.sub("", str(act.get("what", "")).strip())
    if name == "list_reminders":
        return ToolCall(name, {})
    if name == "set_reminder":
        when = _half_as_said(str(act.get("when", "")).strip(), message)
        return ToolCall(name, {"text": what or message, "when": when or message})
    if not what:
        return None
    if name == "remember" and not is_said(what, message):
        if not asks_to_remember(message):
            return None
        # Put into another language or other words: the user's own are kept whole.
        what = clip_middle(without_wish(message), MAX_ACT_CHARS)
    if name == "forget":
        return ToolCall(name, {"fact": meant_clause(await _meant_fact(finder, what, facts), what)})
    return ToolCall(name, {"which": what} if name == "cancel_reminder" else {"fact": what})


def _half_as_said(when: str, message: str) -> str:
    """A time without the half of the day that a message does not say of it: of "at 6pm ..., at 8" a small model makes
    8 pm."""
    said = _WITH_HALF_OF_DAY.search(when)
    if not said or _PART_OF_DAY.search(message):
        return when
    bare = re.search(rf"(?<![\d:.]){re.escape(said['clock'])}(?![\d:.]|\s?[ap]\.?m)", message, re.IGNORECASE)
    return when.replace(said[0], said["clock"]) if bare else when


def _is_no_wish(act: dict[str, Any], message: str, *, beside_text: bool) -> bool:
    """Whether there is a time and nothing to be reminded of ("250 minutes in hours"), or no word that asks for the act.

    A time asks to be reminded too, but not beside a text, which has times of its own.
    """
    if act["do"] == "remember":
        return is_courtesy(str(act.get("what", "")))
    if act["do"] == "forget":
        return not _FORGETS.search(message)
    if act["do"] != "remind" or _REMINDS.search(message):
        return False
    what, when = str(act.get("what", "")).strip(), str(act.get("when", "")).strip()
    return beside_text or not when or (bool(what) and word_stems(what) <= word_stems(when))


async def _meant_fact(finder: EvidenceFinder, what: str, facts: Sequence[str]) -> str:
    """The fact that words mean: the one that has them, or what they tell, else the likest; else the words themselves.

    "The walnuts" are in "I am allergic to walnuts", and not very like it.
    """
    having = [fact for fact in facts if what.casefold() in fact.casefold()]
    if len(having) == 1 or not facts:
        return having[0] if having else what
    telling = [fact for fact in facts if telling_words(what) <= word_stems(fact)]
    for meant, least in ((telling, MIN_NAMED_LIKENESS), (facts, MIN_FACT_LIKENESS)):
        vectors = await finder.embed_texts([what, *meant])
        alike = dict(zip(meant, vectors[1:] @ vectors[0], strict=True))
        likest = max(alike, key=alike.__getitem__, default=None)
        if likest is not None and float(alike[likest]) >= least:
            return likest
    return what


async def reread_moment(model: LanguageModel, turn: Turn) -> ToolCall | None:
    """A reminder whose time was not understood once more, with the time in English; None for any other result."""
    failed = [call for call, result in act_outcomes(turn) if call.name == "set_reminder" and result.failed]
    tried = [call for call in turn.calls if call.name == "set_reminder"]
    if not failed or len(tried) > 1:
        return None
    filled = await model.fill_schema(
        load_prompt("moment").make_prompt(message=clip_middle(turn.question.content, MAX_QUESTION_CHARS)), WHEN_SCHEMA
    )
    when = str(filled.values.get("when", "")).strip()
    return ToolCall("set_reminder", failed[0].arguments | {"when": when}) if when else None

"""Wishes: what is written down of them, and what is told of what was done."""

from typing import Any

import pytest

from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.turns import Turn
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.acts.calls import write_acts
from chatbot.models.pipeline.acts.outcomes import tell_acts
from chatbot.models.pipeline.decision.tool_choice import Decision
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.prompts.phrases import fill_phrase
from tests.fakes.deciding import DecidingModel
from tests.fakes.embedder import WordEmbedder
from utils.fence import fence_text

BOTH = Decision({"remember": 0.5, "forget": 0.4})


@pytest.mark.parametrize(
    ("message", "told", "set_now"),
    [
        ("and tomorrow at 8 to feed the cat", ["take the coat", "feed the cat"], ["feed the cat"]),
        ("and again tomorrow at 8", ["take the coat"], ["take the coat"]),
        (
            "the coat at 9 too, and at 8 feed the cat",
            ["take the coat", "feed the cat"],
            ["take the coat", "feed the cat"],
        ),
    ],
)
async def test_a_reminder_that_was_set_before_is_not_set_again_beside_the_next(
    message: str, told: list[str], set_now: list[str]
) -> None:
    call = ToolCall("set_reminder", {"text": "take the coat", "when": "friday"}, "call_1")
    done = Message("tool", "reminded friday.", tool_name="set_reminder", call_id="call_1")
    before = [
        Message("user", "Remind me on friday to take the coat."),
        Message("assistant", "", tool_calls=(call,)),
        done,
    ]
    turns = read_turns([*before, Message("assistant", "Ok."), Message("user", message)])
    model = DecidingModel([], filled={"acts": [{"do": "remind", "what": what, "when": "at 8"} for what in told]})
    finder = EvidenceFinder(WordEmbedder(dimensions=384))
    calls = await write_acts(model, finder, turns, Decision({"set_reminder": 0.9}, going_on=0.9), ())
    assert [call.arguments["text"] for call in calls] == set_now


async def written(
    message: str, acts: list[dict[str, Any]], facts: tuple[str, ...] = (), note: str = ""
) -> list[ToolCall]:
    model = DecidingModel([], filled={"acts": acts})
    finder = EvidenceFinder(WordEmbedder(dimensions=384))
    return await write_acts(model, finder, read_turns([Message("user", message, note)]), BOTH, facts)


def acted(*outcomes: tuple[ToolCall, str, bool]) -> Turn:
    results = [Message("tool", said, tool_name=c.name, call_id=c.id, failed=failed) for c, said, failed in outcomes]
    calls = Message("assistant", "", tool_calls=tuple(call for call, _, _ in outcomes))
    return Turn(0, (Message("user", "please"), calls, *results))


async def test_two_wishes_of_one_message_are_both_carried_out() -> None:
    acts = [{"do": "forget", "what": "Bern", "when": ""}, {"do": "remember", "what": "I live in Oslo", "when": ""}]
    calls = await written("I have moved: forget Bern, remember that I live in Oslo.", acts, ("I live in Bern",))
    assert calls == [ToolCall("forget", {"fact": "I live in Bern"}), ToolCall("remember", {"fact": "I live in Oslo"})]


async def test_of_two_reminders_both_are_told_and_the_day_after_is_that_after_tomorrow() -> None:
    acts = [
        {"do": "remind", "what": "ring Ada", "when": "tomorrow at 6pm"},
        {"do": "remind", "what": "water the plants", "when": "the day after at 8"},
    ]
    calls = await written("Remind me tomorrow at 6pm to ring Ada, the day after at 8 to water the plants.", acts)
    assert [call.arguments["when"] for call in calls] == ["tomorrow at 6pm", "the day after tomorrow at 8"]
    for before, after in (
        ("tomorrow at 8", "the day after Christmas"),
        ("el lunes por la mañana", "al día siguiente a las 9"),
        ("Montag morgen", "am nächsten Tag"),
        ("the day after tomorrow", "the next day"),
    ):
        kept = await written(
            "Remind me of both.", [acts[0] | {"when": before}, acts[1] | {"when": after, "what": "feed Ida"}]
        )
        assert [call.arguments["when"] for call in kept] == [before, after]
    told = "The user will be reminded tomorrow 18:00."
    first, second = (ToolCall(call.name, call.arguments, str(place)) for place, call in enumerate(calls))
    for result, failed in ((told.replace("tomorrow", "Tuesday"), False), ('"the day" is no time.', True)):
        lines = tell_acts(acted((first, told, False), (second, result, failed)), "en").splitlines()
        assert len(lines) == 2 and "ring Ada" in lines[0] and ("water the plants" in lines[1] or failed)


@pytest.mark.parametrize(
    ("message", "when", "kept"),
    [
        ("Remind me at 6pm to sing and at 8 to sleep", "at 8 pm", "at 8"),
        ("Remind me at 8 in the evening to sleep", "8 pm", "8 pm"),
        ("Remind me at 8 pm to sleep", "8 pm", "8 pm"),
        ("Remind me at 18 to sleep", "6 pm", "6 pm"),
    ],
)
async def test_a_half_of_the_day_that_was_not_said_is_left_out(message: str, when: str, kept: str) -> None:
    [call] = await written(message, [{"do": "remind", "what": "sleep", "when": when}])
    assert call.arguments["when"] == kept


def test_two_reminders_of_one_text_are_both_told() -> None:
    told = "The user will be reminded {}."
    pills = [
        (ToolCall("set_reminder", {"text": "pills", "when": at}, at), told.format(at), False)
        for at in ("8:00", "20:00")
    ]
    assert len(tell_acts(acted(*pills), "en").splitlines()) == 2


async def test_a_fact_is_forgotten_by_what_it_is_about_and_the_reason_why_is_no_wish() -> None:
    acts = [{"do": "forget", "what": what, "when": ""} for what in ("the hazel pollen", "the doctor")]
    facts = ("I get a rash from hazel pollen", "I live in Bern")
    calls = await written("The doctor says it was the soap. Delete what you noted about the hazel pollen.", acts, facts)
    assert calls == [ToolCall("forget", {"fact": "I get a rash from hazel pollen"})]


async def test_of_a_fact_that_says_several_things_only_the_one_that_is_named_is_forgotten() -> None:
    acts = [{"do": "forget", "what": "cats", "when": ""}]
    facts = ("my dog is called Bo and he hates cats", "I live in Bern")
    assert await written("oh and forget about the cats", acts, facts) == [ToolCall("forget", {"fact": "he hates cats"})]
    for what, fact in (
        ("my wife", "my wife is Ada and my wife's birthday is in May"),
        ("it", "I have a Kia and it is blue"),
    ):
        wished = [{"do": "forget", "what": what, "when": ""}]
        assert await written(f"forget {what}", wished, (fact,)) in (
            [ToolCall("forget", {"fact": fact})],
            [ToolCall("forget", {"fact": what})],
        )
    both = [{"do": "forget", "what": what, "when": ""} for what in ("he hates cats", "my dog is called Bo")]
    calls = await written("forget that he hates cats and forget that my dog is called Bo", both, facts)
    assert calls == [ToolCall("forget", {"fact": facts[0]})]
    whole = [{"do": "forget", "what": "my dog is called Bo", "when": ""}]
    assert await written("forget that my dog is called Bo", whole, facts) == [ToolCall("forget", {"fact": facts[0]})]


async def test_what_a_german_subordinate_clause_names_is_forgotten_beside_what_is_kept() -> None:
    acts = [{"do": "forget", "what": "Veganer", "when": ""}, {"do": "remember", "what": "ich esse Fisch", "when": ""}]
    message = "Vergiss, dass ich Veganer bin, und merk dir, dass ich Fisch esse."
    calls = await written(message, acts, ("Ich bin Veganer",))
    assert ToolCall("forget", {"fact": "Ich bin Veganer"}) in calls


async def test_two_facts_of_one_wish_are_kept_apart() -> None:
    acts = [{"do": "remember", "what": "bass and my vet is Roth", "when": ""}]
    calls = await written("Keep in mind that I sing bass and that my vet is Roth? please remember both", acts)
    assert [call.arguments["fact"] for call in calls] == ["I sing bass", "my vet is Roth"]


async def test_what_is_to_be_forgotten_and_was_never_kept_is_told_as_such() -> None:
    acts = [{"do": "forget", "what": "the bicycle", "when": ""}]
    calls = await written("Forget the bicycle.", acts, ("I live in Bern",))
    assert calls == [ToolCall("forget", {"fact": "the bicycle"})]


async def test_a_wish_that_names_nothing_is_no_call() -> None:
    assert await written("forget it", [{"do": "forget", "what": "", "when": ""}]) == []


def test_each_act_is_told_as_it_went() -> None:
    kept = (ToolCall("remember", {"fact": "I live in Oslo"}, "1"), "Remembered.", False)
    gone = (ToolCall("forget", {"fact": "Bern"}, "2"), "Nothing like it.", True)
    asked = (ToolCall("remember", {"fact": "x"}, "3"), "Not remembered yet: ...", False)
    assert tell_acts(acted(kept, gone, asked), "de").split("\n") == [
        fill_phrase("remembered", "de", fact="I live in Oslo"),
        fill_phrase("nothing_to_forget", "de", what="Bern"),
        fill_phrase("asked_to_agree", "de", command="/memory"),
    ]


def test_a_reminder_that_was_understood_the_second_time_is_told_once() -> None:
    first = (ToolCall("set_reminder", {"text": "tea", "when": "za"}, "1"), '"za" is no time.', True)
    second = (
        ToolCall("set_reminder", {"text": "tea", "when": "in 5 minutes"}, "2"),
        "The user will be reminded today 9:05.",
        False,
    )
    assert tell_acts(acted(first, second), "en") == fill_phrase("reminder_set", "en", text="tea", when="today 9:05")


def test_reminders_are_listed_or_there_are_none() -> None:
    listed = (ToolCall("list_reminders", {}, "1"), "- today 9:05: tea", False)
    none = (ToolCall("list_reminders", {}, "1"), "There are no reminders.", False)
    assert tell_acts(acted(listed), "en") == f"{fill_phrase('reminders_are', 'en')}\n- today 9:05: tea"
    assert tell_acts(acted(none), "en") == fill_phrase("no_reminders", "en")


async def test_a_time_without_a_word_that_wishes_is_no_reminder() -> None:
    for when in ("", "250 minutes in hours, please"):
        assert (
            await written(
                "250 minutes in hours, please", [{"do": "remind", "what": "250 minutes in hours", "when": when}]
            )
            == []
        )
    acts = [{"do": "remind", "what": "call the plumber", "when": ""}]
    assert [call.name for call in await written("Remind me to call the plumber", acts)] == ["set_reminder"]


async def test_what_is_asked_of_a_text_with_times_in_it_is_no_wish_to_be_reminded_of_them() -> None:
    minutes = fence_text("The roof is mended on Monday at 9.", "the file minutes.md")
    acts = [{"do": "remind", "what": "the roof is mended", "when": "on Monday at 9"}]
    assert await written("Summarise these minutes in at most 100 words.", acts, note=minutes) == []
    assert len(await written("Set an alarm for what is in these minutes.", acts, note=minutes)) == 1
    assert len(await written("The roof is mended on Monday at 9, don't let me miss it.", acts)) == 1


async def test_a_goodbye_forgets_nothing() -> None:
    acts = [{"do": "forget", "what": "all", "when": ""}]
    assert await written("Nice. Thanks, that's all for now, bye!", acts, ("Her cat is called Miso.",)) == []
    assert len(await written("Please forget all of that.", acts)) == 1
    assert len(await written("Dass ich in Gent wohne, vergiss bitte.", acts)) == 1


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Merk dir bitte, dass meine Tochter am 12. Mai Geburtstag hat.", "meine Tochter am 12. Mai Geburtstag hat."),
        ("Zapamiętaj, że nie jem mięsa wołowego.", "nie jem mięsa wołowego."),
        ("Remember: the gate that is green", "Remember: the gate that is green"),
    ],
)
async def test_what_was_put_into_other_words_is_remembered_in_the_users_own(message: str, kept: str) -> None:
    acts = [{"do": "remember", "what": "something that nobody said here", "when": ""}]
    assert [call.arguments for call in await written(message, acts)] == [{"fact": kept}]


async def test_what_is_no_wish_and_names_no_fact_is_not_remembered() -> None:
    acts = [{"do": "remember", "what": "garden", "when": ""}]
    assert await written("Thanks, that's all about the garden!", acts) == []
    assert len(await written("Please keep the thing about the garden in mind.", acts)) == 1


async def test_thanks_are_no_wish_whatever_is_written_down_of_them() -> None:
    assert await written("Thank you!", [{"do": "remember", "what": "thank you", "when": ""}]) == []


@pytest.mark.parametrize(
    ("message", "what", "kept"),
    [
        ("Remember that my aunt Ida keeps bees.", "Ida keeps bees", "my aunt Ida keeps bees."),
        ("Please remember that I sing bass.", "I sing bass", "I sing bass"),
        ("Retiens que je chante en basse, s'il te plaît.", "je chante", "je chante en basse"),
        ("Remember that I sing bass please", "I sing bass please", "I sing bass"),
        ("Remember that my safe word is please", "my safe word is please", "my safe word is please"),
        ("Remember that I collect Blu Tack", "I collect Blu Tack", "I collect Blu Tack"),
        ("Remember that I sing bass. Is it cold?", "I sing", "I sing"),
        ("hi, i'm jo and i live in Bern. remember that pls", "live in Bern", "i'm jo and i live in Bern"),
        ("Ich singe Bass und wohne in Bern. Merk dir das bitte!", "wohne in Bern", "Ich singe Bass und wohne in Bern"),
        ("It rained all day. My locker is 79. remember that", "My locker is 79", "My locker is 79"),
        ("I live in Bern, it is cold. Remember that I sing bass.", "I sing bass", "I sing bass"),
    ],
)
async def test_no_word_of_what_is_to_be_remembered_is_left_out(message: str, what: str, kept: str) -> None:
    calls = await written(message, [{"do": "remember", "what": what, "when": ""}])
    assert calls == [ToolCall("remember", {"fact": kept})]


@pytest.mark.parametrize(
    ("message", "forgotten"),
    [
        ("I have moved. Please forget Bern and remember that I live in Oslo.", ["I work in Bern"]),
        ("Ich bin umgezogen. Vergiss Bern und merke dir, dass ich in Oslo wohne.", ["I work in Bern"]),
        ("Don't forget Bern, and remember that I live in Oslo.", []),
        ("Vergiss nicht: ich wohne jetzt in Oslo, nicht in Bern.", []),
        ("Remember that I live in Oslo.", []),
    ],
)
async def test_what_is_to_be_forgotten_beside_something_that_is_kept_is_forgotten_though_the_model_lists_it_not(
    message: str, forgotten: list[str]
) -> None:
    acts = [{"do": "remember", "what": "I live in Oslo", "when": ""}]
    calls = await written(message, acts, ("I work in Bern", "I like tea"))
    assert [call.arguments["fact"] for call in calls if call.name == "forget"] == forgotten


@pytest.mark.parametrize(
    ("what", "which"),
    [
        ("ese recordatorio", "take the coat"),
        ("the coat", "the coat"),
        ("reminder", "take the coat"),
        ("my reminders", "my reminders"),
    ],
)
async def test_that_reminder_is_the_one_that_was_set_last(what: str, which: str) -> None:
    call = ToolCall("set_reminder", {"text": "take the coat", "when": "friday"}, "call_1")
    before = [Message("user", "Remind me of it."), Message("assistant", "", tool_calls=(call,))]
    done = [
        Message("tool", "reminded friday.", tool_name="set_reminder", call_id="call_1"),
        Message("assistant", "Ok."),
    ]
    turns = read_turns([*before, *done, Message("user", "It is not needed, cancel that.")])
    model = DecidingModel([], filled={"acts": [{"do": "cancel", "what": what, "when": ""}]})
    finder = EvidenceFinder(WordEmbedder(dimensions=384))
    calls = await write_acts(model, finder, turns, Decision({"cancel_reminder": 0.9}, going_on=0.9), ())
    assert calls == [ToolCall("cancel_reminder", {"which": which})]

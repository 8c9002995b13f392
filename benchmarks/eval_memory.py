"""What a model still knows after a compaction: 20 facts told in a long conversation are asked for afterwards."""

import argparse
import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing

from benchmarks.router_data import SIZES
from chatbot.config import Configuration, load_configuration
from chatbot.conversation.conversation import Conversation
from chatbot.conversation.events import Answered, Notice, ToolStarted
from chatbot.conversation.messages import Message
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.turn.agent import Agent

FACTS = (
    ("By the way, my sister's name is Odile and she lives in Ghent.", "What is my sister's name?", "odile"),
    ("I am allergic to cashew nuts, so keep that in mind for recipes.", "Which nuts am I allergic to?", "cashew"),
    ("Our wedding was on 14 June 2011.", "On which date was our wedding?", "14 june|june 14"),
    ("The code of the garden gate is 4471.", "What is the code of the garden gate?", "4471"),
    ("My car is a green Saab 900 from 1991.", "What car do I drive?", "saab"),
    ("I work as a piano tuner in Utrecht.", "What is my profession?", "piano tuner"),
    ("Our dog is called Biscuit and is a whippet.", "What is my dog called?", "biscuit"),
    ("The boiler was serviced by Mr Haverkamp last March.", "Who serviced the boiler?", "haverkamp"),
    ("My flight to Lisbon leaves on Friday at 06:35.", "At what time does my flight to Lisbon leave?", "6:35"),
    ("I keep the spare key under the blue flowerpot.", "Where do I keep the spare key?", "flowerpot"),
    ("My doctor told me to drink no more than two coffees a day.", "How many coffees a day may I drink?", "two|2"),
    (
        "The budget for the new kitchen is 18,500 euros.",
        "What is the budget for my new kitchen?",
        "18,500|18.500|18500",
    ),
    ("My grandmother came from Tromsø.", "Where did my grandmother come from?", "troms"),
    ("I take the number 7 tram to work.", "Which tram do I take to work?", "7|seven"),
    ("My favourite composer is Clara Schumann.", "Who is my favourite composer?", "schumann"),
    ("The landlord's phone number ends in 8832.", "In which digits does my landlord's phone number end?", "8832"),
    ("We are going to paint the bedroom in sage green.", "In what colour will we paint the bedroom?", "sage"),
    ("My son Pieter starts school in Leiden next autumn.", "In which town does my son start school?", "leiden"),
    ("I finished reading The Leopard by Lampedusa yesterday.", "Which book did I finish reading?", "leopard"),
    ("The meeting with the notary is in room 3.14.", "In which room is the meeting with the notary?", "3.14"),
)
FILLERS = (
    (
        "Can you explain how a tide works?",
        "Tides rise and fall because the Moon's gravity pulls the water of the oceans.",
    ),
    (
        "What makes bread rise?",
        "Yeast feeds on sugar in the dough and gives off carbon dioxide, which is caught by gluten.",
    ),
    (
        "Why is the sky blue?",
        "Air scatters short wavelengths of sunlight more than long ones, so blue reaches us from everywhere.",
    ),
    (
        "How does a bicycle stay upright?",
        "Steering into a fall brings the wheels back under the rider; speed makes small corrections enough.",
    ),
    (
        "What does a compiler do?",
        "It reads source code, checks it and turns it into instructions that a processor can carry out.",
    ),
    (
        "How is paper made?",
        "Wood is boiled to pulp, spread out thinly on a sieve, pressed and dried between heated rollers.",
    ),
)
MORE = (
    " There is more to it, of course: the details depend on circumstances that differ from place to place, and people "
    "who have studied it for a long time still argue about the finer points. If you like, I can go into any part of it,"
    " give an example from everyday life, or compare it with something that works in a similar way."
)


def main() -> None:
    """Print what is not known any more, and how many of the facts are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=SIZES, default=SIZES[0])
    parser.add_argument("--window", type=int, default=4096)
    parser.add_argument("--no-tools", action="store_true", help="switch the tools off")
    options = parser.parse_args()
    asyncio.run(measure(options.model, options.window, tools=not options.no_tools))


async def measure(size: str, window: int, *, tools: bool) -> None:
    """One conversation, summarised as it grows, and each question asked at its end."""
    async with Engine(configured(size, window, tools=tools)) as engine:
        agent = (await engine.chat(Face(lambda news: None))).agent
        await talk(agent)
        right = 0
        for said, question, wanted in FACTS:
            text, called = await asked(agent, question)
            known = any(form in text.lower() for form in wanted.split("|"))
            right += known
            print(f"{'known' if known else 'LOST '} {question} {called} {' '.join(text.split())!r}", flush=True)
            if not known:
                print(f"      said: {said!r}", flush=True)
        print(f"{size}, window {window}, tools {'on' if tools else 'off'}: {right} of {len(FACTS)} facts known")


def configured(size: str, window: int, *, tools: bool) -> Configuration:
    """A Magpie of its own that knows no web and keeps nothing."""
    settings: dict[str, object] = {
        "backend": "embedded",
        "embedded.size": size,
        "context_window": window,
        "max_tokens": 200,
        "temperature": 0,
        "seed": 1,
        "private": True,
        "tools_enabled": tools,
        "search.engines": [],
        "search.news_engines": [],
    }
    return load_configuration(None, settings, {})


async def talk(agent: Agent) -> None:
    """The facts, one in every second turn, and compaction whenever it is due."""
    for turns in conversation_turns():
        for asked, answered in turns:
            add(agent.conversation, asked, answered)
        await compact_when_due(agent)
    await compact(agent)
    print(agent.conversation.compactions[-1].summary, flush=True)


def conversation_turns() -> list[list[tuple[str, str]]]:
    """Each fact with a turn about something else, and at the end three turns that no compaction touches."""
    turns = []
    for number, (said, _, _) in enumerate(FACTS):
        filler, answer = FILLERS[number % len(FILLERS)]
        turns.append([(said, "Thank you for telling me. What else can I do for you?"), (filler, answer + MORE)])
    return [*turns, [(f"Once more, please: {filler}", answer + MORE) for filler, answer in FILLERS[:3]]]


def add(conversation: Conversation, asked: str, answered: str) -> None:
    """A turn."""
    conversation.messages += [Message("user", asked), Message("assistant", answered)]


async def compact_when_due(agent: Agent) -> None:
    """As a question would have it done."""
    used = await agent.context_used()
    if used.total_tokens > 0.8 * used.window:
        await compact(agent)


async def compact(agent: Agent) -> None:
    """Summarise now, and say what it took."""
    began = time.monotonic()
    async for event in agent.compact_now():
        if isinstance(event, Notice):
            print(f"{event.text} ({time.monotonic() - began:.0f} s)", flush=True)


async def asked(agent: Agent, question: str) -> tuple[str, list[str]]:
    """The answer to a question and the tools called for it; afterwards the conversation is as it was."""
    conversation = agent.conversation
    before: Sequence[Message] = [*conversation.messages]
    text, called = "", []
    async with aclosing(agent.ask(question)) as events:
        async for event in events:
            text = event.text if isinstance(event, Answered) else text
            called += [event.call.name] if isinstance(event, ToolStarted) else []
    conversation.messages[:] = before
    return text, called


if __name__ == "__main__":
    main()

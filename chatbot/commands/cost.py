"""The command that tells what was spent."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Event, Listing, Notice
from chatbot.history.entries import TurnAnswered
from chatbot.settings import Price

if TYPE_CHECKING:
    from chatbot.conversation.usage import Usage
    from chatbot.engine.chat import Chat
    from chatbot.history.accounting import Spending

_MILLION = 1_000_000
_COLUMNS = ("", "model", "answers", "tokens in", "cached", "out")


@command()
async def usage(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Show what was spent: in the last turn, in this conversation, today and in all."""
    chats, prices = chat, chat.configuration.values.prices
    today = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    rows: list[tuple[str, ...]] = []
    if chats.begun:
        entries = (await chats.sessions.load(chats.session)).entries
        last = next((entry.value for entry in reversed(entries) if isinstance(entry.value, TurnAnswered)), None)
        if last is not None:
            rows.append(_spending_row("last answer", last.model, 1, last.usage, prices))
        rows += _spending_rows("this conversation", await chats.sessions.usage(session=chats.session), prices)
    rows += _spending_rows("today", await chats.sessions.usage(today), prices)
    rows += _spending_rows("in all", await chats.sessions.usage(), prices)
    if not rows:
        yield Notice("Nothing was asked yet, so nothing was spent.")
        return
    columns = (*_COLUMNS, "cost") if prices else _COLUMNS
    yield Listing("What was spent", columns, tuple(row[: len(columns)] for row in rows))


def _spending_rows(span: str, spent: "Sequence[Spending]", prices: Mapping[str, Price]) -> list[tuple[str, ...]]:
    """A row for each model, the days added up."""
    models = dict.fromkeys(each.model for each in spent)
    rows = []
    for number, model in enumerate(models):
        of_model = [each for each in spent if each.model == model]
        total = of_model[0].usage
        for each in of_model[1:]:
            total += each.usage
        rows.append(_spending_row("" if number else span, model, sum(each.answers for each in of_model), total, prices))
    return rows


def _spending_row(span: str, model: str, turns: int, spent: "Usage", prices: Mapping[str, Price]) -> tuple[str, ...]:
    tokens = (f"{spent.prompt_tokens:,}", f"{spent.cached_tokens:,}", f"{spent.reply_tokens:,}")
    return span, model, f"{turns:,}", *tokens, _format_cost(spent, prices.get(model))


def _format_cost(spent: "Usage", price: Price | None) -> str:
    if price is None:
        return ""
    return f"{(spent.prompt_tokens * price.prompt + spent.reply_tokens * price.reply) / _MILLION:.4f}"

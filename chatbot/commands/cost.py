"""The command that tells what was spent."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Event, Listing, Notice
from chatbot.conversation.usage import Usage
from chatbot.history.entries import TurnAnswered
from chatbot.library.progress import counted
from chatbot.models.backends import bare_name
from chatbot.settings import Price

if TYPE_CHECKING:
    from chatbot.config import Config
    from chatbot.engine.chat import Chat
    from chatbot.history.accounting import Spending

_MILLION = 1_000_000
_COLUMNS = ("", "model", "for", "tokens in", "cached", "written", "out", "cost")
_UNPRICED = "not priced"
_LEAST_SHOWN = 0.0001
PriceOf = Callable[[str], Price | None]


@command()
async def usage(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Show what was spent: in the last turn, in this conversation, today and in all, and on embedding the library."""
    chats, config = chat, chat.configuration.values
    today = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    rows: list[tuple[str, ...]] = []

    def price_of(model: str) -> Price | None:
        return find_price(model, config)

    if chats.begun:
        entries = (await chats.sessions.load(chats.session)).entries
        last = next((entry.value for entry in reversed(entries) if isinstance(entry.value, TurnAnswered)), None)
        if last is not None:
            cost = _cost(last.usage, price_of(last.model))
            rows.append(_spending_row("last answer", last.model, "1 answer", last.usage, cost))
        rows += _spending_rows("this conversation", await chats.sessions.usage(session=chats.session), price_of)
    rows += _spending_rows("today", await chats.sessions.usage(today), price_of)
    rows += _spending_rows("in all", await chats.sessions.usage(), price_of)
    if chat.library is not None:
        rows += _embedding_rows(await chat.library.count_tokens(), price_of)
    if not rows:
        yield Notice("Nothing was asked yet, so nothing was spent.")
        return
    priced = bool(config.prices or any(named.price for named in config.named_models.values()))
    shown = {"cost": priced, "written": any(row[_COLUMNS.index("written")] != "0" for row in rows)}
    kept = [place for place, name in enumerate(_COLUMNS) if shown.get(name, True)]
    title = "What was spent" if priced else "What was spent (no prices are set)"
    columns, *told = (tuple(row[place] for place in kept) for row in (_COLUMNS, *rows))
    yield Listing(title, columns, tuple(told))


def find_price(model: str, config: "Config") -> Price | None:
    """What a model costs that was known by a name: the price of the user's own name, else of the model itself."""
    named = config.named_models.get(model)
    if named is None:
        return _listed_price(model, config)
    return named.price or _listed_price(model, config) or _listed_price(named.model, config)


def _listed_price(model: str, config: "Config") -> Price | None:
    """By its whole name, or without its backend's before it."""
    return config.prices.get(model) or config.prices.get(bare_name(model))


def _spending_rows(span: str, spent: "Sequence[Spending]", price_of: PriceOf) -> list[tuple[str, ...]]:
    """Of each model a row for its answers and one for what stands beside them, the days added up; and one for all
    where there are several.
    """
    rows: list[tuple[str, ...]] = []
    costs: list[float | None] = []
    for model, beside in dict.fromkeys((each.model, bool(each.purpose)) for each in spent):
        alike = [each for each in spent if (each.model, bool(each.purpose)) == (model, beside)]
        total = _add_up(alike)
        costs.append(_cost(total, price_of(model)))
        rows.append(_spending_row("" if rows else span, model, _tell_purposes(alike), total, costs[-1]))
    if len(rows) > 1:
        known = [cost for cost in costs if cost is not None]
        rows.append(_spending_row("", "together", "all", _add_up(spent), sum(known) if known else None))
        if known and len(known) < len(costs):
            rows[-1] = (*rows[-1][:-1], f"{rows[-1][-1]} and what is {_UNPRICED}")
    return rows


def _embedding_rows(tokens: Mapping[str, int], price_of: PriceOf) -> list[tuple[str, ...]]:
    """A row for each model of a server that embedded the library."""
    rows: list[tuple[str, ...]] = []
    for model, count in tokens.items():
        # The settings' prices know models without their server.
        price = price_of(model) or price_of(model.rpartition("@")[0])
        spent = Usage(prompt_tokens=count)
        span = "" if rows else "library, in all"
        rows.append(_spending_row(span, model, "embedding", spent, _cost(spent, price)))
    return rows


def _add_up(spent: "Sequence[Spending]") -> Usage:
    return sum((each.usage for each in spent), Usage())


def _tell_purposes(spent: "Sequence[Spending]") -> str:
    """`3 answers`, or what was asked beside them: `ranking, titles`."""
    answers = sum(each.answers for each in spent)
    return counted(answers, "answer") if answers else ", ".join(sorted({each.purpose for each in spent}))


def _spending_row(span: str, model: str, purposes: str, spent: Usage, cost: float | None) -> tuple[str, ...]:
    counts = (spent.prompt_tokens, spent.cached_tokens, spent.written_tokens, spent.reply_tokens)
    return span, model, purposes, *(f"{count:,}" for count in counts), _format_cost(cost)


def _format_cost(cost: float | None) -> str:
    if cost is None:
        return _UNPRICED
    return f"under {_LEAST_SHOWN}" if 0 < cost < _LEAST_SHOWN / 2 else f"{cost:.4f}"


def _cost(spent: Usage, price: Price | None) -> float | None:
    """In the currency of the prices; None without one."""
    if price is None:
        return None
    cached = min(spent.cached_tokens, spent.prompt_tokens)
    written = min(spent.written_tokens, spent.prompt_tokens - cached)
    hour = min(spent.hour_tokens, written)
    of_cached = price.prompt if price.cached is None else price.cached
    of_written = price.prompt if price.written is None else price.written
    of_hour = of_written if price.written_hour is None else price.written_hour
    sent = (spent.prompt_tokens - cached - written) * price.prompt + cached * of_cached
    kept = (written - hour) * of_written + hour * of_hour
    return (sent + kept + spent.reply_tokens * price.reply) / _MILLION

"""The commands on reminders."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Event, Listing, Notice
from utils.errors import MagpieError

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat
    from chatbot.memory.reminders import Reminder

_REMINDERS_USAGE = "Write /reminders, /reminders cancel 2, /reminders off 2 or /reminders on 2."
# No reminder has a number of this many digits; Python refuses to read numbers of thousands.
_MAX_REMINDER_DIGITS = 10


@command(argument="<time> <text>")
async def remind(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Remind you of something, for instance: /remind tomorrow 9:00 call mum."""
    from chatbot.memory.reminder_time import told_time

    reminders = chat.reminders
    reminder = await reminders.add_reminder(argument)
    yield Notice(f"I will remind you {told_time(reminder.due, reminders.clock())}: {reminder.text}")


@command(argument="[cancel|off|on <number>]", aliases=("reminder",))
async def reminders(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """List the reminders to come; cancel one, or switch it off and on."""
    action, _, number = argument.partition(" ")
    if action:
        yield Notice(await _change_reminder(chat, action.lower(), number.strip()))
        return
    from chatbot.memory.reminder_time import told_time

    kept = chat.reminders
    listed = await kept.all_reminders()
    if not listed:
        yield Notice("There are no reminders. Set one, for instance: /remind tomorrow 9:00 call mum")
        return
    rows = tuple((str(one.number), told_time(one.due, kept.clock()), one.text, _reminder_state(one)) for one in listed)
    yield Listing("Reminders", ("", "due", "text", ""), rows)


def _reminder_state(one: "Reminder") -> str:
    return "told" if one.told else "" if one.active else "off"


async def _change_reminder(chat: "Chat", action: str, number: str) -> str:
    """Carry out what changes a reminder, and say what was done; raises a `MagpieError`."""
    if action not in ("cancel", "off", "on") or not number.isdecimal() or len(number) >= _MAX_REMINDER_DIGITS:
        raise MagpieError("That is no way to use /reminders.", _REMINDERS_USAGE)
    kept = chat.reminders
    if action == "cancel":
        return f"Cancelled: {(await kept.cancel_number(int(number))).text}"
    return f"Switched {action}: {(await kept.switch_reminder(int(number), on=action == 'on')).text}"

"""The tools of Magpie's own that a model can call: to add one, name it in `make_tools`."""

from chatbot.history.search.search_tool import EarlierAnswers
from chatbot.memory.facts import Memory
from chatbot.memory.reminders import Reminders
from chatbot.profiles.active import ActiveProfile
from tools.base import Tool, tool
from tools.calculate import calculate
from tools.date_and_time import DateAndTime
from tools.library_search import LibrarySearch
from tools.web.search import Web


def make_tools(
    web: Web,
    library: LibrarySearch | None,
    memory: Memory,
    reminders: Reminders,
    earlier: EarlierAnswers | None,
    profile: ActiveProfile,
) -> list[Tool]:
    """Every tool that the model can call: to add one, name it here."""
    tools = [tool(web.web_search), tool(web.news_search), tool(web.fetch_url_content)]
    tools += [tool(calculate), tool(DateAndTime().date_and_time), tool(profile.use_skill)]
    if library is not None:
        tools.append(tool(library.search_vector_db))
    if memory.writable:
        tools += [tool(memory.remember), tool(memory.forget)]
    if reminders.writable:
        tools += [tool(reminders.set_reminder), tool(reminders.list_reminders), tool(reminders.cancel_reminder)]
    if earlier is not None:
        tools.append(tool(earlier.search_history))
    return tools

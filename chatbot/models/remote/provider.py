"""What providers of servers of any API have in common: which model is begun with, and where it runs."""

from collections.abc import Sequence

from chatbot.models.base import readable_name
from chatbot.models.provider import ModelProvider, UnaskedChoice
from chatbot.models.remote.destination import Destination
from utils.errors import ModelNotFound

MOST_LISTED = 500
"""Models that are listed: a server can have any number, all of which can be named."""


class RemoteProvider(ModelProvider):
    """A provider whose models are on a server."""

    async def choose_among(self, names: Sequence[str], where: Destination, backend: str) -> str:
        """The last one used if it is there, else the first of a server on this machine, else the only one.

        Raises `ModelNotFound` where the user has to say which.
        """
        last = await self.around.state.last_used()
        if last in names:
            return last
        remedy = f"Name one: --model, or /model {backend}:NAME."
        if not names:
            raise ModelNotFound(f"{where.host} lists no model to chat with.", remedy)
        if len(names) > 1:
            if not where.endpoint.is_local:
                some = ", ".join(map(readable_name, names[:3]))
                raise ModelNotFound(f"{where.host} has {len(names)} models, such as {some}.", remedy)
            said = f"The model {readable_name(names[0])} is used; /model lists the others."
            self.around.tell_choice(UnaskedChoice(said, "/model lists others"))
        return names[0]

    def tell_elsewhere(self, where: Destination) -> str:
        """Where a model runs, where that is not this machine."""
        return "" if where.endpoint.is_local else f"runs at {where.host}"

"""What goes to a server that is not on this machine, said once a backend at its first use."""

from chatbot.models.provider import ModelSurroundings


async def disclose_once(around: ModelSurroundings, backend: str, host: str) -> None:
    """Tell the user, once and for all, that a backend sends to a host; a private run remembers only for itself."""
    if await around.state.note_disclosed(f"{backend} {host}"):
        around.tell(
            f"What you ask, the conversation and the passages found for it go to {host} from now on; "
            "/offline stops that."
        )

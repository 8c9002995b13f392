"""What goes to a server, said once a backend at its first use: questions elsewhere, and whose key goes where."""

from chatbot.models.provider import ModelSurroundings


async def disclose_once(around: ModelSurroundings, backend: str, host: str) -> None:
    """Tell the user, once and for all, that a backend sends to a host; a private run remembers only for itself."""
    if await around.state.note_disclosed(f"{backend} {host}"):
        around.tell(
            f"What you ask, the conversation and the passages found for it go to {host} from now on; "
            "/offline stops that."
        )


async def disclose_key_once(around: ModelSurroundings, backend: str, host: str, variable: str) -> None:
    """Tell the user, once and for all, that a key of the environment goes to a host that the settings name."""
    if await around.state.note_disclosed(f"{backend} {host} {variable}"):
        around.tell(
            f"The key in {variable} goes to {host}, which the settings name; {backend}.key_file names the file of "
            "another key for it."
        )

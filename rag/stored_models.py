"""What a library keeps of the models that embedded it, whatever it is kept in."""

from typing import Protocol


class StoredModels(Protocol):
    """Notes on embedding models and what they read; its methods block."""

    def count_texts(self) -> dict[str, int]:
        """How many texts have vectors, by the fingerprint of the model."""
        ...

    def read_note(self, name: str) -> str:
        """What was noted under a name; empty for nothing."""
        ...

    def write_note(self, name: str, text: str) -> None:
        """Note something under a name."""
        ...

    def add_tokens(self, model: str, tokens: int) -> None:
        """Add to what a model read for this library, by its name."""
        ...

    def count_tokens(self) -> dict[str, int]:
        """What models read for this library since it was begun, by their names."""
        ...

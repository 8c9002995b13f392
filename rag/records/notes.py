"""How a store names what it keeps of embedding models."""

NOTE = "note "
"""What the key of a note begins with."""
TOKENS_READ = "tokens "
"""The same of what counts a model's tokens."""

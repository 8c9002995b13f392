"""The library: documents in, passages out; it knows nothing of chat, tools or models."""

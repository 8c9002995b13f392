"""The terminal: the only importer of rich and prompt_toolkit."""

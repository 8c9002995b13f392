"""OpenAI's /v1/chat/completions as values, whoever speaks it: a server of the user's, or the engine of our own."""

"""Magpie over HTTP: an API of its own, and one in the form of OpenAI's."""

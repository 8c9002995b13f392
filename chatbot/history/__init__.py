"""Conversations kept on disk: they know nothing of agent, model or screen."""

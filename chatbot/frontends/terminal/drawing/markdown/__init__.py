"""Answers in Markdown: what in them is markup, where their blocks begin, how they are drawn."""

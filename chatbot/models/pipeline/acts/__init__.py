"""Wishes: what is remembered, forgotten and reminded of, put right, and told of it."""

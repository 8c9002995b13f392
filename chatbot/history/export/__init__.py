"""Conversations as documents of the user's, and back."""

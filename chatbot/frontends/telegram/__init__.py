"""Magpie as a Telegram bot."""

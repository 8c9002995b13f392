"""Mails, one a file or many."""

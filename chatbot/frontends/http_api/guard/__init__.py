"""Who is let in, and with how much."""

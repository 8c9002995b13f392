"""What is sent to a model: assembled against its context window, and made smaller where that is full."""

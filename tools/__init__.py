"""What the model can call; it knows nothing of the chat around it."""

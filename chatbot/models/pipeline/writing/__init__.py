"""What the model writes, and what of it is let through."""

"""What a message wants."""

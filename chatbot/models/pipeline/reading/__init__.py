"""What an answer is written from."""

"""What the words and the meaning of a question find, fused."""

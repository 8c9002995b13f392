"""What happens between a question and its answer."""

"""What holds a written sentence up to what was asked and to what the passages say."""

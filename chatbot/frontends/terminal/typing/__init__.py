"""What is typed, pasted and attached."""

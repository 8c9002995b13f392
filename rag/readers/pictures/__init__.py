"""Pictures, and the text in them."""

"""What goes to the Bot API and comes from it."""

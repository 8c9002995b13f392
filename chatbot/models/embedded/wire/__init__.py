"""What goes to the embedded engine and comes back, as values."""

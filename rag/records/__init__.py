"""What the backends of a library do alike: how records are checked, vectors stacked, and titles compared."""

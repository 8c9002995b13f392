"""What Magpie remembers of its user and reminds them of, when they ask for it."""

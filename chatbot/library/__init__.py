"""The chat's side of the library: what goes in, and how a search is worded."""

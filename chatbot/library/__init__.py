"""The chat's side of the library: what goes in and out, how it is listed, and how a search is worded."""

"""The tools that reach the web, and what they stand on."""

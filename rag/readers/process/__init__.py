"""The process in which files are read, and who keeps it."""

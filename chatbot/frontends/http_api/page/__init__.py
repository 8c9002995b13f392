"""The web page at `/`: its files, and the headers that keep anything else from running or being loaded in it."""

"""The browser of kept conversations."""

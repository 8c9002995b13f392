"""Pages whose text their scripts write: rendered by a Chromium that has no network, and whose requests Magpie makes."""

"""Plain text with marks of its own: reStructuredText, AsciiDoc, Org, subtitles."""

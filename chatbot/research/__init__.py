"""Research: a question taken apart, looked up piece by piece, and answered by a report that its sources say."""

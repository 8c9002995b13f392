"""`magpie research`: a question looked up piece by piece, and the report of it."""

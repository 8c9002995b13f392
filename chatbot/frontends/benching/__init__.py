"""`magpie bench-models`: how well models answer through Magpie, as a table for people or as JSON for programs."""

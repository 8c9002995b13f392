"""`magpie probe`: what a model can do, as a table for people or as JSON for programs."""

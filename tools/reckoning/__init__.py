"""Reading and working out arithmetic: numbers as people write them, expressions, units; knows nothing of models."""

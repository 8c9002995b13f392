"""Days, months and the tables of times in what is read."""

"""How many tokens a text has, where no server is asked."""

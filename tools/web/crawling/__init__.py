"""Going over a web site from one address: what is asked for, in what order, how fast, and what is remembered of it."""

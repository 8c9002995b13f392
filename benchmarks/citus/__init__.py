"""A library over Citus: a coordinator and workers on loopback, what is run on them and what is measured."""

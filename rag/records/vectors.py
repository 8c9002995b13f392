"""What is true of vectors in whatever a library is kept."""

UNIT = 1e-3
"""How far from 1 the length of a vector may be that a model gave; far more than rounding makes of it."""
SAMPLED = 50
"""Texts of which the shortest is the sample: a server that refuses long ones now still takes it in one piece."""

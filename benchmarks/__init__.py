"""Measurements of Magpie: they print numbers and never fail a build."""

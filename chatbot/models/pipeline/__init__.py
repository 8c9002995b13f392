"""A model that calls tools badly, served in steps that are small enough for it."""

"""Language models: one protocol and what stands behind it."""

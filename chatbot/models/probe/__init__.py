"""What a model can really do, found out by asking it; remembered, and used to choose how it is served."""

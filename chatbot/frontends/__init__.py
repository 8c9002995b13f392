"""The faces of Magpie: each renders the same events and holds no logic of its own."""

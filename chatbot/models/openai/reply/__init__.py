"""A streamed reply, from the bytes of the wire to pieces."""

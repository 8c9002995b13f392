"""What reaches the network, and all that keeps it from reaching further."""

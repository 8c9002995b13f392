"""What backends of servers that speak some API have in common."""

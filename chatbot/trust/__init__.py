"""What may leave this machine, and whose words a text is made of."""

"""What every server of Magpie's shares: where it listens, who is let in, how it ends."""

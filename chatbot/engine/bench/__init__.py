"""What `magpie bench-models` asks, the small web that it is asked of, and how the answers are checked."""

"""What is said, as plain values: they know nothing of servers, disk or screen."""

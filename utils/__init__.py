"""What every part may use: errors, paths, text, HTTP; it knows nothing of the parts."""

"""What goes with a question: files, folders and pages of the web that it names."""

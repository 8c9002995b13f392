"""What the pages and maps of a web site say of its other pages."""

"""ZIM archives: an encyclopaedia, or a site, in one file, searched and read without a network."""

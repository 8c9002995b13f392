"""What is known of languages: which one a text is in, and how it writes numbers and times."""

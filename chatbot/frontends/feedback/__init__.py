"""`magpie feedback`: what was said of answers, for the fitting of the small decisions."""

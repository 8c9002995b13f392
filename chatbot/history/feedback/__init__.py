"""What users say of answers: kept with the turn, and written out for the fitting of the small decisions."""

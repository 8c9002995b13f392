"""Which sentence of some passages answers a question: by fitted weights, and by the model's choice among a few."""

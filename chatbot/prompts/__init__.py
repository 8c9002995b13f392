"""The words that models and users are told, and what reads them."""

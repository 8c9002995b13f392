"""Models that an Ollama server runs."""

"""The model that Magpie runs itself, in a process of llama.cpp."""

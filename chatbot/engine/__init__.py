"""Where the parts meet: a configuration becomes a model, tools, a library, and a conversation."""

"""Tools of other programs and servers, over the Model Context Protocol; knows nothing of the chat."""

"""Tables of what was read: which row, column or cell of them a question asks for."""

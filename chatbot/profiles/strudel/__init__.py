"""Whether code is valid Strudel: JavaScript that can be read, with patterns in its mini-notation."""

"""What office programs write: texts, tables and slides."""

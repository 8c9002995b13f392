"""Magpie's library and web search for any client of the Model Context Protocol; the only importer of its SDK here."""

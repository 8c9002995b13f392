"""The library on the command line: `magpie rag ingest` and its siblings, plain text or JSON for people and scripts."""

"""The paths of the API, a module a subject."""

"""The command line: arguments become a configuration, a chat is built, one front end runs."""

import sys


def main() -> int:
    """Run Magpie; the process's exit code."""
    sys.stderr.write("Nothing here yet.\n")
    return 1

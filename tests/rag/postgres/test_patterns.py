import re

import pytest

from rag.postgres.patterns import glob_to_regex


@pytest.mark.parametrize(
    ("pattern", "found", "other"),
    [
        ("/birds/*.md", "/birds/old/a.md", "/birds/a.mdx"),
        ("a?c", "a\nc", "ac"),
        ("[ab].md", "a.md", "c.md"),
        ("[^ab].md", "c.md", "a.md"),
        ("[]x]", "]", "y"),
        ("a[b", "a[b", "ab"),
        ("(a|b)+{2}$^\\", "(a|b)+{2}$^\\", "a"),
        ("Äö ß", "Äö ß", "Äö"),
        ("[a-c]", "b", "-"),
    ],
)
def test_a_pattern_finds_the_whole_name_and_nothing_else(pattern: str, found: str, other: str) -> None:
    made = re.compile(glob_to_regex(pattern), re.DOTALL)
    assert made.search(found) and not made.search(other)

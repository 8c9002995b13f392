"""Where tests find the checkout, and the collections that lie beside it in our own clone."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
FAKES = ROOT / "tests" / "fakes"
SHARED = ROOT.parent / "shared"
"""Missing in other clones: what needs it is skipped there."""

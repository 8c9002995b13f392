import json
import stat
from pathlib import Path

from tools.mcp_client.auth.tokens import SignedIn, Tokens

URL = "https://tickets.example/mcp"
KEPT = SignedIn(URL, {"access_token": "a", "refresh_token": "r"}, 12.5, {"client_id": "c"}, {"issuer": "i"})


def test_what_is_kept_is_there_in_the_next_run_for_the_same_address_alone(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "tokens.json"
    Tokens(path).keep_signed_in("tickets", KEPT)
    Tokens(path).keep_signed_in("other", SignedIn("https://other.example/"))
    assert Tokens(path).read_signed_in("tickets", URL) == KEPT
    assert Tokens(path).read_signed_in("tickets", "https://evil.example/mcp") == SignedIn("https://evil.example/mcp")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_private_run_knows_what_came_in_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    private = Tokens(path, read_only=True)
    private.keep_signed_in("tickets", KEPT)
    assert private.read_signed_in("tickets", URL) == KEPT
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    for text in (
        "{",
        "[]",
        json.dumps({"tickets": []}),
        json.dumps({"tickets": {"surprise": 1}}),
        "\x00",
        "[" * 100_000,
    ):
        path.write_text(text)
        assert Tokens(path).read_signed_in("tickets", URL) == SignedIn(URL)

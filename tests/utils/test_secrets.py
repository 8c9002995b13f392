"""What looks like a secret is found, in a time that grows with the text and not with its square."""

import re
import time

import pytest

from tests.fakes.growth import grows_too_fast
from tests.fakes.hostile_texts import hostile_units
from utils import secrets
from utils.secrets import BEHIND, environment_secrets, hide_learnt, learn_named, redact_secrets, secrets_in

MAIL = "odile.renard+lighthouse@mail.example.org"
JOINED = [("", "sk-"), ("", "eyJ-"), ("", "-eyJ"), ("", "ab1c2d3e4 "), ("", f"{'a' * 64}@{'1.' * 120}")]


@pytest.mark.parametrize(
    "secret",
    [
        MAIL,
        "sk-proj-4f9a8b7c6d5e4f9a8b7c",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def",
        "123e4567-e89b-12d3-a456-426614174000",
        "-----BEGIN RSA PRIVATE KEY-----",
        "DE89 3704 0044 0532 0130 00",
        "q7Zk2Lm9Xw4Rt1",
    ],
)
def test_a_secret_is_found_by_its_form_wherever_it_stands(secret: str) -> None:
    long = "words and more words, " * 50
    assert secrets_in(f"{long}{secret} {long}") == [secret]
    assert secret not in redact_secrets(f"so: {secret} {long}", 500)


def test_a_secret_across_the_end_of_what_is_kept_is_not_cut_in_two() -> None:
    text = f"{'word ' * 20}{MAIL} and more"
    for longest in range(90, 150):
        assert "odile" not in redact_secrets(text, longest)
    assert redact_secrets("short", 5) == "short"
    assert redact_secrets("longer", 5) == "longe…"


def test_a_known_secret_longer_than_what_is_read_behind_the_end_is_not_cut_in_two() -> None:
    block = " ".join(f"line{number}" for number in range(2 * BEHIND))
    learn_named({"PRIVATE_KEY": block})
    assert "line1 " not in redact_secrets(f"{'word ' * 20}{block} and more", 150)


def test_what_is_taken_grows_with_the_text_and_not_with_its_square() -> None:
    patterns = [value for value in vars(secrets).values() if isinstance(value, re.Pattern)]
    units = dict.fromkeys([*JOINED, *(unit for pattern in patterns for unit in hostile_units(pattern))])
    assert [(before, unit) for before, unit in units if grows_too_fast(read_and_redact, unit, before)] == []


def read_and_redact(text: str) -> None:
    secrets_in(text)
    redact_secrets(text, len(text))


def test_what_is_cut_off_costs_no_time() -> None:
    # The best of some: what else the machine does is no cost of theirs.
    short, long = (min(cut(text) for _ in range(20)) for text in ("a1" * 5_000, "a1" * 5_000_000))
    assert long < 20 * short


def cut(text: str) -> float:
    begun = time.thread_time()
    redact_secrets(text, 2_000)
    return time.thread_time() - begun


def test_of_a_servers_values_those_are_learnt_whose_name_or_form_says_that_they_are_secret() -> None:
    learn_named({"Authorization": "Bearer gorse-and-linnet", "ROOT": "/home/me/notes", "x": "sk-linnet-4Tn8Rb35Vc62"})
    said = "gorse-and-linnet and sk-linnet-4Tn8Rb35Vc62 in /home/me/notes"
    assert hide_learnt(said) == "… and … in /home/me/notes"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("GIT_AUTHOR_NAME", "Ann Bergström", "by Ann Bergström"),
        ("AUTHOR", "Bergström", "by Bergström"),
        ("GIT_AUTHOR_EMAIL", "ann@mail.example.org", "mail of ann@mail.example.org"),
        ("AUTH_USER", "ann@mail.example.org", "mail of ann@mail.example.org"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/home/ann/sa-1a2b3c4d5e.json", "no /home/ann/sa-1a2b3c4d5e.json"),
        ("KEYWORDS", "herons, bitterns", "herons, bitterns nest here"),
        ("PASSPHRASE", "gorse and bullfinch", "a bullfinch sings"),
    ],
)
def test_what_is_no_secret_stays_in_what_a_server_says(name: str, value: str, said: str) -> None:
    learn_named({name: value})
    assert hide_learnt(said) == said


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("Authorization", "Basic gannet-and-fulmar", "gannet-and-fulmar"),
        ("authorization", "token skua-and-petrel", "skua-and-petrel"),
        ("AUTHORISATION", "auk-and-guillemot", "auk-and-guillemot"),
        ("BANK_PASSPHRASE", "puffin and razorbill", "puffin and razorbill"),
        ("DATABASE_URL", "postgres://ann:kittiwake-tern@db.example.org/notes", "kittiwake-tern"),
    ],
)
def test_what_is_a_secret_is_hidden_in_what_a_server_says(name: str, value: str, secret: str) -> None:
    learn_named({name: value})
    assert secret not in hide_learnt(f"refused: {secret} is wrong")


def test_an_authors_name_in_the_environment_is_no_secret_and_an_authorization_is() -> None:
    assert environment_secrets({"AUTHOR": "Bergström", "AUTHORIZATION": "kittiwake"}) == {"AUTHORIZATION": "kittiwake"}

"""What asks for leave, and what gives or refuses it."""

import pytest

from chatbot.models.pipeline.leave import asks_leave, speaks_of_leave


@pytest.mark.parametrize(
    ("english", "asks"),
    [
        ("May my sister's twins come along?", True),
        ("Can I take my parrot with me?", True),
        ("Can our dog sleep in the room?", True),
        ("Is smoking allowed?", True),
        ("May Jo play on the 20th of May?", True),
        ("May Day on the Mall is when?", False),
        ("Is my daughter (12) allowed to climb there alone?", True),
        ("Could my wife collect the parcel for me?", True),
        ("Can we take our old dog?", True),
        ("We'd like to get a dog.. allowed?", True),
        ("dogs allowed?", True),
        ("How many dogs are allowed?", False),
        ("max weight allowed?", False),
        ("Can I take my medicine with milk?", False),
        ("Can my child use ibuprofen at night?", False),
        ("Can my phone play music?", False),
        ("Can my dog eat grapes?", False),
        ("Can I take it that you agree?", False),
        ("May I see the menu?", False),
        ("When may we come?", False),
    ],
)
def test_who_asks_for_leave_asks_what_somebody_has_ruled(english: str, asks: bool) -> None:
    assert asks_leave(english) is asks


@pytest.mark.parametrize(
    "rule",
    [
        "Dogs may sleep in the porch only.",
        "Kinder klettern nur in Begleitung.",
        "Les chiens sont interdits.",
        "Se permite hacer fotos.",
    ],
)
def test_a_rule_is_known_by_its_words(rule: str) -> None:
    assert speaks_of_leave(rule)
    assert not speaks_of_leave("The porch is new.")

import pytest

from chatbot.models.pipeline.writing.checks.yes_no_cells import contradicts_cell, plain_word
from rag.chunking.tables import table_rows

COVER = (
    "## Cover\n| Case | Covered | Excess |\n|---|---|---|\n| Breakage, packed | yes, up to £900 | £50 |\n"
    "| Breakage, not packed | no | - |"
)
LOCKED = "Cover – Case: Breakage, packed, Covered: yes, up to £900, Excess: £50"
OPEN = "Cover – Case: Breakage, not packed, Covered: no, Excess: -"
HOURS = "| Jour | Ouverture |\n|---|---|\n| Mardi | 9 h - 12 h |\n| Jeudi | fermé |"
SHUT = "Jour: Jeudi, Ouverture: fermé"
LINES = "| Stop | Line |\n|---|---|\n| Mill | No. 4 |"
PLANS = "| Feature | Free plan | Paid plan |\n|---|---|---|\n| Export | ✗ | ✓ |"
EXPORT = "Feature: Export, Free plan: ✗, Paid plan: ✓"


@pytest.mark.parametrize(
    ("quote", "question", "sentence", "contradicts"),
    [
        (OPEN, "Am I covered if it was not packed?", "The vase is covered if it was not packed.", True),
        (OPEN, "Am I covered if it was not packed?", "The vase is not covered if it was not packed.", False),
        (OPEN, "Am I covered if it was not packed?", "No, you are covered only if it was packed.", False),
        (
            OPEN,
            "Suis-je couvert s'il est sans emballage fermé ?",
            "Le vase est couvert s'il est sans emballage fermé.",
            True,
        ),
        (OPEN, "Bin ich versichert, wenn es nicht verpackt war?", "Nein, das ist nicht versichert.", False),
        (OPEN, "What is the excess if it was not packed?", "The excess is £50.", True),
        (LOCKED, "Am I covered if it was packed?", "The vase is covered up to £900.", False),
        (LOCKED, "Am I covered if it was packed?", "It is not covered.", True),
        (EXPORT, "Can I export with the free plan?", "The free plan has export.", True),
        (EXPORT, "Can I export with the paid plan?", "The paid plan has export.", False),
        (EXPORT, "Is there export?", "There is no export.", False),
        ("Stop: Mill, Line: No. 4", "Which line goes to the mill?", "The line to the mill is the fourth.", False),
        (SHUT, "La halle est ouverte le jeudi ?", "La halle est ouverte le jeudi.", True),
        (SHUT, "La halle est ouverte le jeudi ?", "La halle est fermée le jeudi.", False),
        (SHUT, "La halle est ouverte le jeudi ?", "Non, elle n'est pas ouverte.", False),
        (SHUT, "La halle est fermée le jeudi ?", "La halle est fermée le jeudi.", False),
        ("Jour: Mardi, Ouverture: 9 h - 12 h", "La halle est ouverte le mardi ?", "Elle est ouverte le mardi.", False),
        ("Some other sentence.", "Am I covered?", "You are covered.", False),
    ],
)
def test_a_cell_for_yes_or_no_is_not_read_as_its_contrary(
    quote: str, question: str, sentence: str, contradicts: bool
) -> None:
    row = next((row for text in (COVER, PLANS, LINES, HOURS) for row in table_rows(text) if row.spoken == quote), None)
    assert contradicts_cell(row, sentence, question) == contradicts


@pytest.mark.parametrize(
    ("quote", "question", "english", "language", "word"),
    [
        (OPEN, "Am I covered if it was not packed?", "Am I covered if it was not packed?", "en", "No. "),
        (OPEN, "Suis-je couvert s'il n'est pas emballé ?", "Am I covered if it is not packed?", "fr", "Non. "),
        (LOCKED, "Bin ich versichert?", "Am I insured?", "de", "Ja. "),
        (OPEN, "Is it excluded?", "Is it excluded?", "en", ""),
        (EXPORT, "Is there export?", "Is there export?", "en", ""),
        (EXPORT, "Hat der kostenlose Plan Export?", "Does the free plan have export?", "de", "Nein. "),
        ("Stop: Mill, Line: No. 4", "Is it line 4?", "Is it line 4?", "en", ""),
        (SHUT, "La halle est ouverte le jeudi ?", "Is the hall open on Thursday?", "fr", "Non. "),
        (SHUT, "La halle est fermée le jeudi ?", "Is the hall closed on Thursday?", "fr", ""),
    ],
)
def test_a_row_that_says_yes_or_no_is_quoted_behind_that_word(
    quote: str, question: str, english: str, language: str, word: str
) -> None:
    row = next((row for text in (COVER, PLANS, LINES, HOURS) for row in table_rows(text) if row.spoken == quote), None)
    assert plain_word(row, question, english, language) == word

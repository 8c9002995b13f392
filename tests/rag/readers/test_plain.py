"""Plain text with a bill in it."""

import pytest

from rag.readers.plain import join_amounts, read_plain

BILL = """Orchard Tools

  2 spades at 14.50          29.00 €
  Rope, 20 m ............... 8.90 €
                           --------
  Total                      37.90 €

Pay by 3 May, or come to the desk."""


def test_each_amount_that_stands_apart_is_told_with_what_it_is_for() -> None:
    title, text = read_plain(BILL.replace("2 spades", "Spades, 2").encode(), "/tmp/bill.txt")
    assert title == "bill.txt"
    assert text == (
        "Orchard Tools\n\n- Spades, 2 at 14.50: 29.00 €\n- Rope, 20 m: 8.90 €\n- Total: 37.90 €\n\n"
        "Pay by 3 May, or come to the desk."
    )


def test_amounts_of_thousands_and_lines_that_begin_with_a_number_are_of_the_bill() -> None:
    bill = "Facture\n=====\nLoyer      1 250,00 €\n2 x Garage   70,00 €\n-----\nTotal      1 320,00 €"
    assert join_amounts(bill) == "Facture\n=====\n- Loyer: 1 250,00 €\n- 2 x Garage: 70,00 €\n- Total: 1 320,00 €"


@pytest.mark.parametrize(
    "text",
    [
        "Two spaces  12\nare no bill.",
        "width    12\nheight   14",
        "He came in 1912.\nHe left in 1913.\nHe died in 1914.",
        "Name        Town\nAda Reed    Vellin\nBo Lund     Orla\nCleo M.     Vellin",
        "-----\n\nA letter.\n\n-----",
        "Chapter 1 ........ 5\nChapter 2 ....... 17\nChapter 3 ....... 31",
        "Rovers    12   8   1\nTown      11   7   2\nUnited    10   6   3",
    ],
)
def test_what_is_no_bill_stays_as_it_is(text: str) -> None:
    assert join_amounts(text) == text


def test_a_file_that_a_program_reads_stays_as_it_is() -> None:
    table = "a    1\nb    2\nc    3\n"
    assert read_plain(table.encode(), "/tmp/values.ini") == ("values.ini", table)

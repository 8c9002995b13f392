"""Tables of pages without names of columns."""

import pytest

from rag.chunking.tables import table_rows
from rag.readers.html import read_html

TEXT = "It stands on the quay, was built by hand by two brothers, and is lent to anyone who asks at the desk for it."


def rows_of(table: str) -> list[str]:
    page = f"<html><head><title>Boat</title></head><body><article><h1>Boat</h1><p>{TEXT}</p>{table}<p>{TEXT}</p>"
    return [row.spoken for row in table_rows(read_html(f"{page}</article></body></html>".encode(), "boat")[1])]


def test_a_table_of_properties_loses_none() -> None:
    table = "<table><tr><th>Weight</th><td>640 kg</td></tr><tr><th>Mast</th><td>pine</td></tr></table>"
    assert rows_of(table) == ["Boat – Weight: 640 kg", "Boat – Mast: pine"]


def test_so_does_a_list_of_prices_in_plain_cells() -> None:
    table = "<table><tr><td>Adults</td><td>£8</td></tr><tr><td>Children</td><td>£4</td></tr></table>"
    assert rows_of(table) == ["Boat – Adults: £8", "Boat – Children: £4"]


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("<tr><th>Who</th><th>Price</th></tr><tr><td>Adults</td><td>£8</td></tr>", ["Who: Adults, Price: £8"]),
        ("<thead><tr><th>Who</th><td>Cost</td></tr></thead><tr><td>Ada</td><td>£8</td></tr>", ["Who: Ada, Cost: £8"]),
        (
            "<tr><td>Who</td><td>Price 2026</td><td>Price 2027</td></tr><tr><td>Ada</td><td>£8</td><td>£9</td></tr>",
            ["Who: Ada, Price 2026: £8, Price 2027: £9"],
        ),
        (
            "<tr><td><b>Day</b></td><td><b>Hours</b></td></tr><tr><td>Monday</td><td>closed</td></tr>",
            ["Day: Monday, Hours: closed"],
        ),
        (
            "<tr><td></td><td>8:00</td><td>9:00</td></tr><tr><td>Mon</td><td>Maths</td><td>Art</td></tr>",
            ["Mon, 8:00: Maths, 9:00: Art"],
        ),
        (
            "<tr><td>Zone</td><td>to 2 kg</td><td>to 5 kg</td></tr><tr><td>Here</td><td>9 €</td><td>14 €</td></tr>",
            ["Zone: Here, to 2 kg: 9 €, to 5 kg: 14 €"],
        ),
        (
            "<tr><th>Year</th><td>2024</td><td>2025</td></tr><tr><th>Guests</th><td>500</td><td>612</td></tr>",
            ["Year: Guests, 2024: 500, 2025: 612"],
        ),
        (
            "<tr><th>Name</th><td>Room</td><td>Phone</td></tr><tr><td>Ada</td><td>12</td><td>77</td></tr>",
            ["Name: Ada, Room: 12, Phone: 77"],
        ),
    ],
)
def test_names_of_columns_are_these(table: str, rows: list[str]) -> None:
    assert rows_of(f"<table>{table}</table>") == [f"Boat – {row}" for row in rows]


@pytest.mark.parametrize(
    "cells",
    [
        [("Monday", "closed"), ("Tuesday", "9-5")],
        [("Montag:", "Ruhetag"), ("Dienstag:", "10-18 Uhr")],
        [("Address", "High Street"), ("Director", "Jane Miller")],
        [("Built", "1901"), ("Height", "30 m")],
        [("Lundi", "fermé", "fermé"), ("Mardi", "9h-12h", "14h-18h")],
    ],
)
def test_what_may_be_data_is_lost_to_no_names_of_columns(cells: list[tuple[str, ...]]) -> None:
    table = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
    told = [": ".join(row) if len(row) == 2 else ", ".join(row) for row in cells]
    assert rows_of(f"<table>{table}</table>") == [f"Boat – {row}" for row in told]


def test_hours_in_plain_cells_are_no_names_of_columns() -> None:
    table = (
        "<table><tr><td>Monday</td><td>9:00</td><td>17:30</td></tr><tr><td>Friday</td><td>10:00</td><td>16:00</td></tr>"
    )
    assert rows_of(f"{table}</table>") == ["Boat – Monday, 9:00, 17:30", "Boat – Friday, 10:00, 16:00"]


def test_a_table_that_lays_out_a_page_is_none_of_data() -> None:
    table = f"<table><tr><td>Home</td></tr><tr><td>{TEXT * 3}</td><td>{TEXT}</td></tr></table>"
    assert rows_of(table) == []


def test_rows_that_are_named_below_an_empty_corner_keep_their_columns() -> None:
    table = (
        "<table><tr><th></th><td>Adults</td><td>Children</td></tr><tr><th>Day</th><td>£8</td><td>£4</td></tr></table>"
    )
    assert rows_of(table) == ["Boat – Day, Adults: £8, Children: £4"]

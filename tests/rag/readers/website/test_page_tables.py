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
    "head",
    [
        "<tr><th>Who</th><th>Price</th></tr>",
        "<tr><td>Who</td><td>Price</td></tr>",
        "<tr><td>Who</td><td>Price 2026</td></tr>",
        "<thead><tr><th>Who</th><td>Price</td></tr></thead>",
    ],
)
def test_names_of_columns_stay_these(head: str) -> None:
    price = "Price 2026" if "2026" in head else "Price"
    assert rows_of(f"<table>{head}<tr><td>Adults</td><td>£8</td></tr></table>") == [f"Boat – Who: Adults, {price}: £8"]


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

from rag.chunking.tables import speak_tables, table_rows

TABLE = """# Museum

Open all year.

## Opening hours

| Day | Opens | Closes |
|:---|---|---:|
| Friday | 10:00 | 21:00 |
| Monday | | closed |

Last admission at 20:00 | ask at the desk."""


def test_a_row_says_what_its_columns_are_and_which_heading_it_stands_below() -> None:
    assert [row.spoken for row in table_rows(TABLE)] == [
        "Opening hours – Day: Friday, Opens: 10:00, Closes: 21:00",
        "Opening hours – Day: Monday, Closes: closed",
    ]


def test_what_is_no_table_stays_as_it_is() -> None:
    assert speak_tables(TABLE).startswith(
        "# Museum\n\nOpen all year.\n\n## Opening hours\n\nOpening hours – Day: Friday"
    )
    assert speak_tables(TABLE).endswith("\n\nLast admission at 20:00 | ask at the desk.")
    loose = "| a | b |\n| c | d |"
    assert (speak_tables(loose), table_rows(loose)) == (loose, [])


def test_a_table_without_a_heading_and_with_rows_of_other_lengths_is_spoken_as_far_as_it_goes() -> None:
    rows = table_rows("| A | B |\n|---|---|\n| 1 |\n| 2 | 3 | 4 |\n")
    assert [row.spoken for row in rows] == ["A: 1", "A: 2, B: 3"]

"""Headings that the main text of a page has lost."""

from rag.chunking.tables import table_rows
from rag.readers.html import read_html

TEXT = "The depot takes what the bins do not, from anyone who lives between the canal and the hills of the north."
PAGE = f"""<html><head><title>Depot</title></head><body><div id="wrap"><div class="menu"><h2>Menu</h2><a
href="/">Home</a></div><div class="row"><div class="col-8"><h1>The depot</h1><p>{TEXT}</p>
<h2>When it is open</h2>
<p>Monday to Friday from 9:00 to 16:30,<br>on Saturdays from 9:00 to 15:00 and never on Sundays.</p>
<h2>Fees</h2><h3>At the gate</h3><table><thead><tr><th>Item</th><th>With card</th></tr></thead>
<tbody><tr><td>Freezer</td><td>£7</td></tr><tr><td>Mattress</td><td>£5</td></tr></tbody></table>
<p>Freezers must be empty and defrosted before they come, and vans have to be announced a day ahead by telephone.</p>
</div></div></div></body></html>"""


def test_each_part_of_a_page_that_does_not_say_where_its_main_text_is_keeps_its_headings() -> None:
    _, text = read_html(PAGE.encode(), "https://depot.test/")
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    assert [line for line in lines if line.startswith("#")] == [
        "# The depot",
        "## When it is open",
        "## Fees",
        "### At the gate",
    ]
    assert lines[lines.index("### At the gate") + 1].startswith("| Item")
    assert lines[lines.index("## When it is open") + 1].startswith("Monday to Friday")


def test_a_heading_that_the_text_has_is_not_put_there_once_more() -> None:
    article = PAGE.replace('<div class="col-8">', "<article>").replace("</div></div></div></body>", "</article></body>")
    _, text = read_html(article.encode(), "https://depot.test/")
    assert text.count("When it is open") == text.count("## Fees") == 1


def test_headings_of_what_is_no_main_text_stay_out() -> None:
    assert "Menu" not in read_html(PAGE.encode(), "https://depot.test/")[1]


def test_parts_that_begin_alike_have_each_its_own_heading() -> None:
    hours = "<table><tr><th>Day</th><th>Hours</th></tr><tr><td>Monday</td><td>{}</td></tr></table>"
    told = "".join(
        f"<h2>{name}</h2>{hours.format(told)}"
        for name, told in (("Library", "9-17"), ("Pool", "6-21"), ("Town hall", "8-12"))
    )
    page = f"<html><head><title>Town</title></head><body><div><p>{TEXT}</p>{told}<p>{TEXT * 2}</p></div></body></html>"
    rows = [row.spoken for row in table_rows(read_html(page.encode(), "town")[1])]
    assert rows == [
        "Library – Day: Monday, Hours: 9-17",
        "Pool – Day: Monday, Hours: 6-21",
        "Town hall – Day: Monday, Hours: 8-12",
    ]


def test_a_heading_stands_above_the_table_whose_columns_have_no_names() -> None:
    table = "<table><tr><td>Adults from 18</td><td>5 €</td></tr><tr><td>Children</td><td>3 €</td></tr></table>"
    told = f"<p>{TEXT}</p><h2>Prices of tickets</h2>{table}<p>{TEXT * 2}</p>"
    page = f"<html><head><title>Town</title></head><body><div>{told}</div></body></html>"
    rows = [row.spoken for row in table_rows(read_html(page.encode(), "town")[1])]
    assert rows == ["Prices of tickets – Adults from 18: 5 €", "Prices of tickets – Children: 3 €"]


def test_what_stands_in_no_element_that_is_shown_is_no_heading() -> None:
    hidden = "<template><h2>Gone</h2></template><!-- <h2>Never</h2> --><h2> </h2>"
    _, text = read_html(PAGE.replace("<h2>Fees</h2>", f"{hidden}<h2>Fees</h2>").encode(), "https://depot.test/")
    assert "## Fees" in text and "Gone" not in text and "Never" not in text

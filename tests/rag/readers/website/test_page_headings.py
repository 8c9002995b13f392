"""Headings that the main text of a page has lost."""

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

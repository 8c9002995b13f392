"""Files of office programs, mails and texts with marks of their own, as those who write them make them."""

import datetime
import io
from email.message import EmailMessage

import openpyxl
import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.fakes.site import pdf_file

OFFICE = "urn:oasis:names:tc:opendocument:xmlns"
NAMESPACES = " ".join(
    f'xmlns:{name}="{OFFICE}:{kind}:1.0"'
    for name, kind in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
        ("presentation", "presentation"),
        ("manifest", "manifest"),
    )
)
META = f"""<office:document-meta {NAMESPACES} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta>
<dc:title>Birds of the Shore</dc:title></office:meta></office:document-meta>"""
ODT_BODY = """<office:text><text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>
<text:h text:outline-level="1">Herons</text:h>
<text:p>They <text:span>wait</text:span><text:s text:c="2"/>for<text:line-break/>fish<text:note><text:note-citation>1
</text:note-citation><text:note-body><text:p>Mostly.</text:p></text:note-body></text:note>.</text:p>
<text:list><text:list-item><text:p>grey</text:p><text:list><text:list-item><text:p>young</text:p></text:list-item>
</text:list></text:list-item><text:list-item><text:p>purple</text:p></text:list-item></text:list>
<text:section><text:h text:outline-level="2">Nests</text:h></text:section>
<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>bird</text:p></table:table-cell>
<table:table-cell><text:p>eggs | year</text:p></table:table-cell></table:table-row></table:table-header-rows>
<table:table-row><table:table-cell><text:p>heron</text:p></table:table-cell>
<table:table-cell><text:p>3</text:p></table:table-cell></table:table-row></table:table>
<text:p><draw:frame><draw:text-box><text:p>In a frame.</text:p></draw:text-box></draw:frame></text:p></office:text>"""
ODS_BODY = """<office:spreadsheet><table:table table:name="Birds">
<table:table-row><table:table-cell><text:p>bird</text:p></table:table-cell>
<table:table-cell><text:p>eggs</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16382"/>
</table:table-row><table:table-row table:number-rows-repeated="2"><table:table-cell><text:p>heron</text:p>
</table:table-cell><table:table-cell><text:p>3</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="1048573"><table:table-cell table:number-columns-repeated="16384"/>
</table:table-row></table:table></office:spreadsheet>"""
ODP_BODY = """<office:presentation><draw:page><draw:frame presentation:class="title"><draw:text-box>
<text:p>Herons</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:list><text:list-item>
<text:p>grey</text:p></text:list-item><text:list-item><text:p>purple</text:p></text:list-item></text:list>
</draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>Speak slowly.</text:p>
</draw:text-box></draw:frame></presentation:notes></draw:page><draw:page><draw:frame><draw:text-box>
<text:p>The end.</text:p></draw:text-box></draw:frame></draw:page></office:presentation>"""


def xlsx_file(title: str = "") -> bytes:
    """Two sheets and a hidden one: a title over a table, a second table, and a day, a share and a truth."""
    book = openpyxl.Workbook()
    book.properties.title = title
    birds = book.active
    birds.title = "Birds"
    rows = (("Birds of the shore",), (), ("", "bird", "eggs | year", "found"))
    for row in (*rows, ("", "heron", 0.1 + 0.2, datetime.datetime(2026, 11, 25)), ("", "gull", 3, True)):
        birds.append(row)
    birds["B8"], birds["C8"], birds["B9"], birds["C9"] = "place", "share", "lake", 0.25
    birds["C9"].number_format = "0%"
    secret = book.create_sheet("Secret")
    secret.append(("hidden",))
    secret.sheet_state = "hidden"
    book.create_sheet("Empty")
    book.create_sheet("Nests").append(("high up",))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def pptx_file(title: str = "") -> bytes:
    """A title, a list, a table, a chart and notes; one slide is hidden."""
    show = pptx.Presentation()
    show.core_properties.title = title
    opening = show.slides.add_slide(show.slide_layouts[0])
    opening.shapes.title.text, opening.placeholders[1].text = "Herons", "A talk"
    points = show.slides.add_slide(show.slide_layouts[1])
    points.shapes.title.text = "Kinds"
    frame = points.placeholders[1].text_frame
    frame.text = "grey"
    young = frame.add_paragraph()
    young.text, young.level = "young", 1
    frame.add_paragraph().text = "purple"
    points.notes_slide.notes_text_frame.text = "Speak slowly."
    numbers = show.slides.add_slide(show.slide_layouts[6])
    table = numbers.shapes.add_table(2, 2, 0, 0, Inches(4), Inches(1)).table
    for place, text in enumerate(("bird", "eggs | year", "heron", "3")):
        table.cell(place // 2, place % 2).text = text
    data = CategoryChartData()
    data.categories = ["May", "June"]
    data.add_series("chicks", (1, 2.5))
    numbers.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(4), Inches(3), data)
    hidden = show.slides.add_slide(show.slide_layouts[5])
    hidden.shapes.title.text = "Secret"
    hidden._element.set("show", "0")
    out = io.BytesIO()
    show.save(out)
    return out.getvalue()


def open_document(body: str, **more: str) -> dict[str, str]:
    """The members of an OpenDocument file with this body."""
    kind = body[1:].partition(">")[0].removeprefix("office:")
    content = f"<office:document-content {NAMESPACES}><office:body>{body}</office:body></office:document-content>"
    mimetype = f"application/vnd.oasis.opendocument.{kind}"
    return {"mimetype": mimetype, "content.xml": content, "meta.xml": META} | more


RTF = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2\outlinelevel1 heading 2;}}
{\info{\title Birds of the Shore}{\author A. Bird}}
\pard\plain\s1\outlinelevel0\b Herons\par
\pard\plain M\'f6wen and \u40557?: they {\i wait} for fish.\par
\pard{\pntext\f0 1.\tab}grey\par
{\listtext\pard\plain\tab}purple\par
\pard\plain\s2\outlinelevel1 Nests\par
\trowd\cellx2000\cellx4000\pard\intbl bird\cell eggs\cell\row
\trowd\cellx2000\cellx4000\pard\intbl heron\cell 3\cell\row
\pard {\pict\wmetafile8 0102030405060708}End.\par}"""


def mail_file(subject: str = "Herons at the lake", attach: bool = True) -> bytes:
    """A mail with a plain text and the same as a page, and three files."""
    mail = EmailMessage()
    mail["From"] = "Änne Bird <anne@birds.example>"
    mail["To"] = "Bob <bob@birds.example>, club@birds.example"
    mail["Date"] = "Wed, 25 Nov 2026 09:30:00 +0100"
    mail["Subject"] = subject
    mail["Message-ID"] = "<1@birds.example>"
    mail.set_content("Dear Bob,\n\n# three herons came.\n\n> Did they come?\n\n-- \nÄnne\n")
    mail.add_alternative("<html><body><h1>Dear Bob</h1><p>Three herons came.</p></body></html>", subtype="html")
    if attach:
        mail.add_attachment(b"name,town\nAnn,Ulm\n", maintype="text", subtype="csv", filename="möwen.csv")
        mail.add_attachment(
            pdf_file((("Guide to herons",),)), maintype="application", subtype="octet-stream", filename="a.pdf"
        )
        mail.add_attachment(b"\0\1\2" * 90, maintype="application", subtype="octet-stream", filename="a.bin")
    return mail.as_bytes()


HTML_MAIL = b"""From: shop@birds.example
To: bob@birds.example
Subject: =?utf-8?q?Your_order_of_M=C3=B6wen?=
MIME-Version: 1.0
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable

<html><head><style>p {color: red}</style></head><body><h2>Your order</h2><p>Two books about gulls are on=
 their way to you, and a poster with all herons of Europe.</p><table><tr><th>book</th><th>price</th></tr>
<tr><td>Gulls</td><td>12 EUR</td></tr></table></body></html>
"""
MBOX = b"".join(
    b"From bird@birds.example Wed Nov 25 09:30:00 2026\n" + mail.replace(b"\nFrom ", b"\n>From ") + b"\n"
    for mail in (mail_file(attach=False), b"From: a@b.example\nSubject: Second\n\nHello.\nFrom here on.\n")
)
SRT = """1
00:00:01,000 --> 00:00:03,000
<i>Herons wait</i>
for fish.

2
00:00:03,500 --> 00:00:05,000
- And gulls?

3
01:00:09,000 --> 01:00:10,000 X1:1
They cry.
"""
VTT = """WEBVTT - birds

STYLE
::cue { color: red }

NOTE nobody sees this

intro
00:01.000 --> 00:03.000 align:start
<v Anna>Herons wait</v>

00:03.000 --> 00:05.000
<v Anna>Herons wait</v>
for <b>fish</b> &amp; frogs.
"""
RST = """==================
Birds of the Shore
==================

:Author: A. Bird

Herons
======

They *wait* for ``fish``, see :ref:`the nests <nests>` and :py:class:`~birds.Heron`.

- grey
- purple

.. code-block:: python
   :emphasize-lines: 1
   :caption: wait.py

   def wait():
       return "fish"

.. versionadded:: 2.0
   They *also* fly.

.. unknown-thing:: argument
   :option: x

   Its content.

Nests
-----

.. list-table::
   :header-rows: 1

   * - bird
     - eggs
   * - heron
     - 3

=====  =====
place  count
=====  =====
lake   2
=====  =====

.. include:: /etc/passwd
.. raw:: html

   <script>no</script>
"""
ORG = """#+TITLE: Birds of the Shore
#+AUTHOR: A. Bird
#+OPTIONS: toc:nil
# a comment
* Herons                                                      :water:
:PROPERTIES:
:ID: 1
:END:
They wait, see [[https://birds.example][the page]].
- grey
  + young
1. purple
** TODO Nests
| bird  | eggs |
|-------+------|
| heron |    3 |

#+begin_src python :results output
def wait():
    return "fish"
#+end_src
#+BEGIN_QUOTE
Quoted.
#+END_QUOTE
"""
ASCIIDOC = """= Birds of the Shore
A. Bird <a@birds.example>
:revdate: 2026-11-25
:toc:
:lake: Lake Constance

// a comment
== Herons

They wait at {lake}, see https://birds.example[the page] and <<nests,the nests>>.

* grey
** young
. purple

[source,python]
----
def wait():
    return "fish"  # == no heading
----

[[nests]]
=== Nests

.Eggs a year
[cols="1,1",options="header"]
|===
|bird |eggs

|heron
|3
|===

NOTE: They return.

include::other.adoc[]
"""


def office_seeds() -> dict[str, bytes]:
    """A small sound file of each of these formats, by a name that tells which."""
    return {
        "a.xlsx": xlsx_file("Birds"),
        "a.pptx": pptx_file("Birds"),
        "a.rtf": RTF,
        "a.eml": mail_file(),
        "a.mbox": MBOX,
        "a.srt": SRT.encode(),
        "a.vtt": VTT.encode(),
        "a.rst": RST.encode(),
        "a.org": ORG.encode(),
        "a.adoc": ASCIIDOC.encode(),
    }

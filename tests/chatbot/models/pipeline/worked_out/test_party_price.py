import pytest

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.worked_out.party_price import quote_party_prices, tell_party_price
from rag.documents import Passage

FERRY = "| Ticket | Single |\n|---|---|\n| Adult | £6.40 |\n| Child (5-15) | £3 |\n| Dog | £1 |\n| Car, driver | £22 |"
NIGHT_BUS = (
    "| Ticket | Price |\n|---|---|\n| Single, adult | £3.10 |\n| Single, under 16 | £1.50 |\n"
    "| Return, adult | £5 |\n| Ten rides | £27 |"
)
TICKETS = "| Ticket | Price |\n|---|---|\n| Adult ticket | £10 |\n| Child ticket | £5 |\n| 3 hour ticket | £5 |"
KIDS = "| Ticket | Price |\n|---|---|\n| Adults | £10 |\n| Kids | £5 |"
FREE = (
    "| Ticket | Price |\n|---|---|\n| Adult | £10 |\n| Under 16 | £5 |\n| Under 5 | free |\n"
    "| Groups 10-20 persons | £8 |"
)
POOL = "| Swim | Price |\n|---|---|\n| Adults | £7.50 |\n| Under 16 | £4 |\n| 65 and over | £5 |\n| Sauna | £9 |"
YOUTHS = "| Ticket | Price |\n|---|---|\n| Adult | £10 |\n| Youth 13-17 | £7 |\n| Toddlers under 4 | £1 |"
LESSONS = "| Ticket | Price |\n|---|---|\n| Adult | £10 |\n| Climbing wall, under 16 | £12 |"
FREE_KIDS = "| Ticket | Price |\n|---|---|\n| Adults | £10 |\n| Kids | £5 |\n| Under 3 | free |"
BAD = "| Tarif | Preis |\n|---|---|\n| Erwachsene | 5,50 € |\n| Kinder | 3 € |"
SEASONS = "| Ticket | Summer | Winter |\n|---|---|---|\n| Adult | £6 | £5 |\n| Child | £3 | £2 |"


def told(question: str, english: str, *texts: str) -> str:
    sources = [
        Source(number, Passage(text, f"https://{number}.test", "Prices", "web")) for number, text in enumerate(texts, 1)
    ]
    return tell_party_price(question, english, sources)


@pytest.mark.parametrize(
    ("question", "english", "text", "price"),
    [
        (
            "What does the ferry cost for two adults and one child?",
            "",
            FERRY,
            "2 × Adult (£6.40) + 1 × Child (5-15) (£3) = £15.80 [2]",
        ),
        (
            "what does it cost for two adults and one kid?",
            "",
            FERRY,
            "2 × Adult (£6.40) + 1 × Child (5-15) (£3) = £15.80 [2]",
        ),
        (
            "What do two adults and a ten year old pay, with single tickets?",
            "",
            NIGHT_BUS,
            "2 × Single, adult (£3.10) + 1 × Single, under 16 (£1.50) = £7.70 [2]",
        ),
        (
            "How much is it for an adult and two 12-year-olds?",
            "",
            FERRY,
            "1 × Adult (£6.40) + 2 × Child (5-15) (£3) = £12.40 [2]",
        ),
        (
            "What does a single ticket for two adults cost?",
            "",
            NIGHT_BUS,
            "2 × Single, adult (£3.10) = £6.20 [2]",
        ),
        ("How much is a ticket for two adults?", "", TICKETS, "2 × Adult ticket (£10) = £20 [2]"),
        ("How much is it for two adults and two kids?", "", KIDS, "2 × Adults (£10) + 2 × Kids (£5) = £30 [2]"),
        (
            "how much is it for two adults and a child?",
            "",
            POOL,
            "2 × Adults (£7.50) + 1 × Under 16 (£4) = £19 [2]",
        ),
        (
            "What do two adults and two kids pay for single tickets?",
            "",
            NIGHT_BUS,
            "2 × Single, adult (£3.10) + 2 × Single, under 16 (£1.50) = £9.20 [2]",
        ),
        ("What does it cost for two adults and two kids?", "", FREE_KIDS, "2 × Adults (£10) + 2 × Kids (£5) = £30 [2]"),
        ("How much do 3 children pay?", "", FERRY, "3 × Child (5-15) (£3) = £9 [2]"),
        ("And what would two adults have to pay?", "", FERRY, "2 × Adult (£6.40) = £12.80 [2]"),
        ("How much is it for two dogs?", "", FERRY, "2 × Dog (£1) = £2 [2]"),
        ("What's the total for an adult and two dogs?", "", FERRY, "1 × Adult (£6.40) + 2 × Dog (£1) = £8.40 [2]"),
        ("What does a ticket for two adults cost?", "", FERRY, "2 × Adult (£6.40) = £12.80 [2]"),
        ("How much is the fare for an adult with a dog?", "", FERRY, "1 × Adult (£6.40) + 1 × Dog (£1) = £7.40 [2]"),
        (
            "Was kostet das Bad für zwei Erwachsene und drei Kinder?",
            "What does the pool cost for two adults and three children?",
            BAD,
            "2 × Erwachsene (5,50 €) + 3 × Kinder (3 €) = 20 € [2]",
        ),
    ],
)
def test_the_prices_of_what_is_counted_are_added_up(question: str, english: str, text: str, price: str) -> None:
    assert told(question, english, "It is open daily.", text) == price


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does the ferry cost for one child?", FERRY),
        ("What do two adults and a four year old pay?", FERRY),
        ("What do two adults and a 17-year-old pay?", FERRY),
        ("What do two adults pay?", NIGHT_BUS),
        ("What do ten rides cost?", NIGHT_BUS),
        ("How much is a 3 hour ticket?", TICKETS),
        ("How much for my 12-year-old and two adults?", FERRY),
        ("What do two adults and a child who is 4 years old pay?", FERRY),
        ("What do two adults and a 3-year-old pay?", FREE),
        ("What do two adults and a 17-year-old pay?", FREE),
        ("What do two adults and a child pay?", FREE),
        ("What do two adults and two children pay?", YOUTHS),
        ("What do two adults and two children pay?", LESSONS),
        ("What does the ferry cost for two adults and two bicycles?", FERRY),
        # It may be free, or pay as much as an adult.
        ("What does the ferry cost for two adults and a student?", FERRY),
        ("What do two adults pay with?", FERRY),
        # At that age it may be free.
        ("What does the ferry cost for two adults and a child of four?", FERRY),
        ("How many decks has the ferry for two adults?", FERRY),
        ("What does it cost for two adults and one child?", SEASONS),
        ("What does it cost for two adults?", "Adults pay £6, children £3."),
    ],
)
def test_one_price_what_has_none_and_prices_of_several_seasons_are_not_added_up(question: str, text: str) -> None:
    assert told(question, "", text) == ""


def test_a_table_of_another_language_has_a_price_for_all_of_a_party_or_none_is_told() -> None:
    asked = "Was zahlen zwei Erwachsene und ein {}?", "What do two adults and one {} pay?"
    assert told(asked[0].format("Hund"), asked[1].format("dog"), BAD) == ""
    table = BAD.replace("Kinder", "Kind")
    assert told(asked[0].format("Kind"), asked[1].format("child"), table) == (
        "2 × Erwachsene (5,50 €) + 1 × Kind (3 €) = 14 € [1]"
    )


HUT = "The hut has 30 beds. A night costs £21, for members £14; children below ten pay half. Supper costs £9 a head."


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("What does a night cost for two members and a child?", True),
        ("What do a member and three children pay?", True),
        ("What does a night cost for members?", False),
        ("What does a room for two people cost?", False),
        ("Who looks after two members and a child?", False),
    ],
)
def test_the_prices_of_a_sentence_are_quoted_for_a_party_that_has_no_table(question: str, quoted: bool) -> None:
    told = quote_party_prices(question, "", [Source(2, Passage(HUT, "https://hut.test", "Hut", "web"))])
    assert told == ("“A night costs £21, for members £14; children below ten pay half.” [2]" if quoted else "")


def test_the_price_of_a_family_is_not_added_to_those_of_its_members() -> None:
    rows = "| Ticket | Price |\n|---|---|\n| Adult | £14.50 |\n| Child | £8 |\n| Family (2+2) | £38 |"
    page = Source(2, Passage(rows, "https://hut.test", "Hut", "web"))
    assert tell_party_price("What does a family of two adults and two children pay?", "", [page]) == ""
    assert tell_party_price("What do two adults and two children pay?", "", [page]).endswith("= £45 [2]")


@pytest.mark.parametrize(
    ("question", "price"),
    [
        ("What do two adults and a child pay in winter?", "2 × Adult (£5) + 1 × Child (£2) = £12 [1]"),
        ("What do two adults and a child pay in summer?", "2 × Adult (£6) + 1 × Child (£3) = £15 [1]"),
        ("What do two adults and a child pay?", ""),
    ],
)
def test_of_two_prices_in_a_row_that_of_the_column_which_is_asked_for_is_added_up(question: str, price: str) -> None:
    assert told(question, "", SEASONS) == price


@pytest.mark.parametrize(
    ("question", "head", "child"),
    [
        ("What is the price for two adults and one child?", "Peak | Off-peak price", "£3 | £2"),
        ("How much are tickets for two adults and one child?", "Day | Evening ticket", "£3 | £2"),
        ("What do two adults and one child pay online?", "Gate | Online", "£3 | –"),
        ("What do two adults and one child pay without a guest card?", "Full | With guest card", "£3 | £2"),
        ("How much is it for two adults and one child?", "Adult and child card | Day", "£3 | £2"),
    ],
)
def test_no_column_is_meant_by_words_of_any_price_by_what_is_counted_or_denied_or_where_a_row_has_none_there(
    question: str, head: str, child: str
) -> None:
    assert told(question, "", f"| Ticket | {head} |\n|---|---|---|\n| Adult | £6 | £5 |\n| Child | {child} |") == ""

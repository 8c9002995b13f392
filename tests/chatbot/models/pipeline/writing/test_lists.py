from chatbot.models.pipeline.writing.lists import as_item, forgotten_items, has_item, has_list

GAS = (
    "There is no gas here:\n- Mill Road, numbers 1 to 9\n- Old Quay\n- Finch Yard between the inn and the gate\n"
    "- Bell Lane, all numbers\n\nBring with you:\n- a torch\n- a blanket"
)
ASKED = "Which roads have no gas?"


def test_an_item_of_a_list_stands_in_the_text_with_its_words_and_numbers() -> None:
    text = "For the filling: 3 leeks, 200 g sour cream, a pinch of saffron."
    assert has_item(text, "200 g sour cream")
    assert not has_item(text, "250 g sour cream")
    assert not has_item(text, "two pears")


def test_a_sentence_that_enumerates_a_list_names_its_items_and_nothing_else() -> None:
    assert has_list(GAS, "Mill Road, Old Quay and Finch Yard have no gas.", ASKED)
    assert not has_list(GAS, "Mill Road, Old Quay and Weir Yard have no gas.", ASKED)
    assert not has_list(GAS, "Mill Road and Old Quay have no gas.", ASKED)
    assert not has_list(GAS, "Mill Road, a torch and a blanket have no gas.", ASKED)
    assert not has_list(GAS, "Mill Road, Old Quay and Finch Yard have 12 lamps.", ASKED)


def test_a_list_of_what_is_left_out_is_not_what_is_needed() -> None:
    left = "Leave at home:\n- gas bottles\n- fireworks\n- dogs"
    assert not has_list(left, "The hut requires gas bottles, fireworks and dogs.", "What do I need for the hut?")
    needed = left.replace("Leave at home", "For the hut")
    assert has_list(needed, "The hut requires gas bottles, fireworks and dogs.", "What do I need for the hut?")


def test_what_is_forgotten_of_a_list_is_what_an_answer_with_nearly_all_of_it_lacks() -> None:
    items, forgotten = forgotten_items([GAS], "There is none in Mill Road, Old Quay and Bell Lane.")
    assert forgotten == ["Finch Yard between the inn and the gate"] and len(items) == 4
    assert forgotten_items([GAS], "There is none in Mill Road, Old Quay, Finch Yard and Bell Lane.") == ([], [])


def test_whoever_names_few_items_of_a_list_meant_these_alone() -> None:
    assert forgotten_items([GAS], "Mill Road and Old Quay.") == ([], [])
    seven = "\n".join(f"- {name} street" for name in ("Ash", "Birch", "Cedar", "Elm", "Fir", "Oak", "Yew"))
    assert forgotten_items([seven], "Ash street, Birch street and Yew street.") == ([], [])


def test_who_wants_a_list_gets_each_sentence_as_a_line_of_one() -> None:
    assert as_item("The hull is red. ", "What is new about the boat, as a list?") == "- The hull is red.\n"
    assert as_item("Der Rumpf ist rot.", "Was ist neu am Boot? Bitte als Liste.") == "- Der Rumpf ist rot.\n"
    assert as_item("2. The hull is red.\n", "As a bulleted list, please: what is new?") == "2. The hull is red.\n"
    assert as_item("The hull is red. ", "Which parts of the boat are red?") == "The hull is red. "


def test_a_figure_of_nought_is_an_items_own() -> None:
    assert not has_item("Apples cost 2 euros.", "Apples cost 0 euros")

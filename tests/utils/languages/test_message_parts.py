"""What of a message asks something."""

import pytest

from utils.languages.message_parts import asks_translation, without_aside


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("Who built the Orla lighthouse, by the way?", "Who built the Orla lighthouse?"),
        ("By the way, who built it?", "who built it?"),
        ("oh btw when is it open", "when is it open"),
        ("Übrigens: Wer hat ihn gebaut?", "Wer hat ihn gebaut?"),
        ("Au fait, qui l'a construit ?", "qui l'a construit ?"),
        ("Is there a flat by the way to the sea?", "Is there a flat by the way to the sea?"),
        ("Something else: how much sugar do I need?", "how much sugar do I need?"),
        ("Okay, another question. Who built it?", "Who built it?"),
        ("Was anderes: Wer hat ihn gebaut?", "Wer hat ihn gebaut?"),
        ("Otra cosa: ¿quién lo construyó?", "¿quién lo construyó?"),
        ("Something else, please.", "Something else, please."),
        ("Something else than sugar, please.", "Something else than sugar, please."),
        ("Another question is who built it.", "Another question is who built it."),
        ("Who built it?", "Who built it?"),
        ("ok never mind. what time does it close in january?", "what time does it close in january?"),
        ("No problem, is there a café?", "is there a café?"),
        ("hej! när går båten?", "när går båten?"),
        ("Hi there, when is it open?", "when is it open?"),
        ("Bonjour ! Quand ouvre-t-il ?", "Quand ouvre-t-il ?"),
        ("Hello!", "Hello!"),
        ("morning! what does it cost", "what does it cost"),
        ("hi when do you open on fridays", "when do you open on fridays"),
        ("hallo wann macht ihr auf", "wann macht ihr auf"),
        ("Evening, 7 pm is fine.", "Evening, 7 pm is fine."),
        ("Hi is a greeting, isn't it?", "Hi is a greeting, isn't it?"),
        ("Hello was released by Adele in which year?", "Hello was released by Adele in which year?"),
        ("hi come to my party at 8", "hi come to my party at 8"),
        ("Hello. Bonjour. Hola. Which languages are these?", "Hello. Bonjour. Hola. Which languages are these?"),
        ("whos the author of The Mill again?", "who's the author of The Mill?"),
        ("whats the price, i dont see it", "what's the price, i don't see it"),
        ("shes 9, what does she pay", "she's 9, what does she pay"),
        ("they cant open, arent theyre there", "they can't open, aren't they're there"),
        ("Vad hjälper när man är hes?", "Vad hjälper när man är hes?"),
        ("què és el cant gregorià", "què és el cant gregorià"),
        ("When does the bridge open again?", "When does the bridge open again?"),
        ("Wer wohnt im Turm?", "Wer wohnt im Turm?"),
        ("Hola - what does that mean?", "Hola - what does that mean?"),
        ("Hello, Dolly! is a musical by whom?", "Hello, Dolly! is a musical by whom?"),
        ("Egal, welche Größe: was kostet er?", "Egal, welche Größe: was kostet er?"),
        ("ok thanks. how tall is it?", "how tall is it?"),
        ("Great, thank you so much! And when does it close?", "And when does it close?"),
        ("Vielen Dank! Was kostet es?", "Was kostet es?"),
        ("Merci beaucoup. Et le dimanche ?", "Et le dimanche ?"),
        ("Thanks. Something else: who built it?", "who built it?"),
        ("Thanks!", "Thanks!"),
        ("Thanks, that is all.", "Thanks, that is all."),
        ("Cheers, the sitcom, was set in which city?", "Cheers, the sitcom, was set in which city?"),
        ("Thank you for the music was sung by whom?", "Thank you for the music was sung by whom?"),
        ("Hi Ada, can you come?", "Hi Ada, can you come?"),
        ("Schon gut. Wer hat ihn gebaut?", "Wer hat ihn gebaut?"),
        ("Tant pis ! Qui l'a construit ?", "Qui l'a construit ?"),
        ("Never mind.", "Never mind."),
        ("No problem is too small for her.", "No problem is too small for her."),
        ("What is the French for by the way?", "What is the French for by the way?"),
    ],
)
def test_by_the_way_is_no_part_of_a_question(message: str, asked: str) -> None:
    assert without_aside(message) == asked


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("Translate into German: where is the ferry?", True),
        ("au fait comment on dit une échelle en allemand", True),
        ("how do you say ladder in german", True),
        ("wie sagt man Leiter auf Spanisch?", True),
        ("wie heißt Leiter auf Spanisch?", True),
        ("¿Cómo se dice escalera en alemán?", True),
        ("How do you say that you paid at the museum?", False),
        ("When does the last bus go, and how do you say ticket in German?", False),
        ("In my files, how do you say flange in German?", False),
        ("Wie heißt der neue Roman von Marta Orla auf Englisch?", False),
        ("Wie heißt das Museum der deutschen Sprache?", False),
        ("Which books did she write in French?", False),
    ],
)
def test_a_word_in_another_language_is_a_translation(message: str, asks: bool) -> None:
    assert asks_translation(message) is asks

"""Questions that were typed without their mark."""

import pytest

from utils.languages.unmarked_questions import with_question_mark


@pytest.mark.parametrize(
    ("message", "marked"),
    [
        ("how heavy is the mixer", "how heavy is the mixer?"),
        ("how heavy is the mixer, i live on the 4th floor", "how heavy is the mixer? i live on the 4th floor"),
        ("what do kids pay. my son is 9", "what do kids pay? my son is 9"),
        ("and until when is it open on fridays", "and until when is it open on fridays?"),
        ("which evening is the pottery class", "which evening is the pottery class?"),
        ("who wrote the manual", "who wrote the manual?"),
        ("whats the deposit for the big one", "whats the deposit for the big one?"),
        ("is there parking - we come by car", "is there parking? we come by car"),
        ("can we bring the dog", "can we bring the dog?"),
        ("how much for two adults and a baby", "how much for two adults and a baby?"),
        ("what happens if i am late", "what happens if i am late?"),
        ("wann öffnet das bad, wir wollen früh hin", "wann öffnet das bad? wir wollen früh hin"),
        ("was kostet das für kinder", "was kostet das für kinder?"),
        ("quand ferme la piscine", "quand ferme la piscine?"),
        ("cuánto cuesta la entrada", "cuánto cuesta la entrada?"),
        ("ile kosztuje bilet dla dziecka", "ile kosztuje bilet dla dziecka?"),
        ("сколько стоит билет", "сколько стоит билет?"),
        ("i come at 7. when does the mill close", "i come at 7. when does the mill close?"),
        ("thx. how do i sort a list of pairs", "thx. how do i sort a list of pairs?"),
        ("and for my gran, shes 71", "and for my gran? shes 71"),
        ("und für studenten", "und für studenten?"),
        ("定休日は何曜日ですか", "定休日は何曜日ですか？"),
    ],
)
def test_what_asks_has_its_mark(message: str, marked: str) -> None:
    assert with_question_mark(message) == marked


@pytest.mark.parametrize(
    "message",
    [
        "how heavy is it? i live on the 4th floor",
        "what i like is green tea",
        "when i say home i mean the flat in Ghent",
        "where my sister lives it snows",
        "how i got there i do not know",
        "can you remember that i am vegetarian",
        "could you make it shorter",
        "what a lovely day",
        "have a nice day",
        "do not tell anyone",
        "do you remind me at six",
        "is this ok, please write it down",
        "may 5 is my birthday",
        "will is my brother",
        "thanks, that helps",
        "my sister lives in Ghent",
        "and with a joke at the end",
        "and for my sister a poem",
        "and on friday i go home",
        "and for dessert we had cake",
        "y para terminar un chiste",
        "e per favore fallo in inglese",
        "do it in german",
        "do the same for Berlin",
        "have it in a table",
        "did my homework already",
        "May the force be with you",
        "should it rain tomorrow, we stay in",
        "what a day it was",
        "what matters is the price",
        "I was sad. was my fault",
        "is it not lovely!",
        "Was für ein Mist",
        "wie schade",
        "wie gesagt bin ich am freitag da",
        "wo ich wohne ist es laut",
        "kann auch vegetarisch sein",
        "quel dommage pour lui",
        "quand tu veux alors",
        "que tengas un buen día",
        "como siempre muy tarde",
        "cuando puedas lo miras",
        "che bello questo posto",
        "wat jammer voor jou",
        "do widzenia i do jutra",
        "var snäll och gör den kortare",
        "какая разница вообще",
        "and for that i thank you",
        "translate: where is the station",
        "what does 'where is it' mean in German",
        "was ich mag ist tee",
        "wie ich heiße weißt du",
        "quand je vais à Paris, je prends le train",
        "quando torno a casa ricordami di chiamare Ada",
        "como te dije, vivo en Vigo",
        "how to fix it:\nprint(1)",
        "",
    ],
)
def test_what_tells_or_wishes_stays(message: str) -> None:
    assert with_question_mark(message) == message


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("we want to swim at the baths on friday, how late are they open", True),
        ("we are four adults, what does it cost", True),
        ("i love the sea, how lovely it is", False),
        ("i told her when the bus goes, what it costs", False),
        ("remind me to ask, what does it cost", False),
    ],
)
def test_what_asks_behind_a_comma_gets_its_mark(message: str, asks: bool) -> None:
    assert with_question_mark(message) == (f"{message}?" if asks else message)

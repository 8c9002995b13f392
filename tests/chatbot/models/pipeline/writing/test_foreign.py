import pytest

from chatbot.models.pipeline.writing.foreign import says_the_same


@pytest.mark.parametrize(
    ("told", "sentence", "same"),
    [
        ("Der Eintritt kostet 4 Euro.", "La entrada cuesta 4 euros.", True),
        ("Der Eintritt kostet 5 Euro.", "La entrada cuesta 4 euros.", False),
        ("Un adulte paie 6,20 euros.", "An adult pays £6.20.", False),
        ("Un adulte paie 6,20 livres.", "An adult pays £6.20.", True),
        ("Il y a 2 acteurs.", "There are 2 actors.", True),
        ("Il y a vingt places.", "There are 20 seats.", True),
        ("Der Garten schließt um 16:30 Uhr.", "The garden closes at 4:30 pm.", True),
        ("Der Garten schließt um 18:30 Uhr.", "The garden closes at 4:30 pm.", False),
        ("Sie öffnet am 4. Dezember um 12 Uhr.", "It opens on 4 December at noon.", True),
        ("Sie öffnet am 5. Dezember.", "It opens on 4 December.", False),
        ("Der Chor probt am Mittwoch.", "The choir rehearses on Thursdays.", False),
        ("Der Chor probt donnerstags.", "The choir rehearses on Thursdays.", True),
    ],
)
def test_two_languages_say_the_same_with_the_same_numbers_dates_times_and_days(
    told: str, sentence: str, same: bool
) -> None:
    assert says_the_same(told, sentence, "") == same

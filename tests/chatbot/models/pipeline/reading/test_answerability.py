import pytest

from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.answerability import holds_answer
from tests.fakes.deciding import DecidingModel


@pytest.mark.parametrize(
    ("quote", "form", "holds"),
    [
        ("Dogs are not allowed in the hall.", "yesno", True),
        ("Hunde sind in der Halle verboten.", "yesno", True),
        ("Les chiens ne sont pas admis.", "yesno", True),
        ("大厅内禁止带狗。", "yesno", True),
        ("Dogs are not allowed in the hall.", "fact", False),
        ("The hall has a green door.", "yesno", False),
    ],
)
async def test_a_sentence_that_forbids_answers_whether_one_may_though_the_model_says_no(
    quote: str, form: str, holds: bool
) -> None:
    reading = Reading(quote, alike=0.9, coverage=0.5, quote=quote)
    model = DecidingModel([], words=("no",))
    assert await holds_answer(model, reading, "May I bring my dog into the hall?", form) == holds

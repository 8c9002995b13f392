"""Questions about what the user said are known by their words, in many languages."""

import pytest

from chatbot.models.pipeline.decision.recalled import (
    asks_what_is_known,
    asks_what_was_said,
    names_nothing,
    recalled_topic,
)

RECALLING = [
    "Do you still know my name and what I do for a living?",
    "What do you know about what I drink?",
    "what do you still remember about my dog?",
    "do you remember where I work?",
    "what did I tell you about my landlord",
    "What colour was the coat that I mentioned?",
    "How many chairs were in the room I told you about earlier?",
    "Have I ever mentioned which instrument she plays?",
    "how much did i say the sofa cost",
    "Do you remember what I told you about running?",
    "remind me what I said about the boiler",
    "What do I do for a living, do you still know?",
    "What was that about the plumber again?",
    "where was I going to go on Monday again?",
    "Was wollte ich am Montag gleich noch machen?",
    "Qu'est-ce que je voulais acheter demain, déjà ?",
    "Was habe ich dir über meinen Vermieter erzählt?",
    "Weißt du noch, was ich über den Ofen gesagt habe?",
    "Qu'est-ce que je t'ai dit sur mon frère ?",
    "Qu'ai-je dit de notre chien ?",
    "¿Qué te dije de mi hermano?",
    "Cosa ti ho detto del mio gatto?",
    "O que eu te disse sobre o meu carro?",
    "Wat heb ik je over mijn buurman verteld?",
    "Vad sa jag om min bror?",
    "Hvad har jeg fortalt dig om min hund?",
    "Mitä sanoin kissasta?",
    "Co mówiłam o moim synu?",
    "Co jsem ti řekl o bratrovi?",
    "Ce ți-am spus despre fratele meu?",
    "Mit mondtam a kutyámról?",
    "Что я говорил о своей работе?",
    "Що я казала про свою роботу?",
    "τι σου είπα για τον σκύλο μου;",
    "Sana kardeşim hakkında ne söyledim?",
    "ماذا قلت لك عن أخي؟",
    "מה אמרתי על הכלב שלי?",
    "मैंने अपने भाई के बारे में क्या बताया?",
    "我跟你说过我妹妹住在哪里吗？",
    "私は弟について何を言いましたか？",
    "제가 동생에 대해 뭐라고 말했나요?",
    "Tôi đã nói gì với bạn về em trai tôi?",
]
OTHERS = [
    "What do you know about my city Ghent and its towers?",
    "What do you know about the moon?",
    "Do you know when I have to hand in my tax return?",
    "Do you know my bank's opening hours?",
    "Do you know what I have to bring to the Lund hut?",
    "Do you know what I should wear in Oslo?",
    "When does the museum that I mentioned open?",
    "Can you translate the poem I mentioned?",
    "what did you tell me about the ferry?",
    "How do I tell my boss that I said no?",
    "I told you to write a poem.",
    "Did I win?",
    "When does the shop open, do you know?",
    "How do I undo the last commit again?",
    "Kann ich das gleich noch ändern?",
    "Est-ce que je dois déjà payer ?",
    "What did the minister say about rents?",
    "Was hast du mir über die Fähre erzählt?",
    "Ich habe dir doch gesagt, dass es kürzer sein soll.",
    "Qu'est-ce que tu m'as dit sur le bateau ?",
    "¿Qué dijo el ministro?",
    "Что ты говорил о пароме?",
    "Have I said that right? " + "The bridge that we crossed was old and made of stone. " * 8,
]


@pytest.mark.parametrize("message", RECALLING)
def test_a_question_about_what_its_author_said_is_known(message: str) -> None:
    assert asks_what_was_said(message)


@pytest.mark.parametrize("message", OTHERS)
def test_a_question_about_what_others_said_and_a_statement_are_none(message: str) -> None:
    assert not asks_what_was_said(message)


@pytest.mark.parametrize(
    "message", ["What did I just tell you?", "what did I tell you a minute ago", "What have I said?"]
)
def test_a_question_that_names_nothing_has_no_topic(message: str) -> None:
    assert names_nothing(recalled_topic(message))


def test_the_topic_is_what_is_left_without_the_words_that_ask_for_it() -> None:
    assert recalled_topic("What did I tell you about my car a minute ago?") == "What about my car a minute ago?"
    assert not names_nothing("What about my car a minute ago?")
    assert recalled_topic("Was habe ich über das Auto gesagt?") == "Was habe ich über das Auto gesagt?"


def test_what_is_known_is_asked_of_oneself_or_of_ones_things() -> None:
    assert asks_what_is_known("What do you know about what I eat?", of_oneself=True)
    assert asks_what_is_known("and what do you remember about my dog?")
    assert not asks_what_is_known("and what do you remember about my dog?", of_oneself=True)
    assert not asks_what_is_known("What do you know about the moon?")
    assert not asks_what_is_known("What do you know about where I can park?")
    assert not asks_what_is_known("What do you remember of what I sent?")

from dataclasses import replace

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import WordShares
from chatbot.models.embedded.model import EmbeddedModel
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.pipeline.llm_reranker import ModelJudge, grades_schema
from chatbot.models.settings import Generation
from chatbot.prompts.fewshot import load_prompt
from rag.documents import Passage
from tests.fakes.model import ScriptedModel
from tests.fakes.ollama import FakeOllama, Turn
from utils.errors import ReplyBroken
from utils.fence import fence_text

QUESTION = "How high are the nests of magpies?"
PASSAGES = [
    Passage("The tax office sends letters in spring.", "/tax", "Taxes", "file"),
    Passage("They build at a height of\n12 to 18 metres.", "/magpie", "Magpies", "file", heading=("Nests",)),
]


def model_at(server: FakeOllama) -> OllamaModel:
    return OllamaModel("qwen3:8b", OllamaSettings(host=server.url), Generation())


def asked(server: FakeOllama) -> list[str]:
    return [body["messages"][-1]["content"] for body in server.chats]


async def test_a_passage_has_the_log_odds_of_yes():
    turns = [Turn("no", logprobs={"no": -0.1, "yes": -3.0}), Turn("yes", logprobs={"yes": -0.2, "no": -2.0})]
    async with FakeOllama(turns) as server:
        model = model_at(server)
        scores = await ModelJudge(lambda: model).scores(QUESTION, PASSAGES)
        await model.close()
        sent = asked(server)
    assert [round(score, 3) for score in scores] == [-2.9, 1.8]
    assert sent == [
        f"Passage: {fence_text('Taxes The tax office sends letters in spring.')}\nQuestion: {QUESTION}",
        f"Passage: {fence_text('Magpies > Nests They build at a height of 12 to 18 metres.')}\nQuestion: {QUESTION}",
    ]


@pytest.mark.parametrize(("certain", "best"), [(0.5, 0), (0.6, 0), (0.8, 1), (1.0, 1)])
async def test_a_model_changes_the_order_of_the_search_as_far_as_it_is_certain(certain, best):
    class Sure(ScriptedModel):
        async def weigh_words(self, messages, words):
            share = certain if "Magpies" in messages[-1].content else 1 - certain
            return WordShares({"yes": share, "no": 1 - share})

    found = [replace(passage, score=score) for passage, score in zip(PASSAGES, (2.0, 1.0), strict=True)]
    scores = await ModelJudge(lambda: Sure([])).scores(QUESTION, found)
    assert scores.index(max(scores)) == best


async def test_a_server_that_tells_no_probabilities_writes_grades_as_json():
    turns = [Turn("no"), Turn('"no"'), Turn('{"grades": [1, 9]}'), Turn('{"grades": [2, 8]}')]
    async with FakeOllama(turns) as server:
        model = model_at(server)
        judge = ModelJudge(lambda: model)
        assert await judge.scores(QUESTION, PASSAGES) == [1.0, 9.0]
        assert await judge.scores(QUESTION, PASSAGES) == [2.0, 8.0]
        await model.close()
        formats = [body.get("format") for body in server.chats]
        last = asked(server)[-1]
    assert formats == [None, {"type": "string", "enum": ["yes", "no"]}, grades_schema(2), grades_schema(2)]
    listed = (
        "[1] Taxes The tax office sends letters in spring.\n"
        "[2] Magpies > Nests They build at a height of 12 to 18 metres."
    )
    assert last == f"Question: {QUESTION}\n{fence_text(listed)}"


@pytest.mark.parametrize("text", ['{"grades": [1]}', '{"grades": [1, "best"]}', '{"scores": [1, 2]}'])
async def test_grades_that_do_not_fit_the_passages_are_a_broken_reply(text):
    async with FakeOllama([Turn("no"), Turn('"no"'), Turn(text)]) as server:
        model = model_at(server)
        with pytest.raises(ReplyBroken):
            await ModelJudge(lambda: model).scores(QUESTION, PASSAGES)
        await model.close()


async def test_many_passages_are_graded_in_parts():
    turns = [Turn("no"), Turn('"no"'), Turn(f'{{"grades": {[5] * 15}}}'), Turn('{"grades": [6, 7]}')]
    async with FakeOllama(turns) as server:
        model = model_at(server)
        scores = await ModelJudge(lambda: model).scores(QUESTION, [PASSAGES[0]] * 17)
        await model.close()
    assert scores == [5.0] * 15 + [6.0, 7.0]


@pytest.mark.model
async def test_a_real_model_puts_what_answers_before_what_has_nothing_to_do_with_it(small_model: EmbeddedModel):
    scores = await ModelJudge(lambda: small_model).scores(QUESTION, PASSAGES)
    assert scores[1] > scores[0]


@pytest.mark.model
async def test_a_real_model_fills_the_form_of_grades(small_model: EmbeddedModel):
    messages = load_prompt("grade").make_prompt(question=QUESTION, passages="[1] Letters.\n[2] They build high up.")
    asked = [*messages[:1], Message("user", messages[-1].content)]
    filled = (await small_model.fill_schema(asked, grades_schema(2))).values
    assert len(filled["grades"]) == 2
    assert all(0 <= grade <= 10 for grade in filled["grades"])

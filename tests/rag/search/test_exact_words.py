"""What is asked for by one rare word comes first in a hybrid search, whatever it means to the embedding model."""

import random
from pathlib import Path

import pytest

from rag.documents import Document
from rag.library import Library
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder

pytestmark = pytest.mark.usefixtures("kept_in")
SETTINGS = RagSettings()
CODES = ["E4012", "SN-48213-X", "ORA-00942", "max_backoff_ms", "readTimeout", "0x80070005", "Xylophia", "4711093"]
COMMON = ["pump", "valve", "pipe", "tank", "gauge", "hose", "meter", "motor", "seal", "shaft", "rotor", "error", "code"]


def documents(dice: random.Random) -> list[Document]:
    """Some that say the same few words, and one a code that says it once among many more of them."""
    texts = [" ".join(dice.choices(COMMON, k=dice.randint(5, 60))) for _ in range(dice.randint(5, 40))]
    for code in CODES:
        words = dice.choices(COMMON, k=dice.randint(5, 60))
        words.insert(dice.randrange(len(words)), code)
        texts.append(" ".join(words))
    dice.shuffle(texts)
    return [Document(f"/{number}", "", text, "file") for number, text in enumerate(texts)]


async def filled(folder: Path, found: list[Document], embedder: WordEmbedder) -> Library:
    library = await Library.open(folder, SETTINGS, embedder)
    await library.add_all(found)
    return library


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("asked", ["{}", "what is {}?", "what does error `{}` mean"])
async def test_the_document_with_the_one_rare_word_of_a_question_comes_first(tmp_path, seed, asked):
    found = documents(random.Random(seed))
    # In three dimensions words have hardly a direction of their own.
    library = await filled(tmp_path, found, WordEmbedder(dimensions=3))
    firsts = {code: (await library.search(asked.format(code), 10))[0].source for code in CODES}
    assert firsts == {code: next(d.source for d in found if code in d.text.split()) for code in CODES}
    await library.close()


async def test_a_word_as_it_is_asked_for_comes_before_its_other_forms(tmp_path):
    texts = ["He measures all day.", "A measure of meal.", "Measuring by hand.", "What was measured stays."]
    found = [Document(f"/{number}", "", text, "file") for number, text in enumerate(texts)]
    library = await filled(tmp_path, found, WordEmbedder(dimensions=3))
    assert (await library.search("measuring", 5))[0].source == "/2"
    assert (await library.search("measured", 5))[0].source == "/3"
    await library.close()


async def test_what_is_found_exactly_stays_first_beside_other_wordings(tmp_path):
    found = documents(random.Random(1))
    library = await filled(tmp_path, found, WordEmbedder(dimensions=3))
    options = SearchOptions(also=("pump valve pipe", "error fault code"))
    [first, *_] = await library.search("E4012", 5, options)
    assert "E4012" in first.text
    await library.close()


async def test_a_word_that_many_documents_have_brings_none_of_them_first_by_itself(tmp_path):
    found = [Document(f"/{n}", "", f"pump {COMMON[n % 9]} {n}", "file") for n in range(30)]
    library = await filled(tmp_path, found, WordEmbedder())
    assert all(passage.score < 2 for passage in await library.search("pump", 5))
    await library.close()


async def test_a_question_that_the_model_cannot_read_is_answered_by_its_words(tmp_path):
    found = [Document("/right", "", "мост через реку стар", "file"), Document("/wrong", "", "the bridge", "file")]
    found += [Document(f"/{n}", "", " ".join(random.Random(n).choices(COMMON, k=20)), "file") for n in range(20)]
    library = await filled(tmp_path, found, WordEmbedder(dimensions=3, foreign="р"))
    [first, *_] = await library.search("старый мост на реке", 5, SearchOptions(relevant_only=False))
    assert first.source == "/right"
    await library.close()

"""What is known of embedding models by their names: the words that they want before a text, how much they read."""

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class ModelTraits:
    """What a model was trained with."""

    question: str = ""
    """What stands before a question."""
    passage: str = ""
    """What stands before a passage that questions are to find."""
    tokens: int = 512
    """Tokens of a text that it reads."""
    english: bool = False
    """Whether it knows English alone."""


_REPRESENT = "Represent this sentence for searching relevant passages: "
_INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
_EVERY_MODEL = ModelTraits()
MODEL_TRAITS: tuple[tuple[str, ModelTraits], ...] = (
    (r"nomic-embed-code", ModelTraits("Represent this query for searching relevant code: ", tokens=2048)),
    (r"nomic-embed-text-v2", ModelTraits("search_query: ", "search_document: ")),
    (r"nomic-embed", ModelTraits("search_query: ", "search_document: ", 2048, english=True)),
    (r"multilingual-e5.*instruct", ModelTraits(_INSTRUCTION)),
    (r"multilingual-e5", ModelTraits("query: ", "passage: ")),
    (r"e5-mistral", ModelTraits(_INSTRUCTION, tokens=4096, english=True)),
    (r"\be5-(small|base|large)", ModelTraits("query: ", "passage: ", english=True)),
    (r"bge-m3", ModelTraits(tokens=8192)),
    (r"bge-.*-zh", ModelTraits("为这个句子生成表示以用于检索相关文章：")),
    (r"bge-", ModelTraits(_REPRESENT, english=True)),
    (r"mxbai-embed-(large|xsmall)", ModelTraits(_REPRESENT, english=True)),
    (r"snowflake-arctic-embed.*(2|v2)", ModelTraits("query: ", tokens=8192)),
    (r"snowflake-arctic-embed", ModelTraits(_REPRESENT, english=True)),
    (r"embedding-?gemma", ModelTraits("task: search result | query: ", "title: none | text: ", 2048)),
    (r"qwen3-embedding", ModelTraits(_INSTRUCTION, tokens=8192)),
    (r"jina-embeddings-v2-base-en", ModelTraits(tokens=8192, english=True)),
    (r"jina-embeddings", ModelTraits(tokens=8192)),
    (r"text-embedding-(3|ada)", ModelTraits(tokens=8191)),
    (r"paraphrase-multilingual", ModelTraits(tokens=128)),
    (r"all-minilm", ModelTraits(tokens=256, english=True)),
)
"""The first whose pattern is found in a model's name, in small letters, holds; as their makers document them."""


def find_traits(model: str, question: str | None = None, passage: str | None = None) -> ModelTraits:
    """What is known of a model, with other words before questions and passages where these are not None."""
    name = model.lower().rsplit("/", 1)[-1].replace("_", "-")
    known = next((traits for pattern, traits in MODEL_TRAITS if re.search(pattern, name)), _EVERY_MODEL)
    return replace(
        known,
        question=known.question if question is None else question,
        passage=known.passage if passage is None else passage,
    )

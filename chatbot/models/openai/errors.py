"""What the failures of a server of OpenAI's protocol mean."""

from chatbot.models.openai.endpoints import KEY_VARIABLE
from chatbot.models.openai.refusals import read_refusal
from chatbot.models.remote.errors import ApiErrors, PackageErrors

CHECK_URL = "Check openai.base_url and OPENAI_BASE_URL: it is often http://host:port/v1."
SET_KEY = f"Set {KEY_VARIABLE}, or name a file of mode 0600 that holds it: openai.key_file."


def _load_package() -> PackageErrors:
    import openai

    return PackageErrors(openai.OpenAIError, openai.APIConnectionError, openai.APIStatusError)


OPENAI_ERRORS = ApiErrors(
    api="no API for models",
    load_package=_load_package,
    read_refusal=read_refusal,
    check_url=CHECK_URL,
    reach=f"Start it. {CHECK_URL}",
    set_key=SET_KEY,
    check_key=f"Check {KEY_VARIABLE}, or the file that openai.key_file names.",
)
"""Reads them."""

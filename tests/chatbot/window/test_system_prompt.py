"""Files with words of the user's own for the model."""

import os
from pathlib import Path

import pytest

from chatbot.settings import AgentSettings
from chatbot.window.summaries import summary_request
from chatbot.window.system_prompt import user_instructions
from utils.errors import ConfigError


@pytest.mark.parametrize("name", ["system_prompt_file", "compact_prompt_file"])
def test_a_file_of_words_that_has_no_end_or_is_none_is_told_in_a_sentence(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"x" * 1_000_001)
    for path, why in (
        (Path("/dev/zero"), "it is no regular file"),
        (tmp_path / "pipe", "it is no regular file"),
        (tmp_path / "large", "it is larger than 1,000,000 bytes"),
        (tmp_path / "none", "there is no such file"),
    ):
        settings = AgentSettings(**{name: path})
        with pytest.raises(ConfigError) as caught:
            user_instructions(settings) if name == "system_prompt_file" else summary_request(settings)
        assert str(caught.value) == f"{name} {path} cannot be read: {why}. Mend or unset it."

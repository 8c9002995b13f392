"""What the API takes and gives, and how it is written as JSON."""

from typing import Any

from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict

from utils.text import json_bytes

SESSION_ID = r"^[A-Za-z0-9_-]{1,64}$"
"""What the id of a conversation looks like, and that of a run of research, which is kept as one."""


class CleanJson(JSONResponse):
    """JSON, whatever halves of characters texts from outside have."""

    def render(self, content: Any) -> bytes:
        """The body."""
        return json_bytes(content)


def shown_with(*examples: dict[str, Any]) -> ConfigDict:
    """What has the API's document show whole requests of a kind."""
    return ConfigDict(json_schema_extra={"examples": list(examples)})


class ApiModel(BaseModel):
    """A part of a request or an answer; what it does not know is refused."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

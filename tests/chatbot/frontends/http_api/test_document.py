"""The API's document has an example of each request, which is one, and a name for each operation."""

from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from chatbot.frontends.http_api.application import make_api
from chatbot.frontends.http_api.service import ApiService
from tests.fakes.api_server import ScriptedEngine, configured


def test_examples_fit_and_operations_have_names(tmp_path: Path) -> None:
    document = make_api(ApiService(ScriptedEngine(configured(tmp_path)))).openapi()
    operations: list[dict[str, Any]] = [one for path in document["paths"].values() for one in path.values()]
    names = [operation["operationId"] for operation in operations]
    assert len(names) == len(set(names)) > 30 and "ask_question" in names
    assert all(operation["description"] and operation["tags"] for operation in operations)
    schemas = document["components"]["schemas"]
    for name in ("ChatRequest", "AgainRequest", "ProfileList", "IngestRequest", "RetrieveRequest", "ConsentDecision"):
        examples = schemas[name]["examples"]
        validator = Draft202012Validator({**schemas[name], "components": document["components"]})
        assert examples and all(validator.is_valid(example) for example in examples), name

"""What the conformance suite asks a server to offer, served as Magpie serves: `python conformance_server.py PORT`."""

import asyncio
import json
import sys
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPDeprecationWarning

from chatbot.frontends.mcp_server.http import serve_http
from chatbot.frontends.mcp_server.server import Tools
from chatbot.frontends.mcp_server.tools import Offer
from chatbot.frontends.serving.address import ListenAddress
from chatbot.frontends.serving.values import FoundPassages, ServedResult
from tools.base import tool
from utils.errors import ToolError

Context = ServerRequestContext[Any]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
IMAGE = types.ImageContent(data=PNG, mime_type="image/png")
DIALECT = "https://json-schema.org/draft/2020-12/schema"
ADDRESS = {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}
MODERN = {
    "$schema": DIALECT,
    "type": "object",
    "$defs": {"address": ADDRESS},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
PERSON = {
    "type": "object",
    "properties": {"username": {"type": "string"}, "email": {"type": "string"}},
    "required": ["username", "email"],
}
DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{n}", "title": f"{word} Option"} for n, word in enumerate(("First", "Second", "Third"), 1)]
ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": OPTIONS},
        "titledSingle": {"type": "string", "oneOf": TITLED},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
    },
}


def text(words: str) -> types.TextContent:
    return types.TextContent(text=words)


def embedded(uri: str, words: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=words))


async def test_simple_text() -> ServedResult:
    """Return some text."""
    return ServedResult("This is a simple text response for testing.", value=FoundPassages("", []))


async def test_error_handling() -> ServedResult:
    """Fail."""
    raise ToolError("This tool intentionally returns an error for testing")


async def image(context: Context, arguments: dict[str, Any]) -> list[types.ContentBlock]:
    return [IMAGE]


async def audio(context: Context, arguments: dict[str, Any]) -> list[types.ContentBlock]:
    return [types.AudioContent(data=WAV, mime_type="audio/wav")]


async def resource(context: Context, arguments: dict[str, Any]) -> list[types.ContentBlock]:
    return [embedded("test://embedded-resource", "This is an embedded resource content.")]


async def several(context: Context, arguments: dict[str, Any]) -> list[types.ContentBlock]:
    data = json.dumps({"test": "data", "value": 123})
    mixed = embedded("test://mixed-content-resource", data, "application/json")
    return [text("Multiple content types test:"), IMAGE, mixed]


async def logging(context: Context, arguments: dict[str, Any]) -> list[types.ContentBlock]:
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", said, related_request_id=context.request_id)
        await asyncio.sleep(0.05)
    return [text("Logged.")]


async def progress(context: Context, arguments: dict[str, Any]) -> list[types.ContentBlock]:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await asyncio.sleep(0.05)
    return [text("Done.")]


async def sampling(context: Context, arguments: dict[str, Any]) -> list[types.ContentBlock]:
    asked = types.SamplingMessage(role="user", content=text(arguments["prompt"]))
    result = await context.session.create_message([asked], max_tokens=100, related_request_id=context.request_id)
    return [text(f"LLM response: {getattr(result.content, 'text', '')}")]


def elicitation(schema: dict[str, Any]) -> Callable[[Context, dict[str, Any]], Awaitable[list[types.ContentBlock]]]:
    async def ask(context: Context, arguments: dict[str, Any]) -> list[types.ContentBlock]:
        message = arguments.get("message", "Please fill this in.")
        result = await context.session.elicit_form(message, schema, related_request_id=context.request_id)
        return [text(f"Elicitation completed: action={result.action}, content={json.dumps(result.content)}")]

    return ask


async def nothing(context: Context, arguments: dict[str, Any]) -> list[types.ContentBlock]:
    return [text("Nothing.")]


def words(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": list(names)}


CALLS = {
    "test_image_content": (image, words()),
    "test_audio_content": (audio, words()),
    "test_embedded_resource": (resource, words()),
    "test_multiple_content_types": (several, words()),
    "test_tool_with_logging": (logging, words()),
    "test_tool_with_progress": (progress, words()),
    "test_sampling": (sampling, words("prompt")),
    "test_elicitation": (elicitation(PERSON), words("message")),
    "test_elicitation_sep1034_defaults": (elicitation(DEFAULTS), words()),
    "test_elicitation_sep1330_enums": (elicitation(ENUMS), words()),
    "test_reconnection": (nothing, words()),
    "json_schema_2020_12_tool": (nothing, MODERN),
}
OWN = Tools(
    [Offer(tool(one), FoundPassages, types.ToolAnnotations()) for one in (test_simple_text, test_error_handling)]
)


async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    own = (await OWN.list_tools(context, params)).tools
    others = [types.Tool(name=name, description=name, input_schema=schema) for name, (_, schema) in CALLS.items()]
    return types.ListToolsResult(tools=[*own, *others])


async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name in CALLS:
        return types.CallToolResult(content=await CALLS[params.name][0](context, params.arguments or {}))
    return await OWN.call_tool(context, params)


async def list_resources(context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    named = {"test://static-text": "text/plain", "test://static-binary": "image/png"}
    found = [types.Resource(uri=uri, name=uri, description=uri, mime_type=kind) for uri, kind in named.items()]
    return types.ListResourcesResult(resources=found)


async def list_templates(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = params.uri
    if uri == "test://static-binary":
        return types.ReadResourceResult(contents=[types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)])
    if uri.startswith("test://template/"):
        key = uri.split("/")[3]
        data = json.dumps({"id": key, "templateTest": True, "data": f"Data for ID: {key}"})
        content = types.TextResourceContents(uri=uri, mime_type="application/json", text=data)
    else:
        said = "This is the content of the static text resource."
        content = types.TextResourceContents(uri=uri, mime_type="text/plain", text=said)
    return types.ReadResourceResult(contents=[content])


async def accept(context: Context, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


async def list_prompts(context: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    named = {
        "test_simple_prompt": (),
        "test_prompt_with_arguments": ("arg1", "arg2"),
        "test_prompt_with_embedded_resource": ("resourceUri",),
        "test_prompt_with_image": (),
    }
    prompts = [
        types.Prompt(
            name=name,
            description=name,
            arguments=[types.PromptArgument(name=one, description=one, required=True) for one in arguments],
        )
        for name, arguments in named.items()
    ]
    return types.ListPromptsResult(prompts=prompts)


async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    contents: dict[str, list[types.ContentBlock]] = {
        "test_simple_prompt": [text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [
            text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")
        ],
        "test_prompt_with_embedded_resource": [
            embedded(given.get("resourceUri", ""), "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [IMAGE, text("Please analyze the image above.")],
    }
    messages = [types.PromptMessage(role="user", content=content) for content in contents[params.name]]
    return types.GetPromptResult(messages=messages)


async def complete(context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=["paris", "park", "party"]))


def fixture() -> Server[Any]:
    return Server(
        "conformance",
        version="1.0.0",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_subscribe_resource=accept,
        on_unsubscribe_resource=accept,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_set_logging_level=accept,
    )


if __name__ == "__main__":
    # Logging and sampling are deprecated since 2026-07-28, and part of 2025-11-25.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    asyncio.run(serve_http(fixture(), ListenAddress("127.0.0.1", int(sys.argv[1])), lambda port: None))

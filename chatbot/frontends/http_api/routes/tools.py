"""/api/tools: what the model can call, single ones of which a question may switch off."""

from fastapi import APIRouter

from chatbot.frontends.http_api.service import Desk
from chatbot.frontends.http_api.values import ApiModel, shown_with

tools_router = APIRouter(prefix="/api/tools", tags=["chat"])


class ToolEntry(ApiModel):
    """A tool."""

    name: str
    description: str
    """What it does, as the model is told."""


class ToolList(ApiModel):
    """All of them."""

    model_config = shown_with({"tools": [{"name": "web_search", "description": "Search the web."}]})
    tools: list[ToolEntry]


@tools_router.get("")
async def list_tools(desk: Desk) -> ToolList:
    """The tools that the model can call; `tools_off` of a question names those that it is to go without."""
    described = desk.agent.toolbox.describe_all()
    return ToolList(tools=[ToolEntry(name=name, description=text) for name, text in described.items()])

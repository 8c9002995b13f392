"""An MCP server over stdio that asks the user questions while its tools are called."""

from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp_types import ElicitRequestURLParams
from pydantic import BaseModel, Field

server = MCPServer("asking")


class Seat(BaseModel):
    """What `book` asks for."""

    name: str = Field(title="Your name")
    seats: int = 2


@server.tool()
async def book(context: Context) -> str:
    """Book a seat."""
    result = await context.elicit("Who travels?", Seat)
    return f"{result.action} {result.data.model_dump_json() if result.action == 'accept' else ''}".strip()


@server.tool()
async def pester(context: Context) -> str:
    """Ask again and again."""
    return " ".join([(await context.elicit(f"Number {number}?", Seat)).action for number in range(3)])


@server.tool()
async def pay(context: Context) -> str:
    """Send the user to an address."""
    return (await context.elicit_url("Pay there", "https://pay.example/now", "1")).action


@server.tool()
async def unlock() -> str:
    """Need an address to be opened first."""
    asked = ElicitRequestURLParams(message="Sign in", url="https://signin.example/", elicitation_id="2")
    raise UrlElicitationRequiredError([asked])


if __name__ == "__main__":
    server.run("stdio")

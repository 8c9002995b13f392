// An MCP server on Node, without a package: one tool, which says nothing.
import { createInterface } from "node:readline";

const tool = { name: "rest", description: "Do nothing.", inputSchema: { type: "object", properties: {} } };

function answer(message) {
  if (message.method === "initialize") {
    const about = { serverInfo: { name: "node", version: "1" }, capabilities: { tools: {} } };
    return { protocolVersion: message.params.protocolVersion, ...about };
  }
  return message.method === "tools/list" ? { tools: [tool] } : { content: [{ type: "text", text: "Rested." }] };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if ("id" in message) {
    console.log(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: answer(message) }));
  }
});

// An MCP server of the protocol's library for TypeScript with one tool, look_up_hours. It prints its URL, and a line for each message:
// its method, or that a session has ended, with the credential and the call's id.
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const transports = new Map();

async function open() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => transports.set(id, transport),
  });
  const server = new McpServer({ name: "hours", version: "1.0.0" });
  server.registerTool(
    "look_up_hours",
    { description: "Looks up the opening hours of a day.", inputSchema: { day: z.string() } },
    async ({ day }) => ({ content: [{ type: "text", text: `On ${day} we close at seven in the evening.` }] }),
  );
  server.registerTool("close_shop", { description: "Closes the shop." }, async () => ({ content: [] }));
  await server.connect(transport);
  return transport;
}

const listener = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  const message = text ? JSON.parse(text) : undefined;
  console.log(JSON.stringify({
    method: message?.method ?? request.method,
    tool: message?.params?.name,
    authorization: request.headers.authorization,
    call: request.headers["x-parley-call-id"],
  }));
  if (request.headers.authorization !== `Bearer ${process.env.TOKEN}`) {
    response.writeHead(401).end();
    return;
  }
  const transport = transports.get(request.headers["mcp-session-id"]) ?? (await open());
  await transport.handleRequest(request, response, message);
});
listener.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${listener.address().port}/mcp`));

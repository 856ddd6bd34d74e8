// Lists the tools of an MCP server with the protocol's client for TypeScript, calls those of CALLS, and prints both as JSON.
// GENERATION says which: 1 is @modelcontextprotocol/sdk, 2 its successor. The server is at URL, or is the program of COMMAND.
const { GENERATION, URL: url, KEY, COMMAND, CALLS } = process.env;
const modules = {
  1: ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/stdio.js", "@modelcontextprotocol/sdk/client/streamableHttp.js"],
  2: ["@modelcontextprotocol/client", "@modelcontextprotocol/client/stdio"],
}[GENERATION];
const parts = await Promise.all(modules.map((name) => import(name)));
const { Client, StdioClientTransport, StreamableHTTPClientTransport } = Object.assign({}, ...parts);

const transport = url
  ? new StreamableHTTPClientTransport(new globalThis.URL(url), { requestInit: { headers: { "X-API-Key": KEY } } })
  : new StdioClientTransport({ command: COMMAND, args: ["mcp"], env: process.env, stderr: "inherit" });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
const results = [];
for (const call of JSON.parse(CALLS)) {
  results.push(await client.callTool(call));
}
process.stdout.write(JSON.stringify({ server: client.getServerVersion(), instructions: client.getInstructions(), tools, results }));
await client.close();

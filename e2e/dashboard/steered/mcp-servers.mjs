// An agent gets an MCP server: its tools are shown when it is saved, and a warning when the server cannot be reached.
import { ask, tour, url } from '../lib.mjs';

await tour(async ({ page, look }) => {
  await page.goto(`${url}/agents/demo`);
  await page.getByRole('button', { name: 'Add a server' }).click();
  const server = page.getByRole('group', { name: 'MCP server 1' });
  await server.getByLabel('URL').fill(`${process.env.MCP_SERVER}/mcp`);
  await page.getByRole('button', { name: 'Save' }).click();
  await server.getByText(/^Offered on .*: look_up_hours\.$/).waitFor();
  await look('agent-mcp-server');
  await ask('stop');
  await server.getByLabel('URL').fill(`${process.env.MCP_SERVER}/moved`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/the tools of the server could not be listed/).waitFor();
  await server.getByText('The tools are listed when the agent is saved.').waitFor();
});

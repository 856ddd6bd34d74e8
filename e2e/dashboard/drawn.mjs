// A workflow that was made by the API; descriptions of connections, call hooks, a greeting that is not interrupted, and a sample context.
import { tour, url } from './lib.mjs';

await tour(async ({ page, look, wrong }) => {
  const condition = 'user.age >= 18 and user.plan == "gold" and workflow.day';
  const made = await page.evaluate(async (condition) => (await fetch('/api/v1/workflows', {
    method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Requested-By': 'tour' },
    body: JSON.stringify({ slug: 'by-api', name: 'By API', config: {
      nodes: [{ id: 'front', agent_name: 'demo', is_entry: true }, { id: 'middle', agent_name: 'demo-booking' }, { id: 'end', agent_name: 'demo-booking', is_exit: true }],
      connections: [{ source_id: 'front', target_id: 'middle', condition }, { source_id: 'middle', target_id: 'end' }, { source_id: 'front', target_id: 'end' }],
    } }),
  })).status, condition);
  if (made !== 201) wrong(`the workflow is answered with ${made}`);
  const saved = async () => (await (await page.request.get(`${url}/api/v1/workflows/by-api`)).json()).config;

  // Bodies of requests, which the browser's debugger does not show of streams.
  await page.addInitScript(() => {
    window.bodies = [];
    const send = window.fetch;
    window.fetch = async (request, init) => {
      if (request instanceof Request && request.method === 'POST') window.bodies.push(await request.clone().text());
      return send(request, init);
    };
  });
  // It is laid out, which is no change.
  await page.goto(`${url}/workflows/by-api`);
  const canvas = page.getByRole('region', { name: 'Canvas' });
  await canvas.getByLabel('Node front', { exact: true }).waitFor();
  if (await page.getByText('Unsaved changes').isVisible()) wrong('a workflow of the API has unsaved changes');
  const label = await canvas.locator('.react-flow__edge-text').first().textContent();
  if (!label?.startsWith(condition.slice(0, 45))) wrong(`the condition is cut to ${label}`);
  await look('workflow-by-api');

  // No connection passes behind a node, arranged or not: a node is dragged onto the straight way from the first to the last.
  const behind = () => canvas.evaluate((root) => {
    const boxes = [...root.querySelectorAll('.react-flow__node')].map((n) => n.getBoundingClientRect());
    return [...root.querySelectorAll('.react-flow__edge-path')].filter((path) => {
      const [screen, length] = [path.getScreenCTM(), path.getTotalLength()];
      return Array.from({ length: 101 }, (_, i) => path.getPointAtLength(length * i / 100).matrixTransform(screen))
        .some((p) => boxes.some((b) => p.x > b.left + 8 && p.x < b.right - 8 && p.y > b.top + 8 && p.y < b.bottom - 8));
    }).length;
  });
  if (await behind() > 0) wrong('a connection passes behind a node');
  const place = async (id) => canvas.getByLabel(`Node ${id}`, { exact: true }).boundingBox();
  const [front, middle, end] = [await place('front'), await place('middle'), await place('end')];
  await page.mouse.move(middle.x + middle.width / 2, middle.y + 10);
  await page.mouse.down();
  await page.mouse.move(middle.x + middle.width / 2, (front.y + end.y) / 2 + 10, { steps: 5 });
  await page.mouse.up();
  await look('workflow-around');
  if (await behind() > 0) wrong('a connection passes behind the node that was moved onto it');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });

  // The description of a connection, and a call hook.
  await canvas.getByLabel('Node front', { exact: true }).click();
  await page.getByRole('button', { name: 'middle' }).last().click();
  await page.getByLabel('Description', { exact: true }).fill('The caller wants a table.');
  await page.getByRole('button', { name: 'Workflow', exact: true }).click();
  await page.getByRole('switch', { name: 'Call hook' }).check();
  await page.getByLabel(/^Call hook URL/).fill('http://127.0.0.1:9/hook');
  await look('workflow-hook');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  const kept = await saved();
  if (kept.connections[0].description !== 'The caller wants a table.') wrong(`the connection is kept as ${JSON.stringify(kept.connections[0])}`);
  if (kept.call_hook?.url !== 'http://127.0.0.1:9/hook') wrong(`the call hook is kept as ${JSON.stringify(kept.call_hook)}`);
  await page.getByRole('switch', { name: 'Call hook' }).uncheck();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  if ((await saved()).call_hook) wrong('the call hook stays');

  // A call with a sample context.
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  const sample = page.getByRole('textbox', { name: 'Sample context' });
  await sample.fill('[1]');
  await page.getByText('This is no JSON object.').waitFor();
  if (await page.getByRole('button', { name: 'Write instead' }).isEnabled()) wrong('a call can begin with a context that is no object');
  await sample.fill('{"name":"Ada"}');
  await page.getByRole('button', { name: 'Write instead' }).click();
  await page.getByRole('log').locator('.bubble.agent').first().waitFor();
  const bodies = await page.evaluate(() => window.bodies);
  if (!bodies.some((body) => JSON.parse(body || '{}').user_context?.name === 'Ada')) wrong(`requests have the bodies ${bodies.join(' ')}`);
  await page.getByRole('button', { name: 'End call' }).click();

  // An agent's switches.
  await page.goto(`${url}/agents/demo-booking`);
  await page.getByRole('switch', { name: 'The caller may interrupt the greeting' }).uncheck();
  await page.getByRole('switch', { name: 'Call hook' }).check();
  await page.getByLabel(/^Call hook URL/).fill('http://127.0.0.1:9/agent');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  const agent = (await (await page.request.get(`${url}/api/v1/agents/demo-booking`)).json()).config;
  if (agent.turn?.greeting_interruptible !== false || agent.call_hook?.url !== 'http://127.0.0.1:9/agent') wrong(`the agent is kept as ${JSON.stringify(agent)}`);
});

// A user who may only read calls sees no page and no button that the server would refuse.
import { email, password, signIn, tour, url } from './lib.mjs';

/** endedCall makes a call that is over, with the user of the command line, and returns its id. */
async function endedCall() {
  const post = async (path, body, authorization) => {
    const response = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json', ...(authorization && { Authorization: authorization }) }, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const authorization = `Bearer ${(await post('/auth/login', { email, password })).access_token}`;
  const { call_id: id } = await post('/calls', { workflow_slug: 'demo' }, authorization);
  await post(`/calls/${id}/end`, {}, authorization);
  return id;
}

await tour(async ({ page, look, wrong }) => {
  const id = await endedCall();
  page.on('response', (response) => {
    if (response.status() === 403) wrong(`${response.request().method()} ${new URL(response.url()).pathname} was refused`);
  });
  await signIn(page, process.env.READER, process.env.READER_PASSWORD);
  const navigation = page.getByRole('navigation', { name: 'Navigation' });
  await navigation.getByRole('link', { name: 'Calls', exact: true }).waitFor();
  await look('home-reader');
  for (const name of ['Agents', 'Workflows', 'Tools', 'Webhooks', 'Limits']) {
    if (await navigation.getByRole('link', { name, exact: true }).count()) wrong(`the page ${name} is offered`);
  }
  await navigation.getByRole('link', { name: 'Calls', exact: true }).click();
  await page.getByRole('heading', { name: 'Calls' }).waitFor();
  await page.locator(`tbody a[href="/calls/${id}"]`).click();
  await page.waitForURL(`**/calls/${id}`);
  await page.getByRole('heading', { name: 'Details' }).waitFor();
  await look('call-reader');
  for (const name of ['End call', 'Send again']) {
    if (await page.getByRole('button', { name }).count()) wrong(`the button ${name} is offered`);
  }
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('agent');
  if (await page.getByRole('option', { name: 'New agent' }).count()) wrong('a new agent is offered');
}, { signedIn: false });

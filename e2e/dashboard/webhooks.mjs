// A webhook is set up, receives a signed test, and gets a new secret; deliveries are looked at and sent again.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tour } from './lib.mjs';

// The receiver fails while status is 500; what it got is in requests.
const requests = [];
let status = 200;
const receiver = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  requests.push({ signature: request.headers['x-webhook-signature'] ?? '', team: request.headers['x-team'], body: Buffer.concat(chunks).toString() });
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ received: status === 200, queue: 'events' }));
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');

function isSigned({ signature, body }, secret) {
  const time = /t=(\d+)/.exec(signature)?.[1];
  return signature.includes(`v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`);
}

await tour(async ({ page, look, wrong }) => {
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await page.getByText('No webhook yet').waitFor();
  await look('webhooks-empty');

  // What the API refuses is at its field. New webhooks have the extended policy.
  await page.getByRole('button', { name: 'Set up webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('ftp://example.com');
  if (!(await dialog.getByLabel('Extended').isChecked())) wrong('a new webhook has not the extended policy');
  await dialog.getByLabel('Metrics').check();
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByLabel('Headers: Name 1').fill('X-Team');
  await dialog.getByLabel('Headers: Value 1').fill('voice');
  await dialog.getByRole('button', { name: 'Set up webhook' }).click();
  await dialog.getByText('Check the marked fields.').waitFor();
  await dialog.getByText(/https/).nth(1).waitFor();
  await look('webhook-form');
  await dialog.getByLabel('URL').fill(`http://127.0.0.1:${receiver.address().port}/events`);
  await dialog.getByRole('button', { name: 'Set up webhook' }).click();

  const secret = page.getByLabel('Secret', { exact: true });
  await secret.waitFor();
  const first = await secret.inputValue();
  await look('webhook-secret');
  await page.getByRole('button', { name: 'I have stored it' }).click();

  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('cell', { name: 'Delivered' }).waitFor();
  if (requests.length !== 1 || !isSigned(requests[0], first) || requests[0].team !== 'voice') wrong('the test did not come signed and with its header');
  await page.getByRole('cell', { name: 'call.test' }).click();
  await page.getByText('"queue": "events"').waitFor();
  const sent = JSON.parse(await page.getByRole('region', { name: 'Data sent' }).locator('pre').textContent());
  if (JSON.stringify(sent) !== JSON.stringify(JSON.parse(requests[0].body).data)) wrong(`the log has the data ${JSON.stringify(sent)}`);
  await look('webhook-delivery');
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('The event was queued again, as a new delivery.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();

  // One attempt, so that the next delivery fails for good.
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Standard').check();
  await dialog.getByLabel('Attempts').fill('1');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('1 attempt', { exact: true }).waitFor();
  status = 500;
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('cell', { name: 'Failed' }).waitFor();
  await look('webhooks');
  status = 200;

  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await secret.waitFor();
  const second = await secret.inputValue();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('cell', { name: 'Delivered' }).nth(2).waitFor();
  if (second === first || !isSigned(requests.at(-1), second) || !isSigned(requests.at(-1), first)) wrong('secrets that overlap do not both sign');

  // Tests are no events to send again.
  await page.getByRole('button', { name: 'Replay failed' }).click();
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('No failed delivery is left in this time.').waitFor();

  // A second webhook receives the calls of one workflow, and has its own secret and deliveries.
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await dialog.getByLabel('URL').fill(`http://127.0.0.1:${receiver.address().port}/bookings`);
  await dialog.getByLabel('Workflows').fill('booking');
  await dialog.getByLabel('Workflows').press('Enter');
  await dialog.getByRole('button', { name: 'Set up webhook' }).click();
  await secret.waitFor();
  const third = await secret.inputValue();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const endpoint = page.getByRole('region', { name: 'Endpoint' }).nth(1);
  await endpoint.getByText('booking', { exact: true }).waitFor();
  await endpoint.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('combobox', { name: 'Endpoint' }).click();
  await page.getByRole('option', { name: /bookings/ }).click();
  await page.getByRole('cell', { name: 'call.test' }).nth(1).waitFor({ state: 'detached' }); // those of the first webhook
  await page.getByRole('cell', { name: 'Delivered' }).waitFor();
  if ((await page.getByRole('cell', { name: 'call.test' }).count()) !== 1) wrong('the log is not that of the second webhook');
  if (third === second || !isSigned(requests.at(-1), third)) wrong('the second webhook does not sign with its own secret');
  await look('webhooks-two');

  for (const left of [1, 0]) {
    await page.getByRole('button', { name: 'More' }).nth(left).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('region', { name: 'Endpoint' }).nth(left).waitFor({ state: 'detached' });
  }
  await page.getByText('No webhook yet').waitFor();
});

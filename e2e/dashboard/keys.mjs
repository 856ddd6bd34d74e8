// An API key is made, copied, used and revoked.
import { tour, url } from './lib.mjs';

const agents = async (key) => (await fetch(`${url}/api/v1/agents`, { headers: { 'X-API-Key': key } })).status;
const calls = async (key) => (await fetch(`${url}/api/v1/calls`, { headers: { 'X-API-Key': key } })).status;

await tour(async ({ context, page, look, wrong }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write', 'microphone']);
  await page.getByRole('link', { name: 'API keys', exact: true }).click();
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Some fields need a look.').waitFor();
  await look('api-key-form');
  await dialog.getByLabel('Name').fill('Reporting');
  await dialog.getByRole('radio', { name: 'Test' }).check();
  await dialog.getByRole('checkbox', { name: 'Calls: Change' }).uncheck();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Copy it now').waitFor();
  await look('api-key-secret');
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  if (!key.startsWith('svc_test_') || (await calls(key)) !== 200) wrong('the copied key does not work');
  if ((await agents(key)) !== 403) wrong('the key may do more than was chosen');
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await look('api-keys');
  await page.getByRole('button', { name: 'Revoke Reporting' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('The key was revoked.').waitFor();
  if ((await calls(key)) !== 401) wrong('a revoked key works');
});

// A public token is made for a web page, the agent is tried in the preview, and the token is revoked.
import { tour, url } from './lib.mjs';

await tour(async ({ page, look }) => {
  await page.getByRole('link', { name: 'Web pages', exact: true }).click();
  await page.getByText('No public tokens.').waitFor();
  await look('embed-empty');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Embed an agent' }).click();
  await dialog.getByLabel('Who answers').first().click();
  await page.getByRole('option').first().click();
  await dialog.getByLabel('Web sites').fill('https://www.example.com/');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('must be written as browsers send it: https://www.example.com').waitFor();
  await dialog.getByLabel('Web sites').press('Backspace');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText(`<parley-agent token="pk_`).waitFor();
  await dialog.getByText(`src="${url}/widget.js"`).waitFor();
  await dialog.getByLabel('Only this version of the script').click();
  await dialog.getByText('integrity="sha384-').waitFor();
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await dialog.getByRole('log').getByText(/How can I help/).waitFor();
  await dialog.getByRole('button', { name: 'End', exact: true }).click();
  await look('embed-made');
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByText(url).waitFor();
  await look('embed');
  await page.getByRole('button', { name: /^Revoke pk_/ }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No public tokens.').waitFor();
});

// A key of a provider is added and deleted.
import { tour } from './lib.mjs';

await tour(async ({ page, look }) => {
  await page.getByRole('link', { name: 'Provider keys', exact: true }).click();
  await page.getByText('No keys of your own').waitFor();
  await look('provider-keys-empty');
  await page.getByRole('button', { name: 'Add key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Some fields need a look.').waitFor();
  await dialog.getByRole('combobox', { name: 'Provider' }).click();
  await page.getByRole('option', { name: 'Deepgram' }).first().click();
  await dialog.getByLabel('API key').fill('a-key-of-deepgram-1234');
  await dialog.getByLabel('Base URL').fill(process.env.DEEPGRAM);
  await dialog.getByRole('switch', { name: 'Use it before the others' }).check();
  await look('provider-key-form');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('ends with 1234').waitFor();
  await look('provider-keys');
  await page.getByRole('button', { name: /^Check Deepgram/ }).click();
  await page.getByText('The vendor accepts the key.').waitFor();
  await page.getByRole('button', { name: 'Add key' }).click();
  await dialog.getByRole('combobox', { name: 'Provider' }).click();
  await page.getByRole('option', { name: 'Deepgram' }).first().click();
  await dialog.getByLabel('API key').fill('another-key-9876');
  await dialog.getByLabel('Base URL').fill(process.env.DEEPGRAM);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: /^Check Deepgram, ends with 9876/ }).click();
  await page.getByText('401 Unauthorized: Invalid credentials.').waitFor();
  await look('provider-key-refused');
  await page.getByRole('button', { name: /^Delete Deepgram, ends with 9876/ }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('ends with 9876').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Delete Deepgram/ }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No keys of your own').waitFor();
});

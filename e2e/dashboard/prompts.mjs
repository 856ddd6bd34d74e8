// A prompt gets a second language and a second version, is previewed, compared with what it was, and taken back.
import { tour } from './lib.mjs';

await tour(async ({ page, look, wrong }) => {
  await page.getByRole('link', { name: 'Prompts', exact: true }).click();
  await page.getByRole('link', { name: 'New prompt', exact: true }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Some fields need a look.').waitFor();
  await page.getByLabel('Slug').fill('opening');
  await page.getByLabel('Name').fill('Opening hours');
  await page.getByLabel('Text (en)').fill('Good day, {{user.name}}.\nWe open at nine.\nHow can I help?');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL('**/prompts/opening');

  await page.getByLabel('Text (en)').fill('Good day, {{user.name}}.\nWe open at ten.\nHow can I help?');
  await page.getByRole('textbox', { name: 'Language' }).fill('de');
  await page.getByRole('button', { name: 'Add language' }).click();
  await page.getByLabel('Text (de)').fill('Guten Tag, {{user.name}} aus {{user.city}}.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Version 2').first().waitFor();
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByRole('combobox', { name: 'Language' }).click();
  await page.getByRole('option', { name: 'de' }).click();
  await preview.getByRole('button', { name: 'Show' }).click();
  await preview.getByText('Guten Tag, Ada aus').waitFor();
  await preview.getByText('Without a value: user.city').waitFor();
  await page.getByRole('button', { name: /Version 1/ }).click();
  await page.getByText('We open at nine.').waitFor();
  await look('prompt');
  await page.getByRole('button', { name: 'Go back to this version' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Go back to this version' }).click();
  await page.getByRole('button', { name: /Version 3/ }).waitFor();
  if (!(await page.getByLabel('Text (en)').inputValue()).includes('nine')) wrong('the prompt is not what it was');

  await page.getByRole('link', { name: 'Prompts', exact: true }).click();
  await page.getByText('Opening hours').waitFor();
  await look('prompts');
  await page.getByText('Opening hours').click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL('**/prompts');
});

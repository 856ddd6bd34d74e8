// A variable and a secret are added, changed and deleted; the secret is never shown.
import { tour } from './lib.mjs';

await tour(async ({ page, look }) => {
  await page.getByRole('link', { name: 'Variables and secrets', exact: true }).click();
  await page.getByText('No variables.').waitFor();
  await look('variables-empty');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Add variable' }).click();
  await dialog.getByLabel('Name').fill('opening hours');
  await dialog.getByLabel('Value').fill('9 to 17');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('must be 1 to 64 letters').waitFor();
  await dialog.getByLabel('Name').fill('opening_hours');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('{{vars.opening_hours}}').waitFor();
  await page.getByRole('button', { name: 'Change opening_hours' }).click();
  await dialog.getByLabel('Value').fill('8 to 18');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('8 to 18').waitFor();
  await page.getByRole('button', { name: 'Add secret' }).click();
  await dialog.getByLabel('Name').fill('clinic_key');
  await dialog.getByLabel('Value').fill('a-key-of-the-clinic');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('{{secrets.clinic_key}}').waitFor();
  await look('variables');
  if ((await page.content()).includes('a-key-of-the-clinic')) throw new Error('the page shows the secret');
  await page.getByRole('button', { name: 'Delete clinic_key' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('{{secrets.clinic_key}}').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete opening_hours' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No variables.').waitFor();
});

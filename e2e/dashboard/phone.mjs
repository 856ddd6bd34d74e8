// A trunk and a number are made, and deleted; the audit log tells of it.
import { tour } from './lib.mjs';

await tour(async ({ page, look }) => {
  await page.getByRole('link', { name: 'Phone', exact: true }).click();
  await page.getByText('No trunk yet').waitFor();
  await look('phone-empty');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'New trunk' }).click();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Check the marked fields.').waitFor();
  await dialog.getByLabel('Name', { exact: false }).first().fill('Carrier');
  await dialog.getByRole('textbox', { name: 'Address', exact: true }).fill('127.0.0.1:5070');
  await dialog.getByRole('textbox', { name: 'Caller ID', exact: true }).fill('+4930123456');
  await look('trunk-form');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByText('127.0.0.1:5070 · UDP · +4930123456').waitFor();

  await page.getByRole('button', { name: 'Check Carrier' }).click();
  await page.getByText('The trunk does not answer.').waitFor();
  await page.getByRole('button', { name: 'New number' }).click();
  await dialog.getByRole('textbox', { name: 'Phone number' }).fill('+49 30 123456');
  await dialog.getByRole('combobox', { name: 'Answered by' }).click();
  await page.getByRole('option', { name: 'Demo front desk' }).click();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByText('through Carrier').waitFor();
  await look('phone');
  await page.getByRole('button', { name: 'Edit +4930123456' }).click();
  await dialog.getByRole('textbox', { name: 'Call hook URL' }).fill('ftp://example.com');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Check the marked fields.').waitFor();
  await dialog.getByRole('textbox', { name: 'Call hook URL' }).fill('https://example.com/call');
  await dialog.getByRole('switch', { name: 'Reject the call when the hook fails' }).click();
  await look('number-form');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Edit +4930123456' }).click();
  await page.getByRole('textbox', { name: 'Call hook URL' }).waitFor();
  if ((await dialog.getByRole('textbox', { name: 'Call hook URL' }).inputValue()) !== 'https://example.com/call') {
    throw new Error('the call hook was not saved');
  }
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Delete +4930123456' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No number yet').waitFor();
  await page.getByRole('button', { name: 'Delete Carrier' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No trunk yet').waitFor();

  await page.getByRole('link', { name: 'Audit log', exact: true }).click();
  await page.getByLabel('Kind').fill('sip_trunk');
  await page.getByText('sip_trunk.delete').waitFor();
  await page.getByText('sip_trunk.create').waitFor();
  await page.getByLabel('Kind').fill('');
  await page.getByText('user.sign_in').first().waitFor();
  await look('audit-log');
});

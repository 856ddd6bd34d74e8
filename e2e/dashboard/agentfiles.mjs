// An agent is exported as YAML, changed in the file, and imported as another.
import { readFileSync, writeFileSync } from 'node:fs';
import { folder, tour, url } from './lib.mjs';

await tour(async ({ page, wrong }) => {
  await page.goto(`${url}/agents/demo-booking`);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const download = await downloading;
  if (download.suggestedFilename() !== 'demo-booking.yaml') wrong(`the file is called ${download.suggestedFilename()}`);
  const text = readFileSync(await download.path(), 'utf8');
  const file = `${folder}/imported.yaml`;
  writeFileSync(file, text.replace('name: demo-booking', 'name: booking-again').replace(/^display_name: .*$/m, 'display_name: Booking again'));

  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await page.getByRole('link', { name: /Demo booking desk/ }).waitFor();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.waitForURL('**/agents/booking-again');
  await page.getByRole('heading', { name: 'Booking again' }).waitFor();

  writeFileSync(file, 'just a text');
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await page.getByRole('link', { name: /Booking again/ }).waitFor();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('The file is no agent').waitFor();
});

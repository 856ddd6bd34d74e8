// The pages of a dialled call that nobody spoke in: answered.mjs URL E-MAIL PASSWORD FOLDER CALL.
import { tour, url } from '../lib.mjs';

await tour(async ({ page, look }) => {
  await page.goto(`${url}/calls/${process.argv[6]}`);
  await page.getByText('Silence', { exact: true }).nth(1).waitFor(); // the first is the share of silence
  await page.getByText(/^Answered by: Silence \(no speech, \d+ % certain, after 2\.\d+ s\)/).waitFor();
  await page.getByText(/^(timing|clock): Silence, no speech/).waitFor();
  await look('answered-call');

  await page.getByRole('link', { name: 'Calls', exact: true }).click();
  const row = page.getByRole('row', { name: /caller/ });
  await row.getByText(/\(Silence\)$/).waitFor();
  await page.getByRole('combobox', { name: 'Answered by' }).click();
  await page.getByRole('option', { name: 'Person' }).click();
  await page.getByText('No call matches these filters.').waitFor();

  await page.getByRole('link', { name: 'Analytics', exact: true }).first().click();
  const shares = page.locator('section', { has: page.getByRole('heading', { name: 'Answered by' }) });
  await shares.getByRole('row', { name: 'Silence 1 100 %' }).waitFor();
  await look('answered-analytics');
  await shares.getByRole('link', { name: 'Silence' }).click();
  await row.waitFor();
});

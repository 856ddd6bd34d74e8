// The server goes away while a page is open, and comes back; then the session's cookies are gone.
import { ask, tour, url } from '../lib.mjs';

await tour(async ({ context, page }) => {
  await page.goto(`${url}/calls`);
  await page.getByRole('heading', { name: 'Calls' }).waitFor();
  await ask('stop');
  await page.getByText('The server cannot be reached.').first().waitFor();
  await ask('start');
  await page.getByText('The server cannot be reached.').first().waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Agents', exact: true }).first().click();
  await page.getByRole('link', { name: /Demo front desk/ }).waitFor();

  await context.clearCookies();
  await page.getByRole('link', { name: 'Calls', exact: true }).first().click();
  await page.getByText('Your session has ended. Sign in to go on.').waitFor();
}, { away: true });

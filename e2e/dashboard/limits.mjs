// The limits of the tenant and what of them is used.
import { tour } from './lib.mjs';

await tour(async ({ page, look }) => {
  await page.getByRole('link', { name: 'Limits', exact: true }).click();
  await page.getByText(/^\d+ of 5,000$/).first().waitFor();
  await page.getByText('12,000', { exact: true }).waitFor();
  await look('limits');
});

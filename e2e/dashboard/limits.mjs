// The limits and budgets of the tenant, and what is used of them.
import { execFileSync } from 'node:child_process';
import { tour } from './lib.mjs';

const { PARLEY, DATA_DIR } = process.env;
const budget = (amount) => execFileSync(PARLEY, ['tenant', 'set', 'demo', '--data-dir', DATA_DIR, '--budget-day', amount]);

await tour(async ({ page, look }) => {
  await page.getByRole('link', { name: 'Limits', exact: true }).click();
  await page.getByText(/^\d+ of 5,000$/).first().waitFor();
  await page.getByText('12,000', { exact: true }).waitFor();
  await page.getByText('There is no budget.').waitFor();
  budget('50USD');
  await page.reload();
  await page.getByText(/^\$\d+\.\d+ of \$50\.00$/).waitFor();
  await look('limits');
  budget('off');
});

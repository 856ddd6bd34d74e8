// The first page and analytics, with a call on them that is live and then over.
import { readFileSync } from 'node:fs';
import { tour, url } from './lib.mjs';

await tour(async ({ context, page, look, wrong }) => {
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  const live = page.locator('section', { has: page.getByRole('heading', { name: 'Live calls' }) });

  const talk = await context.newPage();
  await talk.goto(`${url}/agents/demo`);
  await talk.getByRole('button', { name: 'Write instead' }).click();
  await live.getByRole('link', { name: /demo/ }).waitFor();
  // A live call has neither an outcome nor a duration yet; the answer is that of a day with no other call.
  await page.route('**/api/v1/analytics/summary?*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), total_calls: 1, active_calls: 1, completed_calls: 0, failed_calls: 0, success_rate: 0, avg_duration_seconds: 0 } });
  });
  await page.goto(url);
  for (const name of ['Success', 'Average duration']) await page.locator('.stats > *', { hasText: name }).getByText('–', { exact: true }).waitFor();
  await page.unroute('**/api/v1/analytics/summary?*');
  await talk.getByRole('log').locator('.bubble.agent:not(.open)').first().waitFor();
  await talk.getByLabel('Write a message').fill('what are your opening hours');
  await talk.getByLabel('Write a message').press('Enter');
  await talk.getByRole('log').locator('.bubble.agent:not(.open)').nth(1).waitFor();
  await look('home');
  await talk.getByRole('button', { name: 'End call' }).click();
  await talk.close();
  await live.getByText('No call is live.').waitFor();

  await page.getByRole('link', { name: 'Analytics', exact: true }).first().click();
  await page.getByRole('img', { name: /Calls over time, [1-9]/ }).waitFor();
  await page.getByRole('cell', { name: /offline/ }).first().waitFor();
  await look('analytics');
  const costs = page.locator('section', { has: page.getByRole('heading', { name: 'Cost', exact: true }) });
  await costs.getByRole('row', { name: /^offline \d+ \$0\.00/ }).waitFor();
  for (const group of ['Agent', 'Workflow', 'Model']) {
    await costs.getByText(group, { exact: true }).first().click();
    await costs.getByRole('columnheader', { name: group }).waitFor();
    await costs.getByRole('row', { name: /\$0\.00/ }).first().waitFor();
  }
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download Calls as CSV' }).click()]);
  if (!readFileSync(await file.path(), 'utf8').startsWith('timestamp,total,completed,failed\r\n')) wrong('the CSV of calls has another first line');
  await page.getByText('Custom', { exact: true }).click();
  await page.getByLabel('From').fill('2026-01-02T00:00');
  await page.getByLabel('To', { exact: true }).fill('2026-01-01T00:00');
  await page.getByText('The range ends before it begins.').waitFor();
});

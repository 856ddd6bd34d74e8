// Ask the demo agent a question with a microphone that plays a recording of it, and see and hear its answer.
import { tour, url } from './lib.mjs';

await tour(async ({ page }) => {
  await page.goto(`${url}/agents/demo`);
  await page.getByRole('button', { name: 'Start talking' }).click();
  const log = page.getByRole('log', { name: 'Transcript' });
  await page.getByRole('meter', { name: 'Microphone level' }).waitFor();
  await log.locator('.mine', { hasText: /opening hours/i }).waitFor();
  await log.locator('.agent', { hasText: /eleven in the morning/ }).waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll('audio')].some((a) => !a.paused && a.currentTime > 1));
  await page.getByRole('button', { name: 'End call' }).click();
  await page.getByText('The call has ended.').waitFor();
  await page.getByRole('link', { name: 'Open this call', exact: true }).click();
  await page.getByText('Completed').first().waitFor();
  await page.getByRole('img', { name: /Turn 1:/ }).waitFor();
}, { microphone: process.env.QUESTION });

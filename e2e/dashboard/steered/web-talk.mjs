// The example page of examples/web-talk shows the state of the demo agent and what both sides say, through LiveKit's own
// components.
import { folder, tour, url } from '../lib.mjs';

await tour(async ({ page }) => {
  await page.goto(url);
  await page.getByRole('button', { name: 'Write instead' }).click();
  const log = page.getByRole('log', { name: 'Transcript' });
  await log.getByText(/^demo Hello/).waitFor();
  await page.getByRole('status').getByText(/^(listening|speaking|thinking)$/).waitFor();
  const message = page.getByLabel('Write a message');
  await message.fill('what are your opening hours');
  await message.press('Enter');
  await log.getByText('You what are your opening hours').waitFor();
  await log.getByText(/demo .*eleven in the morning/).waitFor();
  await page.getByRole('status').getByText('listening').waitFor(); // what is said is complete
  await page.waitForFunction(() => [...document.querySelectorAll('audio')].some((a) => a.srcObject && !a.paused));
  await page.screenshot({ path: `${folder}/example-web-talk.png` });
  await page.getByRole('button', { name: 'End' }).or(page.locator('.lk-disconnect-button')).first().click();
  await page.getByRole('button', { name: 'Start talking' }).waitFor();
}, { signedIn: false });

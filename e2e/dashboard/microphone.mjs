// A refused microphone is said, the caller is greeted all the same, and writes. Changes are talked to without saving them.
import { tour, url } from './lib.mjs';

await tour(async ({ page, look, wrong }) => {
  await page.goto(`${url}/agents/demo`);
  const greeting = page.getByLabel('Greeting', { exact: true });
  await greeting.fill(' ');
  await page.getByLabel('System prompt').fill('');
  await page.getByRole('button', { name: 'Start talking' }).click();
  await page.getByText('Mend the marked fields first.').waitFor();
  await page.getByText('is required').first().waitFor();

  await page.getByLabel('System prompt').fill('- opening hours => We open when the sun rises.\n- * => Please say that again.');
  await greeting.fill('A greeting that nobody has saved.');
  await page.getByRole('button', { name: 'Talk again' }).click();
  await page.getByText('The browser refuses the microphone.').waitFor();
  const log = page.getByRole('log', { name: 'Transcript' });
  await log.getByText('A greeting that nobody has saved.').waitFor();
  await look('microphone-refused');
  const message = page.getByLabel('Write a message');
  await message.fill('what are your opening hours');
  await message.press('Enter');
  await log.getByText('We open when the sun rises.').waitFor();
  await page.getByRole('button', { name: 'End call' }).click();
  await page.getByText('The call has ended.').waitFor();
  const saved = await (await page.request.get(`${url}/api/v1/agents/demo`)).json();
  if (JSON.stringify(saved).includes('nobody has saved')) wrong('a call with changes saved them');
}, { microphone: 'refused' });

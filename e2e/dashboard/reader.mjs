// A user who may only read calls sees no page and no button that the server would refuse.
import { signIn, tour } from './lib.mjs';

await tour(async ({ page, look, wrong }) => {
  page.on('response', (response) => {
    if (response.status() === 403) wrong(`${response.request().method()} ${new URL(response.url()).pathname} was refused`);
  });
  await signIn(page, process.env.READER, process.env.READER_PASSWORD);
  const navigation = page.getByRole('navigation', { name: 'Navigation' });
  await navigation.getByRole('link', { name: 'Calls' }).waitFor();
  await look('home-reader');
  for (const name of ['Agents', 'Workflows', 'Tools', 'Webhooks', 'Limits']) {
    if (await navigation.getByRole('link', { name, exact: true }).count()) wrong(`the page ${name} is offered`);
  }
  await navigation.getByRole('link', { name: 'Calls' }).click();
  await page.getByRole('heading', { name: 'Calls' }).waitFor();
  await page.locator('tbody').getByRole('link').first().click();
  await page.getByText('Completed').first().waitFor();
  await look('call-reader');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('agent');
  if (await page.getByRole('option', { name: 'New agent' }).count()) wrong('a new agent is offered');
}, { signedIn: false });

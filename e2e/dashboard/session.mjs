// Signing in and out, finding things by keyboard, and what the page's storage holds.
import { email, password, tour, url } from './lib.mjs';

await tour(async ({ context, page, look, wrong }) => {
  await page.goto(url);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The e-mail address or the password is wrong.').waitFor();
  await look('sign-in');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account' }).waitFor();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('demo booking');
  await page.getByRole('option', { name: /Demo booking desk/ }).waitFor();
  await look('palette');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/agents/demo-booking');

  if ((await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).includes('eyJ')) wrong('a token is in the storage of the page');

  // Signing out in one tab ends the session in the other.
  const other = await context.newPage();
  await other.goto(`${url}/agents`);
  await other.getByRole('button', { name: 'Account' }).click();
  await other.getByRole('menuitem', { name: 'Sign out' }).click();
  await other.waitForURL('**/sign-in**');
  await page.waitForURL('**/sign-in**');
}, { signedIn: false });

// Signing in and out, finding things by keyboard, and what the page's storage holds.
import { email, password, tour, url } from './lib.mjs';

await tour(async ({ context, page, look, wrong }) => {
  // With an identity provider there is a way to it, and a sentence where it did not succeed.
  await page.route('**/api/v1/auth/methods', (route) => route.fulfill({ json: { password: true, oidc: { name: 'Zitadel', url: '/api/v1/auth/oidc' } } }));
  await page.goto(`${url}/sign-in?failed=groups`);
  const provider = page.getByRole('link', { name: 'Sign in with Zitadel' });
  await provider.waitFor();
  if (await provider.getAttribute('href') !== '/api/v1/auth/oidc') wrong(`it leads to ${await provider.getAttribute('href')}`);
  await page.getByRole('alert').getByText('None of your groups may sign in here.').waitFor();
  await look('sign-in-provider');
  await page.unroute('**/api/v1/auth/methods');

  await page.goto(url);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The e-mail address or the password is wrong.').waitFor();
  await look('sign-in');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account' }).waitFor();

  // Errors of both levels are readable.
  const at = '2026-11-01T09:30:00.000000Z';
  const groups = ['error', 'warning'].map((level) => ({ call_id: '0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12', level, service: 'webhook', message: `A delivery: ${level}.`, agent: null, count: 1, first_at: at, last_at: at }));
  await page.route('**/api/v1/analytics/error-groups?*', (route) => route.fulfill({ json: groups }));
  await page.goto(url);
  await page.getByText('A delivery: warning.').waitFor();
  await look('home-errors');
  await page.unroute('**/api/v1/analytics/error-groups?*');

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('demo booking');
  await page.getByRole('option', { name: /Demo booking desk/ }).waitFor();
  await look('palette');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/agents/demo-booking');

  if ((await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).includes('eyJ')) wrong('a token is in the storage of the page');

  // A sign-out that the server refuses, or that does not reach it, is not shown as one.
  for (const answer of [(route) => route.fulfill({ status: 429, json: { error: { code: 'rate_limit_exceeded', message: 'too many' } } }), (route) => route.abort()]) {
    await page.route('**/api/v1/auth/session', answer);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('You are still signed in').first().waitFor();
    if (page.url().includes('/sign-in')) wrong('the sign-in page is shown while the session goes on');
    await page.unroute('**/api/v1/auth/session');
    await page.reload();
    await page.getByRole('button', { name: 'Account' }).waitFor();
  }

  // Signing out in one tab ends the session in the other.
  const other = await context.newPage();
  await other.goto(`${url}/agents`);
  await other.getByRole('button', { name: 'Account' }).click();
  await other.getByRole('menuitem', { name: 'Sign out' }).click();
  await other.waitForURL('**/sign-in**');
  await page.waitForURL('**/sign-in**');
}, { signedIn: false, away: true }); // one sign-out does not reach the server

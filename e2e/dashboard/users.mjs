// Users are made, changed and deleted, and change their own password.
import { signIn, tour, url } from './lib.mjs';

await tour(async ({ context, page, look, wrong }) => {
  const ada = 'ada@example.com';
  const [first, second] = ['a first password', 'a second password'];
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByText('You', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'New user' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('E-mail address').fill(ada);
  await form.getByRole('textbox', { name: 'Password' }).fill('short');
  await form.getByRole('button', { name: 'Create' }).click();
  await form.getByText('Check the marked fields.').waitFor();
  await form.getByRole('textbox', { name: 'Password' }).fill(first);
  await form.getByLabel('Users: Read').check();
  await look('user-new');
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByText('calls:read, users:read').waitFor();
  await look('users');

  // Another browser: the user sees what the scopes allow, and changes the password.
  const other = await context.browser().newContext({ viewport: { width: 1360, height: 900 } });
  const theirs = await other.newPage();
  await signIn(theirs, ada, first);
  await theirs.goto(`${url}/users`);
  await theirs.getByText(ada).first().waitFor();
  if (await theirs.getByRole('button', { name: 'New user' }).isVisible()) wrong('a user without users:write may make users');
  await theirs.getByRole('button', { name: 'Account' }).click();
  await theirs.getByRole('menuitem', { name: 'Change password' }).click();
  const own = theirs.getByRole('dialog');
  await own.getByRole('textbox', { name: 'Current password' }).fill('not the password');
  await own.getByRole('textbox', { name: 'New password' }).fill(second);
  await own.getByRole('button', { name: 'Save' }).click();
  await own.getByText('is wrong').waitFor();
  await own.getByRole('textbox', { name: 'Current password' }).fill(first);
  await own.getByRole('button', { name: 'Save' }).click();
  await theirs.waitForURL(/sign-in/);
  await signIn(theirs, ada, second);

  await page.getByRole('button', { name: `Change ${ada}` }).click();
  await page.getByRole('dialog').getByLabel('Agents: Read').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('agents:read').waitFor();
  await page.getByRole('button', { name: `Delete ${ada}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText(ada, { exact: true }).waitFor({ state: 'detached' });
  await theirs.goto(url);
  await theirs.waitForURL(/sign-in/);
});

// Drives the dashboard in Chromium: node tour.mjs URL E-MAIL PASSWORD FOLDER. Screenshots go into the folder. What is
// wrong is printed, and makes the exit status 1.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const require = createRequire(new URL('../../web/dashboard/package.json', import.meta.url));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [url, email, password, folder] = process.argv.slice(2);
const wrong = [];
const limit = 60_000;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream', '--autoplay-policy=no-user-gesture-required'],
});
const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, colorScheme: 'light', permissions: ['microphone'] });
context.setDefaultTimeout(limit);
const page = await context.newPage();
page.on('pageerror', (error) => wrong.push(`error in the page: ${error.message}`));
page.on('console', (message) => {
  // The browser reports every answer of an error status, also those that the page expects, such as of a call without a recording.
  const expected = /status of (401|404|422)/.test(message.text());
  if (message.type() === 'error' && !expected) wrong.push(`console: ${message.text()}`);
});

/** look takes screenshots of a page in all its forms, and has axe-core check it. */
async function look(name) {
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    for (const width of [390, 1360]) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForFunction((w) => innerWidth === w, width);
      await page.waitForTimeout(300);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (beyond > 0) wrong.push(`${name}, ${width} px: ${beyond} px beyond the edge`);
      await page.screenshot({ path: `${folder}/${name}-${scheme}-${width}.png` });
    }
    // Evaluated over the debugger, which the content security policy leaves alone.
    const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ['violations'] })`);
    for (const v of found.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical')) {
      wrong.push(`${name}, ${scheme}: ${v.id}: ${v.help}: ${v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join(', ')}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

try {
  await page.goto(url);
  const mail = page.getByLabel('E-mail address');
  await mail.fill(email);
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The e-mail address or the password is wrong.').waitFor();
  await look('sign-in');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: /Demo front desk/ }).waitFor();
  await look('agents');

  // An agent that is refused has its faults at its fields.
  await page.getByRole('link', { name: 'New agent' }).click();
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.getByText('is required').first().waitFor();
  await look('new-agent');
  await page.getByLabel(/^Name/).fill('clerk');
  await page.getByLabel('Display name').fill('Clerk');
  await page.getByLabel('System prompt').fill('You are a clerk.\n- opening hours => We open at nine.\n- * => Please say that again.');
  await page.getByLabel('Greeting').fill('Hello from the clerk.');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.waitForURL('**/agents/clerk');
  await page.getByRole('heading', { name: 'Clerk' }).waitFor();

  // Changes that are not saved are guarded.
  await page.getByLabel('Greeting').fill('Good day.');
  await page.getByRole('link', { name: 'Calls' }).first().click();
  await page.getByRole('button', { name: 'Stay' }).last().click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. New calls use it.').first().waitFor();

  // Talk in writing.
  await page.getByRole('button', { name: 'Write instead' }).click();
  const log = page.getByRole('log', { name: 'Transcript' });
  await log.getByText('Good day.').waitFor();
  const message = page.getByLabel('Write a message');
  await message.fill('what are your opening hours');
  await message.press('Enter');
  await log.getByText('what are your opening hours').waitFor();
  await log.getByText('We open at nine.').waitFor();
  await look('talk');
  // The microphone may come later.
  await page.getByRole('button', { name: 'Speak' }).click();
  await page.getByRole('meter', { name: 'Microphone level' }).waitFor();
  await page.getByRole('button', { name: 'Mute' }).click();
  await page.getByRole('button', { name: 'Unmute' }).waitFor();

  // The call is live in a second tab, and in the list afterwards.
  const second = await context.newPage();
  await second.goto(`${url}/calls`);
  await second.getByRole('link', { name: /clerk/ }).first().waitFor();
  await second.close();
  await page.getByRole('button', { name: 'End call' }).click();
  await page.getByText('The call has ended.').waitFor();
  await page.getByRole('link', { name: 'Calls' }).first().click();
  await page.getByText('Page 1 of 1').waitFor();
  await look('calls');
  await page.locator('tbody').getByRole('link', { name: /clerk/ }).first().click();
  await page.getByText('Completed').first().waitFor();
  await page.getByText('We open at nine.').waitFor();
  await page.getByRole('img', { name: /Turn 1:/ }).waitFor();
  await look('call');

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('booking');
  await page.getByRole('option', { name: /Demo booking desk/ }).waitFor();
  await look('palette');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/agents/demo-booking');

  if ((await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).includes('eyJ')) wrong.push('a token is in the storage of the page');

  // Signing out in one tab ends the session in the other.
  const other = await context.newPage();
  await other.goto(`${url}/agents`);
  await other.getByRole('button', { name: 'Account' }).click();
  await other.getByRole('menuitem', { name: 'Sign out' }).click();
  await other.waitForURL('**/sign-in**');
  await page.waitForURL('**/sign-in**');
} catch (error) {
  wrong.push(String(error));
  await page.screenshot({ path: `${folder}/failed.png` }).catch(() => {});
} finally {
  await browser.close();
}
if (wrong.length > 0) {
  console.log([...new Set(wrong)].join('\n'));
  process.exit(1);
}

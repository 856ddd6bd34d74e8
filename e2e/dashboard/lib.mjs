// What the tours of the dashboard share. A tour is a file that is run with node TOUR.mjs URL E-MAIL PASSWORD FOLDER and
// drives the dashboard in a browser of its own. Screenshots go into the folder. What is wrong is printed, and makes the exit
// status 1.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const require = createRequire(new URL('../../web/dashboard/package.json', import.meta.url));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const limit = 60_000;
export const [url, email, password, folder] = process.argv.slice(2);

/**
 * tour runs the steps in a browser, signed in unless told otherwise, and ends the process. The steps get the context, its
 * page, look (screenshots and axe-core) and wrong, which takes what is not as it should be. The microphone plays a tone, or
 * the file of a path, once or again and again (repeat), or is 'refused'. Where the server is away for a while, the browser's
 * errors about it do not count. With strict, axe-core's minor findings count, too. args are further arguments of Chromium.
 */
export async function tour(steps, { signedIn = true, microphone, repeat = false, away = false, strict = false, args = [] } = {}) {
  const found = [];
  const wrong = (text) => found.push(text);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox', '--use-fake-device-for-media-stream', '--autoplay-policy=no-user-gesture-required',
      ...(microphone === 'refused' ? ['--deny-permission-prompts'] : ['--use-fake-ui-for-media-stream']),
      ...(microphone && microphone !== 'refused' ? [`--use-file-for-fake-audio-capture=${microphone}${repeat ? '' : '%noloop'}`] : []),
      ...args,
    ],
  });
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, colorScheme: 'light', reducedMotion: 'reduce', permissions: microphone === 'refused' ? [] : ['microphone'], acceptDownloads: true });
  context.setDefaultTimeout(limit);
  const page = await context.newPage();
  page.on('pageerror', (error) => wrong(`error in the page: ${error.message}`));
  page.on('console', (message) => {
    // The browser reports every answer of an error status, also those that the page expects, such as of a call without a recording.
    const expected = /status of (401|403|404|409|422)/.test(message.text()) || (away && /Failed to load resource|EventSource|WebSocket|ConnectionError/.test(message.text()));
    if (message.type() === 'error' && !expected) wrong(`console: ${message.text()}`);
  });
  try {
    if (signedIn) await signIn(page);
    await steps({ context, page, wrong, look: (name) => look(page, name, wrong, strict) });
  } catch (error) {
    wrong(String(error));
    wrong(`the page then:\n${(await page.innerText('body', { timeout: 5000 }).catch(String)).slice(0, 3000)}`);
    await page.screenshot({ path: `${folder}/failed-${process.argv[1].split('/').pop()}.png` }).catch(() => {});
  } finally {
    await browser.close();
  }
  if (found.length > 0) console.log([...new Set(found)].join('\n'));
  process.exit(found.length > 0 ? 1 : 0);
}

/** signIn signs the user of the command line in, and waits for the first page. */
export async function signIn(page, user = email, secret = password) {
  await page.goto(url);
  await page.getByLabel('E-mail address').fill(user);
  await page.getByLabel('Password', { exact: true }).fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account' }).waitFor();
}

/** send sends a request to the API as the signed-in user of the page, and returns the answer. */
export function send(page, method, path, body) {
  return page.evaluate(async ([method, path, body]) => {
    const response = await fetch(`/api/v1${path}`, { method, headers: { 'Content-Type': 'application/json', 'X-Requested-By': 'tour' }, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }, [method, path, body]);
}

/** look takes screenshots of a page in all its forms, and has axe-core check it. */
async function look(page, name, wrong, strict) {
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const width of [390, 1360]) {
      await page.setViewportSize({ width, height: 900 });
      await settled(page, scheme, width);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (beyond > 0) wrong(`${name}, ${width} px: ${beyond} px beyond the edge`);
      await page.screenshot({ path: `${folder}/${name}-${scheme}-${width}.png` });
    }
    // Evaluated over the debugger, which the content security policy leaves alone.
    const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ['violations'] })`);
    for (const v of found.violations.filter((v) => strict || v.impact === 'serious' || v.impact === 'critical')) {
      wrong(`${name}, ${scheme}: ${v.id}: ${v.help}: ${v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join(', ')}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** settled waits until the page has the width and the colours, loads nothing any more, and was drawn. */
async function settled(page, scheme, width) {
  await page.waitForFunction(
    ([scheme, width]) => innerWidth === width && (!document.querySelector('#root') || document.documentElement.dataset.mantineColorScheme === scheme) && !document.querySelector('#root .mantine-Loader-root'),
    [scheme, width],
  );
  await page.evaluate(async () => {
    await Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getTiming().iterations !== Infinity).map((a) => a.finished));
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  });
}

const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** ask has the Go test do something, and waits until it is done. */
export async function ask(what) {
  process.stdout.write(`${what}\n`);
  await answers.next();
}

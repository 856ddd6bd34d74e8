// node browser.mjs PAGE INPUT: in a page in Chromium, and in a web worker of it.
import { createRequire } from 'node:module';

const { chromium } = createRequire(new URL('../../../web/dashboard/package.json', import.meta.url))('playwright-core');
const [page, input] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const tab = await browser.newPage();
  await tab.goto(page);
  const inPage = await tab.evaluate(async (given) => {
    const [{ check }, client] = await Promise.all([import('/check.mjs'), import('/client/index.js')]);
    return check(client, given);
  }, JSON.parse(input));
  const inWorker = await tab.evaluate(
    (given) =>
      new Promise((done, failed) => {
        const worker = new Worker('/worker.mjs', { type: 'module' });
        worker.onmessage = ({ data }) => done(data);
        worker.onerror = ({ message }) => failed(new Error(message));
        worker.postMessage(given);
      }),
    JSON.parse(input),
  );
  console.log(JSON.stringify([inPage, inWorker]));
} finally {
  await browser.close();
}

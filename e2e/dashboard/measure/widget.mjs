// Measures <parley-agent> on an otherwise empty page of another origin, as widget.go serves it, and prints rows of a table: node widget.mjs PAGE
// SCRIPT CLIENT, where the last two are the widget's files.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';

const { chromium } = createRequire(new URL('../../../web/dashboard/package.json', import.meta.url))('playwright-core');
const [at, ...files] = process.argv.slice(2);
const runs = 7;
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const kB = (path) => `${(gzipSync(readFileSync(path), { level: 9 }).length / 1000).toFixed(1)} kB`;

/** once loads the page with an empty cache and has a conversation; the times are in milliseconds. */
async function once(browser, slowdown, attributes) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  const times = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    const of = (name) => 1000 * metrics.find((m) => m.name === name).value;
    return { script: of('ScriptDuration'), task: of('TaskDuration') };
  };
  await page.addInitScript(() => {
    window.blocked = 0;
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) window.blocked += task.duration - 50;
    }).observe({ type: 'longtask', buffered: true });
  });
  await page.goto(`${at}/?${attributes}`);
  if (!attributes.startsWith('none')) await page.getByRole('button').first().waitFor();
  await page.waitForLoadState('networkidle');
  const loaded = { ...(await times()), blocked: await page.evaluate(() => window.blocked) };
  if (attributes.startsWith('none')) {
    await context.close();
    return { loaded };
  }
  const clicked = Date.now();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Listening').or(page.getByText('Speaking')).first().waitFor();
  const until = Date.now() - clicked;
  const after = { ...(await times()), blocked: await page.evaluate(() => window.blocked) };
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await page.getByText('The conversation is over.').waitFor();
  await context.close();
  return { loaded, begun: { script: after.script - loaded.script, task: after.task - loaded.task, blocked: after.blocked - loaded.blocked, until } };
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'] });
try {
  console.log(`script, gzip: ${kB(files[0])}; LiveKit's client, on the first click: ${kB(files[1])}`);
  for (const slowdown of [1, 4]) {
    const found = { none: [], text: [], both: [] };
    for (let n = 0; n < runs; n++)
      for (const [what, attributes] of [['none', 'none=1'], ['text', 'mode=text'], ['both', 'mode=both']]) found[what].push(await once(browser, slowdown, attributes));
    const ms = (what, part, name) => Math.round(median(found[what].map((f) => f[part][name])));
    const part = (what, name) => `script ${ms(what, name, 'script')}, tasks ${ms(what, name, 'task')}, blocking ${ms(what, name, 'blocked')} ms`;
    console.log(`${slowdown}x slowdown, medians of ${runs}: page without the widget: ${part('none', 'loaded')}; with it: ${part('both', 'loaded')}`);
    for (const what of ['text', 'both']) console.log(`  click to agent's state, mode ${what}: ${ms(what, 'begun', 'until')} ms, in which ${part(what, 'begun')}`);
  }
} finally {
  await browser.close();
}

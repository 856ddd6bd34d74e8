// Measures the dashboard of a server that runs, as main.go starts it, and prints rows of a table:
// node measure.mjs URL E-MAIL PASSWORD FOLDER [MINUTES].
import { gzipSync } from 'node:zlib';
import { email, password, tour, url } from '../lib.mjs';

const minutes = Number(process.argv[6] ?? 0);
const sorted = (values) => [...values].sort((a, b) => a - b);
const median = (values) => sorted(values)[Math.floor(values.length / 2)] ?? 0;
const p95 = (values) => sorted(values)[Math.floor(values.length * 0.95)] ?? 0;
const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
const ms = (n) => `${Math.round(n)} ms`;
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);

row('what', 'goal', 'measured');
row('---', '---', '---');

await tour(async ({ context, page }) => {
  await page.goto('about:blank');

  // JavaScript of each page, compressed, in the order of the visits: what a page before has loaded does not count again.
  const visitor = await context.newPage();
  let scripts = [];
  visitor.on('response', (response) => {
    if (new URL(response.url()).pathname.endsWith('.js')) scripts.push(response.body().then((body) => [response.url(), gzipSync(body).length], () => ['', 0]));
  });
  const cdpOfVisitor = await context.newCDPSession(visitor);
  await cdpOfVisitor.send('Network.clearBrowserCache');
  const counted = new Set();
  const loaded = async () => {
    const found = (await Promise.all(scripts)).filter(([name]) => name && !counted.has(name));
    for (const [name] of found) counted.add(name);
    scripts = [];
    return found;
  };
  const kB = (found) => `${Math.round(found.reduce((sum, [, size]) => sum + size, 0) / 1000)} kB`;
  await visitor.goto(url);
  await visitor.locator('.stats').waitFor();
  await visitor.waitForLoadState('networkidle');
  const first = await loaded();
  row('main bundle (gzip)', '200 kB', kB(first.filter(([name]) => /\/index-[^/]*\.js$/.test(name))));
  row('all scripts of the first page (gzip)', '', kB(first));
  for (const [name, path] of [['analytics', '/analytics'], ['list of calls', '/calls'], ['an agent, with Talk', '/agents/demo'], ['a workflow', '/workflows/demo']]) {
    await visitor.goto(`${url}${path}`);
    await visitor.waitForLoadState('networkidle');
    if (name.endsWith('Talk')) {
      await visitor.getByRole('button', { name: 'Write instead' }).click();
      await visitor.getByRole('button', { name: 'End call' }).click();
    }
    row(`scripts that ${name} adds (gzip)`, '', kB(await loaded()));
  }
  await visitor.close();

  // The first page under 4x CPU slowdown: from the navigation to the moment at which its figures are there. Processor time of
  // the main thread is what a busy machine does not lengthen.
  for (const [name, cold] of [['cold cache', true], ['warm cache', false]]) {
    const took = [];
    const worked = [];
    for (let i = 0; i < 7; i++) {
      const fresh = await context.newPage();
      const cdp = await context.newCDPSession(fresh);
      await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
      if (cold) await cdp.send('Network.clearBrowserCache');
      await fresh.goto(url, { waitUntil: 'commit' });
      await fresh.waitForFunction(() => document.querySelector('h1') && document.querySelector('.stats') && !document.querySelector('.mantine-Loader-root'), undefined, { polling: 'raf' });
      took.push(await fresh.evaluate(() => performance.now()));
      worked.push((await cdp.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value * 1000);
      await fresh.close();
    }
    row(`first page, 4x CPU slowdown, ${name}, wall time of ${took.length}`, '1.5 s', `median ${ms(median(took))}, best ${ms(Math.min(...took))}, worst ${ms(most(took))}`);
    row(`the same, processor time of the main thread`, '', `median ${ms(median(worked))}, best ${ms(Math.min(...worked))}, worst ${ms(most(worked))}`);
  }

  // Paging through the calls.
  await page.goto(`${url}/calls`);
  const shown = page.getByText(/^Page \d+ of/);
  await shown.waitFor();
  const total = /, ([\d,.]+) calls/.exec(await shown.textContent())?.[1];
  const cdp = await context.newCDPSession(page);
  for (const rate of [1, 4]) {
    await cdp.send('Emulation.setCPUThrottlingRate', { rate });
    const figures = await page.evaluate(async () => {
      const label = () => [...document.querySelectorAll('p')].find((p) => /^Page \d+ of/.test(p.textContent))?.textContent;
      const tasks = [];
      const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration)));
      observer.observe({ type: 'longtask' });
      performance.clearResourceTimings();
      const frames = [];
      let last = performance.now();
      let paging = true;
      requestAnimationFrame(function drawn(now) {
        frames.push(now - last);
        last = now;
        if (paging) requestAnimationFrame(drawn);
      });
      const pages = [];
      for (let i = 0; i < 20; i++) {
        const before = label();
        const begun = performance.now();
        [...document.querySelectorAll('button')].find((b) => b.textContent === 'Next').click();
        while (label() === before) await new Promise(requestAnimationFrame);
        pages.push(performance.now() - begun);
        await new Promise((r) => setTimeout(r, 100));
      }
      paging = false;
      observer.disconnect();
      const answers = performance.getEntriesByType('resource').filter((e) => e.name.includes('/api/v1/calls?')).map((e) => e.responseEnd - e.startTime);
      return { pages, tasks, frames, answers };
    });
    const { pages, tasks, frames, answers } = figures;
    row(`${total} calls, 20 pages on${rate > 1 ? `, ${rate}x CPU slowdown` : ''}: click to drawn`, '', `median ${ms(median(pages))}, worst ${ms(most(pages))}, of which the server's answer ${ms(median(answers))}, ${ms(most(answers))}`);
    row('the same: frames, and tasks over 50 ms', 'no jank', `frames p95 ${ms(p95(frames))}, worst ${ms(most(frames))} of ${frames.length}; ${tasks.length} tasks, longest ${ms(most(tasks))}`);
  }
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  if (minutes) await keepOpen(context, page);
}, { away: true });

/** keepOpen has the first page and the list of calls open while calls begin and end, ten changes a second. */
async function keepOpen(context, page) {
  let authorization;
  const login = async () => {
    const answer = await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ email, password }) });
    if (answer.ok) authorization = `Bearer ${(await answer.json()).access_token}`;
  };
  await login();
  const post = (path, body) => fetch(`${url}/api/v1/calls${path}`, { method: 'POST', headers: { Authorization: authorization, 'Content-Type': 'application/json' }, body });
  let changes = 0;
  const change = async () => {
    const started = await post('', JSON.stringify({ workflow_slug: 'demo' }));
    if (started.status !== 201) return;
    changes++;
    const { call_id } = await started.json();
    await new Promise((r) => setTimeout(r, 1000));
    if ((await post(`/${call_id}/end`)).ok) changes++;
  };
  const timers = [setInterval(() => void change().catch(() => {}), 200), setInterval(() => void login().catch(() => {}), 300_000)];
  await page.goto(`${url}/calls`);
  const home = await context.newPage();
  await home.goto(url);
  const watched = [];
  for (const [name, one] of [['first page', home], ['list of calls', page]]) {
    const session = await context.newCDPSession(one);
    await session.send('Performance.enable');
    watched.push({ name, session, samples: [] });
  }
  const begun = Date.now();
  for (let minute = 0; minute <= minutes; minute++) {
    while (Date.now() - begun < minute * 60_000) await new Promise((r) => setTimeout(r, 250));
    for (const { name, session, samples } of watched) {
      await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      const of = (key) => metrics.find((m) => m.name === key).value;
      samples.push({ minute, heap: of('JSHeapUsedSize') / 1e6, nodes: of('Nodes'), listeners: of('JSEventListeners') });
      const now = samples.at(-1);
      if (minute % 5 === 0 || minute === minutes) {
        row(`${name}, minute ${minute}: heap after collection`, 'does not grow', `${now.heap.toFixed(2)} MB; ${now.nodes} nodes, ${now.listeners} listeners; ${(changes / Math.max(1, (Date.now() - begun) / 1000)).toFixed(1)} changes a second`);
      }
    }
  }
  for (const timer of timers) clearInterval(timer);
  for (const { name, samples } of watched) row(`${name}: growth of the heap, least squares from minute 5`, 'does not grow', `${(slope(samples.filter((s) => s.minute >= 5)) * 60).toFixed(3)} MB an hour over ${changes} changes`);
  for (const one of [page, home]) if (await one.getByRole('button', { name: 'Account' }).count() === 0) throw new Error('a page was signed out meanwhile');
}

/** slope is the growth of the heap a minute. */
function slope(samples) {
  const mean = (of) => samples.reduce((sum, s) => sum + of(s), 0) / samples.length;
  const [x, y] = [mean((s) => s.minute), mean((s) => s.heap)];
  return samples.reduce((sum, s) => sum + (s.minute - x) * (s.heap - y), 0) / samples.reduce((sum, s) => sum + (s.minute - x) ** 2, 0);
}

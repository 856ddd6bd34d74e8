// Measures the dashboard of a server that runs: node steered/measure.mjs URL E-MAIL PASSWORD FOLDER [MINUTES]. The figures of
// docs/performance.md are made with it; no test runs it. The server needs PARLEY_SESSION_RATE_LIMIT=0, and calls to page through.
import { email, password, tour, url } from '../lib.mjs';

const minutes = Number(process.argv[6] ?? 0);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const round = (n) => Math.round(n);

await tour(async ({ context, page }) => {
  // The first page under 4x CPU slowdown: from the navigation to the moment at which its figures are there.
  for (const [name, cold] of [['cold cache', true], ['warm cache', false]]) {
    const took = [];
    const worked = [];
    for (let i = 0; i < 5; i++) {
      const fresh = await context.newPage();
      const cdp = await context.newCDPSession(fresh);
      await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      // Processor time of the main thread, which a busy machine does not lengthen.
      await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
      if (cold) await cdp.send('Network.clearBrowserCache');
      await fresh.goto(url, { waitUntil: 'commit' });
      await fresh.waitForFunction(() => document.querySelector('h1') && document.querySelector('.stats') && !document.querySelector('.mantine-Loader-root'), undefined, { polling: 'raf' });
      took.push(await fresh.evaluate(() => performance.now()));
      worked.push((await cdp.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value * 1000);
      await fresh.close();
    }
    console.log(`first page, 4x slowdown, ${name}: median ${round(median(took))} ms, best ${round(Math.min(...took))} ms, worst ${round(Math.max(...took))} ms; processor time of the main thread: median ${round(median(worked))} ms, best ${round(Math.min(...worked))} ms`);
  }

  // Paging through the calls.
  await page.goto(`${url}/calls`);
  const shown = page.getByText(/^Page \d+ of/);
  await shown.waitFor();
  console.log(`calls: ${await shown.textContent()}`);
  const cdp = await context.newCDPSession(page);
  for (const rate of [1, 4]) {
    await cdp.send('Emulation.setCPUThrottlingRate', { rate });
    const figures = await page.evaluate(async () => {
      const long = [];
      const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map((e) => e.duration)));
      observer.observe({ type: 'longtask' });
      const pages = [];
      for (let i = 0; i < 20; i++) {
        const label = () => [...document.querySelectorAll('p')].find((p) => /^Page \d+ of/.test(p.textContent))?.textContent;
        const before = label();
        const begun = performance.now();
        [...document.querySelectorAll('button')].find((b) => b.textContent === 'Next').click();
        while (label() === before) await new Promise(requestAnimationFrame);
        pages.push(performance.now() - begun);
        await new Promise((r) => setTimeout(r, 50));
      }
      observer.disconnect();
      return { pages, long };
    });
    console.log(`20 pages on, ${rate}x slowdown: median ${round(median(figures.pages))} ms, worst ${round(Math.max(...figures.pages))} ms; tasks over 50 ms: ${figures.long.length}, longest ${round(Math.max(0, ...figures.long))} ms`);
  }
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  if (!minutes) return;

  // The first page and the list of calls, open while calls begin and end.
  const signedIn = await (await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ email, password }) })).json();
  const headers = { Authorization: `Bearer ${signedIn.access_token}`, 'Content-Type': 'application/json' };
  let changes = 0;
  let running = true;
  const change = async () => {
    const started = await fetch(`${url}/api/v1/calls`, { method: 'POST', headers, body: JSON.stringify({ workflow_slug: 'demo' }) });
    if (started.status !== 201) return;
    changes++;
    const { call_id } = await started.json();
    await new Promise((r) => setTimeout(r, 1000));
    if ((await fetch(`${url}/api/v1/calls/${call_id}/end`, { method: 'POST', headers })).ok) changes++;
  };
  const timer = setInterval(() => running && void change().catch(() => {}), 200);
  await page.goto(`${url}/calls`);
  const home = await context.newPage();
  await home.goto(url);
  const watched = [];
  for (const [name, one] of [['first page', home], ['calls', page]]) {
    const session = await context.newCDPSession(one);
    await session.send('Performance.enable');
    watched.push([name, session]);
  }
  const begun = Date.now();
  for (let minute = 0; minute <= minutes; minute++) {
    for (const [name, session] of watched) {
      await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      const of = (key) => metrics.find((m) => m.name === key).value;
      console.log(`minute ${minute}, ${name}: heap ${(of('JSHeapUsedSize') / 1e6).toFixed(1)} MB, nodes ${of('Nodes')}, listeners ${of('JSEventListeners')}; ${changes} changes, ${(changes / Math.max(1, (Date.now() - begun) / 1000)).toFixed(1)} a second`);
    }
    await new Promise((r) => setTimeout(r, 60_000));
  }
  running = false;
  clearInterval(timer);
}, { away: true });

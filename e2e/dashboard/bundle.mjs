// The main bundle, which are the scripts that the document names, is at most 200 kB as compressed by gzip; LiveKit, charts and
// the workflow editor load on the pages that need them, and not on the first.
import { gzipSync } from 'node:zlib';
import { tour, url } from './lib.mjs';

const limit = 200_000; // bytes

await tour(async ({ context, wrong }) => {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.clearBrowserCache');
  let scripts = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.endsWith('.js')) scripts.push(response.body().then((body) => ({ pathname, size: gzipSync(body).length, text: body.toString() })));
  });
  const loaded = async () => {
    await page.waitForLoadState('networkidle');
    const found = await Promise.all(scripts);
    scripts = [];
    return found;
  };
  const loads = async (mark) => { // within 30 s
    for (let n = 0; n < 60; n++) {
      if ((await loaded()).some((s) => s.text.includes(mark))) return true;
      await page.waitForTimeout(500);
    }
    return false;
  };
  await page.goto(url);
  await page.locator('.stats').waitFor();
  const first = await loaded();
  const html = await (await page.request.get(url)).text();
  const named = [...html.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map((m) => first.find((s) => s.pathname === m[1]));
  const size = named.reduce((sum, s) => sum + (s?.size ?? NaN), 0);
  if (!(size > 0 && size <= limit)) wrong(`the main bundle has ${size} bytes in ${named.length} scripts`);

  // A name that stays in the compiled scripts marks each library; it is found on the page that needs it, so that the absence above means something.
  const libraries = [['LiveKit', 'lk.transcription', '/agents/demo'], ['charts', 'recharts-responsive-container', '/analytics'], ['the workflow editor', 'react-flow__renderer', '/workflows/demo']];
  for (const [name, mark, path] of libraries) {
    if (first.some((s) => s.text.includes(mark))) wrong(`the first page loads ${name}`);
    await page.goto(`${url}${path}`);
    await page.getByRole('heading').first().waitFor();
    if (!(await loads(mark))) wrong(`${path} does not load ${name}`);
  }
});

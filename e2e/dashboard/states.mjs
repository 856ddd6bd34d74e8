// An API that fails or does not answer shows a sentence and a retry on every page, and the retry loads the page.
import { tour, url } from './lib.mjs';

// Beside the pages that the navigation leads to.
const editors = ['/agents/demo', '/workflows/demo'];
const api = /\/api\/v1\/(?!auth\/(me|session|refresh))/;
const failures = {
  'an error of the server': (route) => route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'The server made an error.' } } }),
  'no answer': (route) => route.abort(),
};

await tour(async ({ page, look, wrong }) => {
  page.setDefaultTimeout(30_000);
  const started = await page.evaluate(async () => (await fetch('/api/v1/calls/test-agent', {
    method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Requested-By': 'tour' }, body: JSON.stringify({ agent_name: 'demo' }),
  })).json());
  const call = `/calls/${started.call_id}`;
  const links = page.getByRole('navigation', { name: 'Navigation' }).locator('a[href^="/"]:not([target])');
  const pages = await links.evaluateAll((found) => found.map((link) => link.getAttribute('href')));
  if (pages.length < 13) wrong(`the navigation has ${pages.length} pages`);
  const retry = page.getByRole('main').getByRole('button', { name: 'Try again' }).first();
  for (const [failure, respond] of Object.entries(failures)) {
    for (const path of [...pages, ...editors, call]) {
      await page.route(api, respond);
      await page.goto(`${url}${path}`);
      try {
        await retry.waitFor();
        if (path === '/calls' && failure === 'no answer') await look('calls-unreachable');
        await page.unroute(api);
        while (await retry.isVisible()) {
          // The page tries again by itself, too: the button may go before it is counted or clicked.
          const shown = Math.max(1, await page.getByRole('main').getByRole('button', { name: 'Try again' }).count());
          await retry.click({ timeout: 2000 }).catch(async (error) => {
            if (await retry.isVisible()) throw error;
          });
          await page.waitForFunction((n) => [...document.querySelectorAll('main button')].filter((b) => b.textContent === 'Try again').length < n, shown);
        }
        await page.getByRole('heading', { level: 1 }).first().waitFor();
      } catch (error) {
        wrong(`${path}, ${failure}: ${String(error).split('\n')[0]}`);
        await page.unroute(api);
      }
    }
  }

  // Where only a part of a page fails, that part says so, and not that there is nothing.
  const parts = [['/', /analytics\/(error-groups|provider-latency)/, 2], ['/calls', /calls\/active/, 1], ['/analytics', /analytics\/(error-groups|provider-latency|workflow-stats)/, 3], [call, /\/(timeline|transcript)$/, 4]];
  for (const [path, failing, count] of parts) {
    await page.route(failing, failures['an error of the server']);
    await page.goto(`${url}${path}`);
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).nth(count - 1).waitFor();
    await page.unroute(failing);
  }
}, { away: true });

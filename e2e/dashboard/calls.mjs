// The filters of calls, each in the page's request, its list and its CSV.
import { readFileSync } from 'node:fs';
import { tour, url } from './lib.mjs';

await tour(async ({ page, look, wrong }) => {
  const made = await page.evaluate(async () => {
    const start = async (order) =>
      (
        await (
          await fetch('/api/v1/calls/test-agent', {
            method: 'POST',
            headers: { 'Content-Type': 'application/json', 'X-Requested-By': 'tour' },
            body: JSON.stringify({ agent_name: 'demo', user_id: `filter-${order}`, metadata: { order } }),
          })
        ).json()
      ).call_id;
    const [ended, open] = [await start('ended'), await start('open')];
    await fetch(`/api/v1/calls/${ended}/end`, { method: 'POST', headers: { 'X-Requested-By': 'tour' } });
    return { ended, open };
  });
  const day = (shift) => {
    const at = new Date(Date.now() + shift * 86_400_000);
    return new Date(at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  };
  const { status_reason: reason } = await (await page.request.get(`${url}/api/v1/calls/${made.ended}`)).json();
  const hasRow = async (what, id, there) => {
    const row = page.locator(`table.list a[href="/calls/${id}"]`);
    await row.waitFor({ state: there ? 'visible' : 'detached' }).catch(() => wrong(`${what}: ${id} is ${there ? 'not ' : ''}listed`));
  };
  // In each case, the first call is selected; the second is not, if one is given.
  for (const [what, search, parameters, yes, no] of [
    ['reason', { reason }, { status_reason: reason }, made.ended, made.open],
    ['metadata', { metadata: 'order=open' }, { 'metadata.order': 'open' }, made.open, made.ended],
    ['agent', { agent: 'demo' }, { agent_name: 'demo' }, made.open],
    ['direction', { direction: 'inbound', user: 'filter-open' }, { direction: 'inbound' }, made.open, made.ended],
    ['created from', { time: 'created', from: day(-1), user: 'filter-ended' }, { created_after: new Date(day(-1)).toISOString() }, made.ended, made.open],
    ['created until', { time: 'created', to: day(1), user: 'filter-ended' }, { created_before: new Date(day(1)).toISOString() }, made.ended, made.open],
  ]) {
    const asked = page.waitForRequest((r) => new URL(r.url()).pathname === '/api/v1/calls' && new URL(r.url()).searchParams.get('page_size') === '25' && Object.entries(parameters).every(([name, value]) => new URL(r.url()).searchParams.get(name) === value));
    await page.goto(`${url}/calls?${new URLSearchParams(search)}`);
    await asked;
    await hasRow(what, yes, true);
    if (no) await hasRow(what, no, false);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
    const [columns, ...rows] = readFileSync(await file.path(), 'utf8').trim().split('\r\n');
    for (const column of ['status_reason', 'phone_number', 'direction', 'agent_name', 'metadata', 'created_at']) if (!columns.split(',').includes(column)) wrong(`the CSV lacks ${column}`);
    if (!rows.some((row) => row.startsWith(yes)) || (no && rows.some((row) => row.startsWith(no)))) wrong(`${what}: the CSV has ${rows.length} rows, and not those of the list`);
  }
  for (const search of [{ number: '+4930123456' }, { time: 'created', from: day(1) }, { time: 'created', to: day(-1) }, { direction: 'outbound', user: 'filter-open' }]) {
    await page.goto(`${url}/calls?${new URLSearchParams(search)}`);
    await page.getByText('No call matches these filters.').waitFor();
  }
  await page.goto(`${url}/calls`);
  await page.getByRole('combobox', { name: 'Time of' }).click();
  await page.getByRole('option', { name: 'Creation' }).click();
  await page.waitForURL(/time=created/);
  await look('calls-filters');
});

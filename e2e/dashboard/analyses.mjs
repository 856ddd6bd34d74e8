// A call's page shows its analyses as they come: answers whose evidence leads to the transcript and to the recording, and why there is no answer.
import { tour, url } from './lib.mjs';

await tour(async ({ context, page, look, wrong }) => {
  const send = (method, path, body) =>
    page.evaluate(async ([method, path, body]) => {
      const response = await fetch(`/api/v1${path}`, { method, headers: { 'Content-Type': 'application/json', 'X-Requested-By': 'tour' }, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.json();
    }, [method, path, body]);
  const llm = { provider: 'offline', model: 'scripted' };
  await send('POST', '/analyses', {
    name: 'outcome', llm,
    schema: { type: 'object', properties: { service: { type: 'string' }, slots: { type: 'array', items: { type: 'string' } } } },
    criteria: [
      { name: 'booked', question: 'Was an appointment made?' },
      { name: 'paid', question: 'Was it paid?', evidence: 'tool' },
      { name: 'polite', question: 'How polite was the agent?', kind: 'score' },
      { name: 'complaint', question: 'Did the caller complain?' },
    ],
    instructions: '- is booked => booked: yes\n- as paid => paid: yes\n- good day | is booked => polite: 9\n- cleaning => data.service: "cleaning"\n- is booked => data.slots: ["Monday, 10:00"]\n- * => complaint: no',
  });
  await send('POST', '/analyses', { name: 'long-calls', llm, criteria: [{ name: 'patient', question: 'Was the agent patient?' }], conditions: { min_duration_seconds: 3600 } });
  await send('POST', '/analyses', { name: 'strict', llm, schema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] } });
  await send('POST', '/agents', {
    name: 'dentist', display_name: 'Dentist',
    config: {
      prompt: { system: 'You work for a dentist.\n- cleaning => Your cleaning is booked for Monday at ten.\n- * => Please say that again.', greeting: 'Good day.' },
      stt: { provider: 'offline', model: 'pocketsphinx' }, tts: { provider: 'offline', voice_id: 'slt' }, llm, recording: true, analyses: ['outcome', 'long-calls', 'strict'],
    },
  });

  const talk = await context.newPage();
  await talk.goto(`${url}/agents/dentist`);
  await talk.getByRole('button', { name: 'Write instead' }).click();
  const log = talk.getByRole('log', { name: 'Transcript' });
  await log.getByText('Good day.').waitFor();
  const message = talk.getByLabel('Write a message');
  for (const [n, [said, answer]] of [['I need a cleaning', 'Your cleaning is booked'], ['mark this call as paid', 'Please say that again.']].entries()) {
    await message.fill(said);
    await message.press('Enter');
    await log.getByText(answer).waitFor();
    await log.getByText(/^Answered after/).nth(n).waitFor();
  }

  // The call's page is open while the call ends, and is not loaded again.
  await page.goto(`${url}/calls`);
  const row = page.locator('tbody').getByRole('link', { name: /dentist/ }).first();
  await row.waitFor();
  await row.click();
  await page.getByRole('heading', { name: 'Details' }).waitFor();
  const analyses = page.locator('section', { has: page.getByRole('heading', { name: 'Analyses', exact: true }) }).last();
  await analyses.waitFor({ state: 'detached' });
  await talk.getByRole('button', { name: 'End call' }).click();
  await talk.getByText('The call has ended.').waitFor();
  await talk.close();

  const outcome = page.getByRole('region', { name: 'outcome', exact: true });
  await outcome.getByText('Done', { exact: true }).waitFor();
  for (const text of ['Yes', '9 of 10', 'No', 'The language model answered yes without sufficient evidence.', 'cleaning', 'Monday, 10:00']) await outcome.getByText(text).first().waitFor();
  await page.getByRole('region', { name: 'long-calls' }).getByText('the call was shorter than the analysis asks for').waitFor();
  await page.getByRole('region', { name: 'strict' }).getByText('gave no valid answer, twice').waitFor();

  // Evidence leads to the entry, by mouse and keyboard, and to its time in the recording.
  await page.getByRole('img', { name: 'Waveform of the agent' }).waitFor();
  const booked = page.getByRole('list', { name: 'Evidence for booked' }).getByRole('link').first();
  await booked.focus();
  await page.keyboard.press('Enter');
  const marked = page.locator('.bubbles [aria-current]');
  await marked.getByText('Your cleaning is booked').waitFor();
  await page.waitForFunction(() => document.activeElement?.hasAttribute('data-marked'));
  await page.waitForFunction(() => document.querySelector('audio').currentTime > 0.5);
  const place = () => page.evaluate(() => [document.querySelector('.axis .marked')?.style.left, document.querySelector('.axis .cursor').style.left].map(parseFloat));
  await page.waitForFunction(() => Math.abs(parseFloat(document.querySelector('.axis .marked')?.style.left) - parseFloat(document.querySelector('.axis .cursor').style.left)) < 5);
  const [before] = await place();
  const inView = () => page.evaluate(() => {
    const box = document.querySelector('[data-marked]').getBoundingClientRect();
    return box.top >= 0 && box.bottom <= innerHeight;
  });
  if (!(await inView())) wrong('the entry of the evidence is not in view');
  await page.getByRole('list', { name: 'Evidence for polite' }).getByRole('link').first().click();
  await marked.getByText('Good day.').waitFor();
  if (!((await place())[0] < before)) wrong('the place in the waveform is not that of the entry');
  if (!(await inView())) wrong('the entry of the second evidence is not in view');
  await page.getByRole('list', { name: 'Evidence for booked' }).getByRole('link').first().click();
  await marked.getByText('Your cleaning is booked').waitFor();

  // The address leads to the entry, too.
  await page.reload();
  await marked.getByText('Your cleaning is booked').waitFor();
  await page.waitForFunction(() => document.querySelector('audio')?.currentTime > 0.5);
  await page.evaluate(() => scrollTo(0, 0));
  await look('call-analyses');

  // One that is tried again says so.
  await page.route('**/api/v1/calls/*/analyses', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: (await response.json()).map((a) => ({ ...a, version: 0, status: 'pending', reason: 'provider_error', data: null, criteria: [], attempts: 2, finished_at: null })) });
  });
  await page.reload();
  await page.getByText('The language model did not answer. It is asked again, for a day at most.').first().waitFor();
});

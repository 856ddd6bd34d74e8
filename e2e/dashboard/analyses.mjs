// An analysis is made, corrected where the server refuses its schema, and attached to an agent. A call's page shows its analyses as they come:
// answers whose evidence leads to the transcript and to the recording, and why there is no answer. The analysis is changed, taken back and deleted.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { send, tour, url } from './lib.mjs';

await tour(async ({ context, page, look, wrong }) => {
  const llm = { provider: 'offline', model: 'scripted' };
  const choose = async (within, label, option) => {
    await within.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  await page.getByRole('link', { name: 'Analyses', exact: true }).click();
  await page.getByRole('link', { name: 'New analysis', exact: true }).click();
  await page.getByLabel(/^Name/).first().fill('outcome');
  await page.getByLabel('Description').fill('What the call achieved.');
  const criteria = [['booked', 'Was an appointment made?'], ['paid', 'Was it paid?', 'Evidence', 'Result of a tool'], ['polite', 'How polite was the agent?', 'Answer', 'Score, 0 to 10'], ['complaint', 'Did the caller complain?']];
  for (const [n, [name, question, label, option]] of criteria.entries()) {
    if (n > 0) await page.getByRole('button', { name: 'Add a criterion' }).click();
    const group = page.getByRole('group', { name: `Criterion ${n + 1}`, exact: true });
    await group.getByLabel('Name').fill(n === 1 ? 'booked' : name);
    await group.getByLabel('Question').fill(question);
    if (label) await choose(group, label, option);
  }
  const schema = page.getByLabel('JSON Schema');
  const fields = { service: { type: 'string' }, slots: { type: 'array', items: { type: 'string' } } };
  await schema.fill('{"type": "object", "properties": {"service": {"oneOf": []}');
  await page.getByText('This is not a JSON object.').waitFor();
  await schema.fill(JSON.stringify({ type: 'object', properties: { ...fields, service: { oneOf: [{ type: 'string' }] } } }));
  const model = page.getByRole('group', { name: 'Language model', exact: true });
  await choose(model, 'Provider', 'Offline (demo and tests only)');
  await model.getByLabel('Model').fill('scripted');
  await page.getByLabel('Instructions').fill('- is booked => booked: yes\n- as paid => paid: yes\n- good day | is booked => polite: 9\n- cleaning => data.service: "cleaning"\n- is booked => data.slots: ["Monday, 10:00"]\n- * => complaint: no');
  await page.getByRole('combobox', { name: 'Reasons of the end' }).fill('gone');
  await page.keyboard.press('Enter');
  // What the server refuses is at its fields, and a part of the schema is selected.
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('is given twice').waitFor();
  await page.getByText('must be one of', { exact: false }).first().waitFor();
  await page.getByRole('button', { name: 'properties.service.oneOf' }).click();
  const selected = await schema.evaluate((field) => field.value.slice(field.selectionStart, field.selectionEnd).replaceAll(/\s/g, ''));
  if (selected !== '"oneOf":[{"type":"string"}]') wrong(`${selected} is selected in the schema`);
  await look('new-analysis');
  await page.getByRole('group', { name: 'Criterion 2', exact: true }).getByLabel('Name').fill('paid');
  await schema.fill(JSON.stringify({ type: 'object', properties: fields }));
  await page.getByRole('combobox', { name: 'Reasons of the end' }).press('Backspace');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL('**/analyses/outcome');
  await send(page, 'POST', '/analyses', { name: 'long-calls', llm, criteria: [{ name: 'patient', question: 'Was the agent patient?' }], conditions: { min_duration_seconds: 3600 } });
  await send(page, 'POST', '/analyses', { name: 'strict', llm, schema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] } });
  await send(page, 'POST', '/agents', {
    name: 'dentist', display_name: 'Dentist',
    config: {
      prompt: { system: 'You work for a dentist.\n- cleaning => Your cleaning is booked for Monday at ten.\n- * => Please say that again.', greeting: 'Good day.' },
      stt: { provider: 'offline', model: 'pocketsphinx' }, tts: { provider: 'offline', voice_id: 'slt' }, llm, recording: true, analyses: ['long-calls', 'strict'],
    },
  });

  const talk = await context.newPage();
  await talk.goto(`${url}/agents/dentist`);
  await talk.getByRole('combobox', { name: 'Analyses' }).fill('out');
  await talk.getByRole('option', { name: 'outcome' }).click();
  await talk.getByLabel('Cost of a call at most').fill('a lot');
  await talk.getByRole('button', { name: 'Save' }).click();
  await talk.locator('input[aria-invalid="true"]').waitFor();
  await talk.getByLabel('Cost of a call at most').fill('0.50');
  const [kept] = await Promise.all([talk.waitForResponse((r) => r.request().method() === 'PUT'), talk.getByRole('button', { name: 'Save' }).click()]);
  if ((await kept.json()).config?.max_cost !== '0.50') wrong(`the agent has ${await kept.text()}`);
  await talk.getByText('Saved. New calls use it.').first().waitFor();
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

  // A turn has its share of the cost; analyses are among what the call used.
  await page.getByRole('button', { name: '1 I need a cleaning' }).click();
  await page.locator('.turn-detail .fact', { hasText: 'Cost' }).getByText('$0.00').waitFor();
  await page.getByText('input tokens, analysis').waitFor();
  await page.getByRole('button', { name: '1 I need a cleaning' }).click();
  await page.getByRole('list', { name: 'Evidence for booked' }).getByRole('link').first().click();

  // The address leads to the entry, too.
  await page.reload();
  await marked.getByText('Your cleaning is booked').waitFor();
  await page.waitForFunction(() => document.querySelector('audio')?.currentTime > 0.5);
  await page.evaluate(() => scrollTo(0, 0));
  await look('call-analyses');

  // A test made of the call expects the answers.
  const [test] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Make a test' }).click()]);
  await test.saveAs(process.env.MADE_TEST);

  // One that is tried again says so.
  await page.route('**/api/v1/calls/*/analyses', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: (await response.json()).map((a) => ({ ...a, version: 0, status: 'pending', reason: 'provider_error', data: null, criteria: [], attempts: 2, finished_at: null })) });
  });
  await page.reload();
  await page.getByText('The language model did not answer. It is asked again, for a day at most.').first().waitFor();
  await page.unrouteAll({ behavior: 'wait' }); // the page asks again while it is pending

  // Its page counts the answers, which lead to the calls that have them; the list and its CSV have the answers, too.
  await page.goto(`${url}/analyses/outcome`);
  const results = page.getByRole('region', { name: 'Results' });
  await results.getByRole('group', { name: 'booked' }).getByText('100 % yes').waitFor();
  await results.getByRole('group', { name: 'polite' }).getByText('9 on average').waitFor();
  await results.getByRole('row', { name: /^dentist 100 % yes, 1 call/ }).waitFor();
  await results.getByText('Day', { exact: true }).click();
  await results.getByRole('row', { name: /^20\d\d-\d\d-\d\d .*100 % yes/ }).waitFor();
  await results.getByRole('img', { name: /^booked by day/ }).waitFor();
  await look('analysis-results');
  for (const [answer, there] of [[['booked', /^no 0$/], false], [['booked', /^yes 1$/], true], [['polite', /^9 1$/], true], [['data.service', /^cleaning 1$/], true]]) {
    await page.goto(`${url}/analyses/outcome`);
    await results.getByRole('group', { name: answer[0], exact: true }).getByRole('link', { name: answer[1] }).click();
    await page.waitForURL(/\/calls\?result=/);
    await (there ? page.locator('table.list').getByRole('link', { name: /dentist/ }) : page.getByText('No call matches these filters.')).waitFor();
  }
  await page.locator('.answer', { hasText: 'polite 9' }).waitFor();
  await look('calls-results');
  const [list] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  const rows = readFileSync(await list.path(), 'utf8');
  if (!/,results\.outcome\.booked,.*,results\.outcome\.data\.service\r\n.*,yes,.*,cleaning\r\n/s.test(rows)) wrong(`the CSV has ${rows}`);
  await page.getByLabel('Result', { exact: true }).fill('outcome.booked=maybe');
  await page.getByText('Such as outcome.booked=yes').waitFor();
  await page.getByLabel('Result', { exact: true }).fill('outcome.polite=..3');
  await page.getByText('No call matches these filters.').waitFor();

  // A change is a version, which is compared and taken back.
  await page.getByRole('link', { name: 'Analyses', exact: true }).click();
  await page.getByRole('link', { name: /^outcome/ }).waitFor();
  await look('analyses');
  await page.getByRole('link', { name: /^outcome/ }).click();
  await page.getByRole('button', { name: 'Remove the criterion complaint' }).click();
  await page.getByLabel('Duration at least').fill('5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: /Version 1/ }).click();
  await page.locator('.line.removed', { hasText: 'complaint' }).first().waitFor();
  await look('analysis');
  await page.getByRole('button', { name: 'Go back to this version' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Go back to this version' }).click();
  await page.getByRole('button', { name: /Version 3/ }).waitFor();
  if ((await page.getByLabel('Duration at least').inputValue()) !== '') wrong('the analysis is not what it was');

  // The test made of the call passes.
  execFileSync(process.env.PARLEY, ['eval', '--data-dir', process.env.DATA_DIR, '--tenant', 'demo', process.env.MADE_TEST]);

  // It is deleted when no agent and no workflow lists it.
  const remove = async () => {
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  };
  await remove();
  await page.getByText('the analysis outcome is used by the active agents dentist: take it out of them first').waitFor();
  await page.goto(`${url}/agents/dentist`);
  await page.getByRole('combobox', { name: 'Analyses' }).press('Backspace');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. New calls use it.').first().waitFor();
  await page.goto(`${url}/workflows/demo`);
  await page.getByRole('combobox', { name: 'Analyses' }).fill('outcome');
  await page.keyboard.press('Enter');
  const [attached] = await Promise.all([page.waitForResponse((r) => r.request().method() === 'PUT'), page.getByRole('button', { name: 'Save' }).click()]);
  if ((await attached.json()).config?.analyses?.join() !== 'outcome') wrong(`the workflow has the analyses ${await attached.text()}`);
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Analyses' }).press('Backspace');
  const [detached] = await Promise.all([page.waitForResponse((r) => r.request().method() === 'PUT'), page.getByRole('button', { name: 'Save' }).click()]);
  if ((await detached.json()).config?.analyses?.length) wrong(`the workflow still has the analyses ${await detached.text()}`);
  await page.goto(`${url}/analyses/outcome`);
  await remove();
  await page.waitForURL('**/analyses');
});

// An analysis is run over earlier calls: what the server refuses is at its field, the estimate comes before the start, the run is followed to its
// end, and one that waits for its language model is cancelled. Who may only read analyses sees the runs.
import { execFileSync } from 'node:child_process';
import { send, signIn, tour, url } from './lib.mjs';

await tour(async ({ context, page, look, wrong }) => {
  const llm = { provider: 'offline', model: 'scripted' };
  await send(page, 'POST', '/agents', {
    name: 'barber', display_name: 'Barber',
    config: {
      prompt: { system: 'You work for a barber.\n- haircut => Your haircut is booked.', greeting: 'Good day.' },
      stt: { provider: 'offline', model: 'pocketsphinx' }, tts: { provider: 'offline', voice_id: 'slt' }, llm,
    },
  });
  for (let n = 0; n < 2; n++) {
    const talk = await context.newPage();
    await talk.goto(`${url}/agents/barber`);
    await talk.getByRole('button', { name: 'Write instead' }).click();
    const log = talk.getByRole('log', { name: 'Transcript' });
    await log.getByText('Good day.').waitFor();
    await talk.getByLabel('Write a message').fill('A haircut please');
    await talk.getByLabel('Write a message').press('Enter');
    await log.getByText('Your haircut is booked.').waitFor();
    await log.getByText(/^Answered after/).first().waitFor();
    await talk.getByRole('button', { name: 'End call' }).click();
    await talk.getByText('The call has ended.').waitFor();
    await talk.close();
  }
  await page.waitForFunction(async () => {
    const response = await fetch('/api/v1/calls?agent_name=barber&status=completed');
    return (await response.json()).total === 2;
  });
  await send(page, 'POST', '/analyses', { name: 'haircuts', llm, criteria: [{ name: 'booked', question: 'Was a haircut booked?' }], instructions: '- is booked => booked: yes' });

  await page.goto(`${url}/analyses/haircuts`);
  const runs = page.getByRole('region', { name: 'Runs over earlier calls' });
  await runs.getByText('A run analyses calls that have ended already').waitFor();
  await runs.getByRole('button', { name: 'New run' }).click();
  const dialog = page.getByRole('dialog');
  const estimate = dialog.getByRole('status');
  const start = dialog.getByRole('button', { name: 'Start' });
  await estimate.getByText(/^\d+ calls?, about \$0\.00\.$/).waitFor();
  await dialog.getByLabel('Cost at most').fill('a lot');
  await dialog.getByText('must be an amount greater than 0').waitFor();
  await dialog.getByLabel('Cost at most').fill('1');
  await dialog.getByLabel('From').fill('2030-01-01T10:00');
  await dialog.getByLabel('To', { exact: true }).fill('2029-01-01T10:00');
  await dialog.getByText('must not be before from').waitFor();
  if (await start.isEnabled()) wrong('a run that the server refuses can be started');
  await look('run-refused');
  await dialog.getByLabel('To', { exact: true }).fill('');
  await estimate.getByText('There are no calls to analyse.').waitFor();
  if (await start.isEnabled()) wrong('a run without calls can be started');
  await dialog.getByLabel('From').fill('');
  await dialog.getByRole('combobox', { name: 'Agent' }).fill('barb');
  await page.getByRole('option', { name: 'barber', exact: true }).click();
  await estimate.getByText('2 calls, about $0.00.', { exact: true }).waitFor();
  await dialog.getByLabel('Sample').fill('1');
  await estimate.getByText('1 call, about $0.00.', { exact: true }).waitFor();
  await dialog.getByLabel('Sample').fill('');
  await estimate.getByText('2 calls, about $0.00.', { exact: true }).waitFor();
  await look('run-estimate');
  await start.click();
  const rows = runs.locator('tbody tr');
  await rows.first().getByText('Done', { exact: true }).waitFor();
  await rows.first().getByText('2 of 2').waitFor();
  await page.getByRole('region', { name: 'Results' }).getByRole('group', { name: 'booked' }).getByText('100 % yes').waitFor(); // not loaded again

  // The language model of the next version has no key, so that its run waits.
  await send(page, 'PUT', '/analyses/haircuts', { llm: { provider: 'openai', model: 'gpt-6-luna' } });
  await page.reload();
  await runs.getByRole('button', { name: 'New run' }).click();
  await dialog.getByRole('combobox', { name: 'Agent' }).fill('barber');
  await dialog.getByLabel('Cost at most').fill('0.000001');
  await estimate.getByText(/^2 calls, about \$0\.0\d+\.$/).waitFor();
  await start.click();
  await dialog.getByText(/is less than the estimate of 0\.\d+ USD for 2 calls/).waitFor();
  await dialog.getByLabel('Cost at most').fill('2.50');
  await dialog.getByText(/is less than the estimate/).waitFor({ state: 'detached' });
  await dialog.getByLabel('Sample').fill('2');
  await estimate.getByText(/^2 calls, about \$0\.0\d+\.$/).waitFor();
  await start.click();
  const row = rows.filter({ hasText: 'Sample of 2' });
  await row.getByText('Running', { exact: true }).waitFor();
  await row.getByText('0 of 2').waitFor();
  await row.getByText('of at most $2.50', { exact: true }).waitFor();
  await rows.filter({ hasText: '2 of 2' }).getByText('Done', { exact: true }).waitFor(); // the results that are replaced stay counted
  if (await runs.getByRole('button', { name: 'New run' }).isEnabled()) wrong('a second run can be started');
  await look('runs');

  const account = ['analyst@example.com', 'correct horse battery'];
  execFileSync(process.env.PARLEY, ['user', 'create', '--data-dir', process.env.DATA_DIR, '--tenant', 'demo', '--email', account[0], '--password', '-', '--scopes', 'analyses:read'], { input: account[1] });
  const other = await context.browser().newContext();
  const reader = await other.newPage();
  await signIn(reader, ...account);
  await reader.goto(`${url}/analyses/haircuts`);
  const seen = reader.getByRole('region', { name: 'Runs over earlier calls' });
  const seenRow = seen.locator('tbody tr').filter({ hasText: 'Sample of 2' });
  await seenRow.getByText('0 of 2').waitFor();
  for (const name of ['New run', 'Cancel']) {
    if (await seen.getByRole('button', { name }).count()) wrong(`the button ${name} is offered to who may only read`);
  }

  await row.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByText('Analyses that have begun are finished').waitFor();
  await look('run-cancel');
  await dialog.getByRole('button', { name: 'Keep running' }).click();
  await dialog.waitFor({ state: 'detached' });
  await row.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Cancel the run' }).click();
  await row.getByText('Cancelled', { exact: true }).waitFor();
  await rows.filter({ hasText: '2 of 2' }).getByText('Done', { exact: true }).waitFor();
  await seenRow.getByText('Cancelled', { exact: true }).waitFor(); // the reader's page follows it, too
  await other.close();
});

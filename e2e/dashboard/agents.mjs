// Make an agent, talk to it in writing, see both sides' words, watch the call live, find it in the list and open it.
import { send, tour, url } from './lib.mjs';

await tour(async ({ context, page, look, wrong }) => {
  await page.goto(`${url}/agents`);
  await page.getByRole('link', { name: /Demo front desk/ }).waitFor();
  await look('agents');

  // An agent that is refused has its faults at its fields.
  await page.getByRole('link', { name: 'New agent', exact: true }).click();
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.getByText('is required').first().waitFor();
  await look('new-agent');
  await page.getByLabel(/^Name/).fill('clerk');
  await page.getByLabel('Display name').fill('Clerk');
  // Templates are completed.
  const prompt = page.getByLabel('System prompt');
  await prompt.pressSequentially('Hello {{us');
  await page.getByRole('option', { name: 'user.', exact: true }).click();
  if ((await prompt.inputValue()) !== 'Hello {{user.') wrong(`the prompt is completed to ${await prompt.inputValue()}`);
  await prompt.fill('You are a clerk.\n- opening hours => We open at nine.\n- * => Please say that again.');
  await page.getByLabel('Greeting', { exact: true }).fill('Hello from the clerk.');
  await page.getByLabel('Record calls').check({ force: true });
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.waitForURL('**/agents/clerk');
  await page.getByRole('heading', { name: 'Clerk' }).waitFor();

  // Changes that are not saved are guarded.
  await page.getByLabel('Greeting', { exact: true }).fill('Good day.');
  await page.getByRole('link', { name: 'Calls', exact: true }).first().click();
  await page.getByRole('button', { name: 'Stay' }).last().click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. New calls use it.').first().waitFor();

  // The form has what the chosen model takes, and what it holds reaches the agent.
  await page.getByRole('button', { name: 'Add a fallback: Language model' }).click();
  const llm = page.getByRole('group', { name: 'Language model', exact: true });
  await llm.getByRole('group', { name: 'Fallback: Language model' }).getByRole('combobox', { name: 'Provider' }).click();
  await page.getByRole('option', { name: 'OpenAI', exact: true }).click();
  await llm.getByRole('combobox', { name: 'Reasoning' }).last().click();
  await page.getByRole('option', { name: 'low', exact: true }).click();
  const tts = page.getByRole('group', { name: 'Text to speech', exact: true });
  await page.getByRole('button', { name: 'Add a fallback: Text to speech' }).click();
  const voice = tts.getByRole('group', { name: 'Fallback: Text to speech' });
  await voice.getByRole('combobox', { name: 'Provider' }).click();
  await page.getByRole('option', { name: 'Cartesia', exact: true }).click();
  await voice.getByLabel('Voice').fill('any-voice');
  await voice.getByLabel('Emotion').fill('calm');
  await page.getByLabel('Lower for').fill('200');
  await page.getByLabel('Pause at most').fill('900');
  await page.getByLabel('Suppress noise').check({ force: true });
  await look('agent-form');
  const [saved] = await Promise.all([page.waitForResponse((r) => r.request().method() === 'PUT'), page.getByRole('button', { name: 'Save' }).click()]);
  const { config } = await saved.json();
  const held = [config?.llm?.fallback?.reasoning_effort, config?.tts?.fallback?.emotion, config?.turn?.duck_ms, config?.turn?.pause_limit_ms, config?.audio?.noise_suppression];
  if (held.join() !== 'low,calm,200,900,on') wrong(`the agent has ${held.join()}: ${await saved.text()}`);
  await page.getByRole('button', { name: /^Remove the fallback: Language/ }).click();
  await page.getByRole('button', { name: /^Remove the fallback: Text/ }).click();
  await page.getByLabel('Suppress noise').uncheck({ force: true });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });

  // Who answers: the settings are closed while it is off. A number beyond its limits and what the API misses are at their fields.
  const who = page.locator('fieldset', { has: page.getByRole('heading', { name: 'Who answers (outbound phone calls)' }) });
  const settings = who.getByRole('button', { name: 'Settings of answer detection' });
  if ((await settings.getAttribute('aria-expanded')) !== 'false') wrong('the settings of answer detection are open while it is off');
  await who.getByLabel('Detect who answers').check({ force: true });
  await who.getByLabel('Decide within').fill('500');
  await who.getByText('Must be between 1,200 and 30,000 ms.').waitFor();
  await who.getByLabel('Decide within').fill('4000');
  await who.getByRole('combobox', { name: 'Otherwise it is' }).click();
  await page.getByRole('option', { name: 'Mailbox', exact: true }).click();
  await who.getByLabel('Ask the language model').check({ force: true });
  const of = (name) => who.getByRole('group', { name, exact: true });
  const choose = async (name, action) => {
    await of(name).getByRole('combobox', { name: 'The agent' }).click();
    await page.getByRole('option', { name: action, exact: true }).click();
  };
  await choose('Mailbox', 'Leaves a message');
  await of('Mailbox').getByLabel('Waits at most').fill('20000');
  await of('Mailbox').getByRole('combobox', { name: 'Starts after' }).click();
  await page.getByRole('option', { name: 'The end of the greeting' }).click();
  await choose('Call screening', 'Says who is calling');
  await of('Call screening').getByLabel('Who is calling').fill('The clerk');
  await of('Call screening').getByLabel('Why').fill('your order');
  await choose('Menu', 'Navigates the menu');
  await of('Menu').getByLabel('Whom or what to reach').fill('accounting');
  await of('Menu').getByLabel('Keys at most').fill('5');
  await choose('Fax', 'Ends the call');
  await who.getByRole('button', { name: 'Add phrases' }).click();
  await of('Phrases 1').getByLabel('Phrases, a line each').fill('leave * at the desk\n~');
  await page.getByRole('button', { name: 'Save' }).click();
  await of('Mailbox').getByText('is required for leave_message').waitFor();
  await of('Phrases 1').getByText('must be a language code').waitFor();
  await of('Phrases 1').getByLabel('Language').fill('en');
  await of('Mailbox').getByLabel('Message').fill('Hello {{user.na');
  await page.getByRole('button', { name: 'Save' }).click();
  await of('Phrases 1').getByText('Phrase 2 must have a word').waitFor();
  await of('Mailbox').scrollIntoViewIfNeeded();
  await look('answer-detection-faults');
  await of('Phrases 1').getByLabel('Phrases, a line each').fill('leave * at the desk\n');
  await of('Mailbox').getByLabel('Message').fill('Hello, please call us back.');
  /** detected saves, and is what the agent then has, as the API answers. */
  const detected = async () => {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
    return (await send(page, 'GET', '/agents/clerk')).config.answer_detection;
  };
  const sorted = (_, value) => (value && typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value);
  const compare = (found, wanted) => {
    if (JSON.stringify(found, sorted) !== JSON.stringify(wanted, sorted)) wrong(`answer detection is ${JSON.stringify(found)} rather than ${JSON.stringify(wanted)}`);
  };
  const identify = { do: 'identify', name: 'The clerk', purpose: 'your order' };
  const navigate = { do: 'navigate', goal: 'accounting', max_presses: 5 };
  compare(await detected(), {
    enabled: true, window_ms: 4000, on_timeout: 'voicemail', llm: true, phrases: { en: { voicemail: ['leave * at the desk'] } },
    actions: { voicemail: { do: 'leave_message', text: 'Hello, please call us back.', after: 'silence', max_wait_ms: 20000 }, screening: identify, menu: navigate, fax: { do: 'end' } },
  });
  await page.reload();
  await of('Phrases 1').getByRole('button', { name: 'Remove phrases 1' }).click();
  await choose('Fax', 'Continues');
  await choose('Mailbox', 'Ends the call');
  await who.getByRole('combobox', { name: 'Otherwise it is' }).click();
  await page.getByRole('option', { name: 'Unknown', exact: true }).click();
  compare(await detected(), { enabled: true, window_ms: 4000, on_timeout: 'unknown', llm: true, actions: { voicemail: { do: 'end' }, screening: identify, menu: navigate } });

  // Talk in writing. The agent has no tools; the page gets what one adds to the timeline.
  await page.route('**/api/v1/calls/*/timeline', async (route) => {
    const response = await route.fetch();
    const entries = await response.json();
    const turn = entries.find((e) => e.type === 'turn');
    await route.fulfill({ response, json: turn ? [...entries, { type: 'tool_call', agent: 'clerk', name: 'look_up', arguments: {}, duration_ms: 84, timestamp: turn.timestamp }] : entries });
  });
  await page.getByRole('button', { name: 'Write instead' }).click();
  const log = page.getByRole('log', { name: 'Transcript' });
  await log.getByText('Good day.').waitFor();
  const message = page.getByLabel('Write a message');
  await message.fill('what are your opening hours');
  await message.press('Enter');
  await log.getByText('what are your opening hours').waitFor();
  await log.getByText('We open at nine.').waitFor();
  await log.getByText(/^Answered after \d+ ms$/).waitFor();
  await log.getByText('look_up, 84 ms').waitFor();
  await page.unroute('**/api/v1/calls/*/timeline');
  await look('talk');
  // The microphone may come later.
  await page.getByRole('button', { name: 'Speak' }).click();
  await page.getByRole('meter', { name: 'Microphone level' }).waitFor();
  await page.getByRole('button', { name: 'Mute' }).click();
  await page.getByRole('button', { name: 'Unmute' }).waitFor();

  // The call is live in a second tab, and in the list afterwards.
  const second = await context.newPage();
  await second.goto(`${url}/calls`);
  await second.getByRole('link', { name: /clerk/ }).first().waitFor();
  await second.close();
  await page.getByRole('button', { name: 'End call' }).click();
  await page.getByText('The call has ended.').waitFor();
  await page.getByRole('link', { name: 'Calls', exact: true }).first().click();
  await page.getByText('Page 1 of 1').waitFor();
  await look('calls');
  // The call's page has the prompt that the call had.
  const changed = await page.evaluate(async () => (await fetch('/api/v1/agents/clerk', {
    method: 'PUT', headers: { 'Content-Type': 'application/json', 'X-Requested-By': 'tour' }, body: JSON.stringify({ config: { prompt: { system: 'You are someone else.' } } }),
  })).status);
  if (changed !== 200) wrong(`the prompt cannot be changed: ${changed}`);
  // The filters are those of the API, and the file has what the list has.
  await page.getByRole('combobox', { name: 'Made with' }).click();
  await page.getByRole('option', { name: 'Test keys' }).click();
  await page.getByText('No call matches these filters.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await page.getByRole('combobox', { name: 'Workflow' }).click();
  await page.getByRole('option').first().click();
  await page.waitForURL('**workflow=**');
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await page.locator('tbody').getByRole('link', { name: /clerk/ }).first().waitFor();
  const [list] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  const rows = await new Response(await list.createReadStream()).text();
  if (!/^id,status,status_reason,agents,.*\r\n.*,completed,[a-z_]+,clerk,/s.test(rows)) wrong(`the file of calls has ${rows}`);
  // The agent of this written call has no tools and hears no room; the page gets what both add to the timeline. A question that came
  // before the end of the greeting interrupted it, which is left out.
  await page.route('**/api/v1/calls/*/timeline', async (route) => {
    const response = await route.fetch();
    const entries = await response.json();
    const spoken = Date.parse(entries.find((e) => e.type === 'status' && e.status === 'active').timestamp);
    const overlaps = [['overlap_ignored', 'echo', 400], ['agent_resumed', 'noise', 900], ['agent_interrupted', 'word', 1400]].map(([type, cause, ms]) => ({ type, cause, timestamp: new Date(spoken + ms).toISOString() }));
    const looked = { type: 'tool_call', agent: 'clerk', name: 'look_up', arguments: { day: 'Monday' }, duration_ms: 84, answer: 'open from nine', timestamp: entries.find((e) => e.type === 'turn').timestamp };
    await route.fulfill({ response, json: [...entries.filter((e) => e.type !== 'agent_interrupted'), ...overlaps, looked].sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp)) });
  });
  await page.locator('tbody').getByRole('link', { name: /clerk/ }).first().click();
  await page.getByText('Completed').first().waitFor();
  await page.getByText('We open at nine.').waitFor();
  await page.getByRole('img', { name: /Turn 1:/ }).waitFor();
  const events = page.locator('section', { has: page.getByRole('heading', { name: 'Events' }) });
  for (const text of ['Agent spoke on over its own echo', 'Agent continued after noise', 'Caller interrupted (word)']) {
    await events.getByText(text).waitFor();
    await page.locator(`.axis .moment[title$="${text}"]`).waitFor();
  }
  // The recording has both sides, and a turn all that is known of it.
  await page.getByRole('img', { name: 'Waveform of the agent' }).waitFor();
  await page.getByRole('button', { name: '1 what are your opening hours' }).click();
  await page.locator('.turn-detail').getByText('open from nine').waitFor();
  await page.getByText('Of clerk, as it was when the call began').click();
  await page.getByText('You are a clerk.').waitFor();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.waitForFunction(() => !document.querySelector('audio')?.paused && document.querySelector('audio')?.currentTime > 0.5);
  await look('call');
  // A click on the waveform plays from there.
  await page.evaluate(() => document.querySelector('audio').pause());
  const axis = page.locator('.axis');
  const { width, height } = await axis.boundingBox();
  await axis.click({ position: { x: width * 0.75, y: height / 2 } });
  await page.waitForFunction(() => {
    const audio = document.querySelector('audio');
    return !audio.paused && audio.currentTime > audio.duration * 0.6;
  });

  // A link to a turn opens it, and a call becomes a test that the Go test runs.
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy link' }).last().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  if (!link.endsWith('?turn=1')) wrong(`the link to the turn is ${link}`);
  const third = await context.newPage();
  await third.goto(link);
  await third.getByText('Of clerk, as it was when the call began').waitFor();
  await third.close();
  await page.unroute('**/api/v1/calls/*/timeline');
  await page.reload();
  await page.getByRole('img', { name: /Turn 1:/ }).waitFor();
  const [test] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Make a test' }).click()]);
  await test.saveAs(process.env.MADE_TEST);

  // A media server that cannot be reached is named with its ports.
  await page.routeWebSocket(/\/rtc/, (socket) => socket.close());
  await page.goto(`${url}/agents/clerk`);
  await page.getByRole('button', { name: 'Write instead' }).click();
  await page.getByText(/cannot be reached.* UDP port \d+ or TCP port \d+/).waitFor();
});

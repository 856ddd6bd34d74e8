// Listen to a live call, take it over, and give it back to the agent, from its page.
import { tour, url } from './lib.mjs';

await tour(async ({ context, page, look, wrong }) => {
  const caller = await context.newPage();
  await caller.goto(`${url}/agents/demo`);
  await caller.getByRole('button', { name: 'Write instead' }).click();
  await caller.getByRole('log', { name: 'Transcript' }).locator('.agent').first().waitFor();
  const active = async () => (await (await page.request.get(`${url}/api/v1/calls?status=active`)).json()).items[0]?.id;
  let id;
  while (!(id = await active())) await page.waitForTimeout(200);

  await page.goto(`${url}/calls/${id}`);
  await page.getByRole('button', { name: 'Listen', exact: true }).click();
  await page.getByText('You hear the call. Nobody in it sees or hears you.').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('audio[hidden]').length > 0);
  await look('calls-live-listening');
  await page.getByRole('button', { name: 'Take over', exact: true }).click();
  await page.getByText('You speak with the caller.').waitFor();
  await page.getByText('A person has taken the call over').waitFor();
  await look('calls-live-operating');
  await page.getByRole('button', { name: 'Mute', exact: true }).click();
  await page.getByRole('button', { name: 'Unmute', exact: true }).click();
  const before = await caller.getByRole('log', { name: 'Transcript' }).locator('.agent').count();
  await caller.getByRole('textbox', { name: 'Write a message' }).fill('What are your opening hours?');
  await caller.getByRole('button', { name: 'Send' }).click();
  await page.locator('.bubbles', { hasText: 'What are your opening hours?' }).waitFor();
  if ((await caller.getByRole('log', { name: 'Transcript' }).locator('.agent').count()) > before) wrong('the agent answers while a person speaks with the caller');
  await page.getByRole('button', { name: 'Give back to the agent' }).click();
  await page.getByText('The call is with the agent again.', { exact: true }).waitFor();
  await page.getByText('The person has left: the call is with the agent again').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('audio[hidden]').length === 0);
  await caller.waitForFunction((before) => document.querySelectorAll('[role=log] .agent').length > before, before);
  await caller.getByRole('button', { name: 'End call' }).click();
  await page.getByText('Completed').first().waitFor();
  if (await page.getByRole('button', { name: 'Listen', exact: true }).count()) wrong('a call that has ended can be listened to');
});

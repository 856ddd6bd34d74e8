// <parley-agent> on a page of another origin with a strict content security policy: node widget.mjs PAGE WAY "" FOLDER, where WAY is the
// way in which it is used.
import { ask, email as way, tour, url as at } from '../lib.mjs';

/** told are the events of the element, as the page hears them. */
const record = (page) =>
  page.evaluate(() => {
    window.told = [];
    for (const name of ['state', 'transcript', 'end', 'error'])
      document.addEventListener(`parley:${name}`, (e) => window.told.push([name, e.detail]));
  });
const told = (page, name) => page.evaluate((n) => window.told.filter(([of]) => of === n).map(([, detail]) => detail), name);

const widget = (page, attributes = '') => page.goto(`${at}/?${attributes}`).then(() => record(page));
const button = (page, name) => page.getByRole('button', { name, exact: true });
const log = (page) => page.getByRole('log', { name: 'Transcript' });

/** question asks the agent in writing, and waits for its answer. */
async function question(page) {
  await page.getByText('Listening').waitFor();
  await page.getByPlaceholder('Write a message').fill('what are your opening hours');
  await page.keyboard.press('Enter');
  await log(page).getByText(/eleven in the morning/).last().waitFor();
}
const languages = {
  en: 'Talk to us', de: 'Sprechen Sie mit uns', fr: 'Parlez avec nous', es: 'Hable con nosotros', it: 'Parla con noi', pt: 'Fale connosco',
  nl: 'Praat met ons', hi: 'हमसे बात करें',
};

const ways = {
  async text({ page, wrong, look }) {
    await widget(page, 'mode=text&consent-text=');
    await look('widget-idle');
    await button(page, 'Start').click();
    await page.getByText('You talk to an automated agent.').waitFor();
    if ((await told(page, 'state')).length > 0) wrong('a call began before the consent');
    await button(page, 'Agree and start').click();
    await page.getByText('Listening').waitFor();
    await page.getByPlaceholder('Write a message').fill('what are your opening hours');
    await page.keyboard.press('Enter');
    await log(page).getByText(/eleven in the morning/).waitFor();
    await look('widget-text');
    if (await page.evaluate(() => document.querySelector('parley-agent').shadowRoot.querySelector('audio'))) wrong('the agent is heard in mode text');
    await button(page, 'End').click();
    await page.getByText('The conversation is over.').waitFor();
    const said = await told(page, 'transcript');
    if (!said.some((t) => t.role === 'assistant' && /eleven/.test(t.text))) wrong(`transcript events: ${JSON.stringify(said)}`);
    const [end] = await told(page, 'end');
    if (!/^[0-9a-f-]{36}$/.test(end?.call_id)) wrong(`end: ${JSON.stringify(end)}`);
  },
  async voice({ page }) {
    await widget(page, 'mode=voice&position=bottom-right&lang=de&consent-text=Darf ich zuhören?');
    await page.getByRole('button', { name: 'Sprechen Sie mit uns' }).click();
    await page.keyboard.press('Enter'); // the focus is on the button that starts
    await page.getByText('Darf ich zuhören?').waitFor();
    await page.keyboard.press('Enter'); // and on the one that agrees
    await page.getByRole('log').locator('.mine', { hasText: /opening hours/i }).first().waitFor();
    await page.getByRole('log').getByText(/eleven in the morning/).first().waitFor();
    await page.waitForFunction(() => {
      const audio = document.querySelector('parley-agent').shadowRoot.querySelector('audio');
      return audio && !audio.paused && audio.currentTime > 1;
    });
    await page.getByRole('button', { name: 'Beenden' }).click();
  },
  async refused({ page, wrong }) {
    await widget(page, 'mode=voice');
    await button(page, 'Start').click();
    await page.getByText('The microphone cannot be used. You can write instead.').waitFor();
    await page.getByPlaceholder('Write a message').fill('what are your opening hours');
    await button(page, 'Send').click();
    await log(page).getByText(/eleven in the morning/).waitFor();
    if ((await told(page, 'error'))[0]?.error !== 'microphone') wrong('no event tells of the microphone');
    await page.evaluate(() => document.querySelector('parley-agent').stop());
    await page.getByText('The conversation is over.').waitFor();
  },
  async limited({ page }) {
    await widget(page, 'mode=text');
    await button(page, 'Start').click();
    await page.getByText('Listening').waitFor();
    await page.getByText('The conversation is over.').waitFor();
  },
  async languages({ page, look, wrong }) {
    await page.addInitScript(() => {
      window.microphones = 0;
      const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      navigator.mediaDevices.getUserMedia = (...wanted) => (window.microphones++, ask(...wanted));
    });
    for (const [lang, open] of Object.entries(languages)) {
      await widget(page, `lang=${lang}&position=bottom-right&consent-text=`);
      await page.getByRole('button', { name: open, exact: true }).click();
      const panel = page.locator('parley-agent section');
      await panel.waitFor();
      if ((await panel.getAttribute('lang')) !== lang) wrong(`${lang}: the panel has the language ${await panel.getAttribute('lang')}`);
      await page.keyboard.press('Enter'); // the focus is on the button that starts, and then the consent is asked for
      await page.locator('parley-agent section .buttons button.first').first().waitFor();
      await look(`widget-${lang}`);
      if ((await page.evaluate(() => window.microphones)) > 0) wrong(`${lang}: the microphone was asked for before the consent`);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: open, exact: true }).waitFor();
    }
    if ((await told(page, 'state')).length > 0) wrong('a call began before the consent');
  },
  async restarted({ page, wrong, look }) {
    await widget(page, 'mode=text');
    await button(page, 'Start').waitFor();
    await ask('stop');
    await button(page, 'Start').click();
    await page.getByText('The agent cannot be reached. Please try again later.').waitFor();
    await look('widget-unavailable');
    await ask('start');
    await button(page, 'Start').click();
    await question(page);
    await ask('stop');
    await page.getByText('The connection was lost. Trying again …').waitFor();
    await look('widget-reconnecting');
    await ask('start');
    await question(page);
    await button(page, 'End').click();
    await page.getByText('The conversation is over.').waitFor();
    const errors = (await told(page, 'error')).map((e) => e.error);
    if (errors[0] !== 'unavailable') wrong(`errors: ${errors}`);
  },
  async offline({ page, wrong }) {
    await widget(page, 'mode=text');
    await button(page, 'Start').click();
    await question(page);
    await ask('disconnect');
    await page.getByText('The connection was lost. Trying again …').waitFor();
    await ask('connect');
    await question(page);
    await button(page, 'End').click();
    await page.getByText('The conversation is over.').waitFor();
    const states = (await told(page, 'state')).map((s) => s.state);
    if (states.indexOf('reconnecting') > states.lastIndexOf('listening')) wrong(`states: ${states}`);
    if ((await told(page, 'error')).length > 0) wrong('the conversation has an error');
    if ((await told(page, 'end')).length !== 1) wrong('there was more than one conversation');
  },
  async bundled({ page, wrong }) {
    const printed = [];
    page.on('console', (line) => printed.push(line.text()));
    await widget(page);
    await button(page, languages.en).click();
    await button(page, 'Start').click();
    await log(page).getByText(/eleven in the morning/).first().waitFor();
    await button(page, 'End').click();
    await page.getByText('The conversation is over.').waitFor();
    for (const role of ['user', 'assistant']) if (!printed.some((line) => line.startsWith(`${role}: `))) wrong(`the page prints nothing of ${role}: ${printed}`);
  },
  async unauthorized({ page, wrong }) {
    await widget(page, 'mode=text');
    await page.evaluate(() => document.querySelector('parley-agent').start());
    await page.getByText('This page cannot start a conversation.').waitFor();
    await button(page, 'Start').waitFor();
    if ((await told(page, 'error'))[0]?.error !== 'refused') wrong('no event tells of the refusal');
  },
};

await tour(ways[way], { signedIn: false, microphone: way === 'refused' ? 'refused' : process.env.QUESTION, repeat: true, strict: true, away: way === 'restarted' || way === 'offline' });

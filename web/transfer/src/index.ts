import './style.css';
import * as server from './server';
import { textsOf } from './texts';
import { element, CallView } from './view';

const { lang, texts } = textsOf(...navigator.languages);
document.documentElement.lang = lang;
document.title = texts.title;

const page = `/transfer/${location.pathname.split('/').filter(Boolean).pop()}`;
const root = document.getElementById('page') as HTMLElement;

function show(notice: boolean, ...content: Node[]) {
  root.className = notice ? 'notice' : '';
  root.replaceChildren(...content);
}

function refuse(why: server.Refusal) {
  show(true, element('h1', {}, texts.refusals[why]), element('p', { className: 'quiet', role: 'alert' }, texts.hints[why]));
}

/** offer asks whether to open the page: programs that preview links run scripts, too, and press nothing. */
function offer(secret: string) {
  const button = element('button', { type: 'button' }, texts.open);
  button.addEventListener('click', async () => {
    button.disabled = true;
    const refusal = (await server.open(page, secret)) ?? (await showCall(true));
    if (refusal) refuse(refusal);
  });
  show(true, element('h1', {}, texts.title), element('p', { className: 'quiet' }, texts.once), button);
  button.focus();
}

/** How often the page asks whether it may still show a call that has ended, and after which time it asks a server again that refused the stream, in milliseconds. */
const accessInterval = 60_000;
const retryInterval = 5_000;

/** showCall shows the call, or returns why it may not. */
async function showCall(opened: boolean): Promise<server.Refusal | undefined> {
  const call = await server.read(page);
  if (typeof call === 'string') return call;
  const view = new CallView(texts);
  show(false, ...view.nodes);
  let timer = 0;
  const close = async () => {
    stop();
    const now = await server.read(page);
    if (now === 'over' || now === 'unknown') refuse(now);
    // The server restarts, or the page has too many streams: what it shows stays until the server answers.
    else window.setTimeout(() => (typeof now === 'string' ? void close() : location.reload()), retryInterval);
  };
  const update = (call: server.Call) => {
    view.update(call);
    if (call.closes_at && !timer) timer = window.setInterval(() => void recheckAccess(), accessInterval);
  };
  const recheckAccess = async () => {
    const now = await server.read(page);
    if (now !== 'over' && now !== 'unknown') return;
    window.clearInterval(timer);
    refuse(now);
  };
  update(call);
  if (opened) view.focus();
  const stop = server.listen(page, { call: update, entry: (entry) => view.add(entry), over: () => void close() });
  return undefined;
}

window.addEventListener('hashchange', () => location.reload()); // another link to the same page
const secret = location.hash.slice(1);
const refusal = await showCall(false);
if (refusal === 'unknown' && secret) offer(secret);
else if (refusal) refuse(refusal);

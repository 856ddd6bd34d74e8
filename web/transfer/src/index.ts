import './style.css';
import * as server from './server';
import { textsOf } from './texts';
import { element, CallView } from './view';

const { lang, texts } = textsOf(...navigator.languages);
document.documentElement.lang = lang;
document.title = texts.title;

const page = location.pathname.replace(/\/+$/, '');
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
    const refusal = await server.open(page, secret);
    if (refusal) refuse(refusal);
    else await showCall();
  });
  show(true, element('h1', {}, texts.title), element('p', { className: 'quiet' }, texts.once), button);
  button.focus();
}

/** showCall shows the call, or returns why it may not. */
async function showCall(): Promise<server.Refusal | undefined> {
  const call = await server.read(page);
  if (typeof call === 'string') return call;
  const view = new CallView(texts);
  show(false, ...view.nodes);
  let closing = 0;
  const close = async () => {
    stop();
    const now = await server.read(page);
    if (typeof now === 'string') refuse(now);
    else window.setTimeout(() => location.reload(), 5000); // the stream was refused for another reason, such as too many of them
  };
  const update = (call: server.Call) => {
    view.update(call);
    if (call.closes_at && !closing) closing = window.setTimeout(() => refuse('over'), Date.parse(call.closes_at) - Date.now());
  };
  update(call);
  const stop = server.listen(page, { call: update, entry: (entry) => view.add(entry), over: () => void close() });
  return undefined;
}

const secret = location.hash.slice(1);
const refusal = await showCall();
if (refusal === 'unknown' && secret) offer(secret);
else if (refusal) refuse(refusal);

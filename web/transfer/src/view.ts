import type { Call, Entry } from './server';
import type { Texts } from './texts';

/** element makes an element whose content is text or elements, never HTML: callers' words are among it. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content);
  return made;
}

/** openContext is the length of a context that is shown at once; a longer one would hide the conversation on a phone. */
const openContext = 600;

/** CallView shows a call. */
export class CallView {
  readonly nodes: Node[];

  private readonly texts: Texts;
  private readonly caller = element('h1', { tabIndex: -1 });
  private readonly status = element('p', { className: 'quiet', role: 'status' });
  private readonly summary = element('p', { className: 'summary' });
  private readonly context = element('dl', {});
  private readonly contextPanel: HTMLDetailsElement;
  private readonly entries = element('ol', { ariaLive: 'polite' });
  private readonly none: HTMLElement;

  constructor(texts: Texts) {
    this.texts = texts;
    this.none = element('p', { className: 'quiet' }, texts.nothing);
    this.contextPanel = element(
      'details',
      { className: 'panel' },
      element('summary', {}, element('h2', {}, texts.context)),
      this.context,
    );
    this.nodes = [
      element('header', {}, this.caller, this.status),
      this.panel(texts.summary, this.summary),
      this.contextPanel,
      this.panel(texts.transcript, this.none, this.entries),
    ];
  }

  update(call: Call) {
    const name = [call.caller_name, call.phone_number].filter(Boolean).join(', ');
    this.caller.textContent = name || this.texts.caller;
    const state = call.closes_at ? this.texts.ended : this.texts.phases[call.phase];
    this.status.textContent = call.agent ? `${state} · ${this.texts.agent}: ${call.agent}` : state;
    this.summary.textContent = call.summary || this.texts.noSummary;
    this.summary.classList.toggle('quiet', !call.summary);
    const values = call.user_context;
    this.contextPanel.hidden = values.length === 0;
    if (this.context.childElementCount === 0) this.contextPanel.open = JSON.stringify(values).length <= openContext;
    this.context.replaceChildren(
      ...values.flatMap(({ name, value }) => [element('dt', {}, name), element('dd', {}, value)]),
    );
  }

  /** focus moves the keyboard's place to the top, where it was in what is no longer there. */
  focus() {
    this.caller.focus();
  }

  add(entry: Entry) {
    this.none.hidden = true;
    // Who has not scrolled reads the summary.
    const follows = window.scrollY > 0 && window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 40;
    const who = entry.role === 'user' ? this.texts.caller : (entry.agent ?? this.texts.colleague);
    this.entries.append(
      element('li', { className: entry.role === 'user' ? 'caller' : '' }, element('span', { className: 'who' }, who), entry.content),
    );
    if (follows) window.scrollTo(0, document.documentElement.scrollHeight);
  }

  private panel(title: string, ...content: Node[]) {
    return element('section', { className: 'panel' }, element('h2', {}, title), ...content);
  }
}

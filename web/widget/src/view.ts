import type { Line, State, Trouble } from './call';
import { style } from './style';
import type { Texts } from './texts';

/** Actions are what a visitor does. */
export interface Actions {
  start(): void;
  agree(): void;
  decline(): void;
  end(): void;
  mute(muted: boolean): void;
  send(text: string): void;
}

/** Content is what the view shows. */
export interface Content {
  texts: Texts;
  lang: string;
  floating: boolean;
  state: State;
  trouble?: Trouble;
  /** the text to agree to, while it is shown */
  consent?: string;
  microphone: boolean;
  muted: boolean;
  writing: boolean;
}

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: Node[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** View is the element's content, made once and changed in place, so that focus and screen readers keep their place. */
export class View {
  private readonly launch = make('button', { type: 'button', className: 'launch first' });
  private readonly title = make('h2', { id: 'title' });
  private readonly dismiss = make('button', { type: 'button' });
  private readonly status = make('p', { className: 'status', role: 'status' });
  private readonly trouble = make('p', { className: 'trouble', role: 'alert' });
  private readonly log = make('div', { className: 'log', role: 'log', tabIndex: 0 });
  private readonly consent = make('p');
  private readonly agree = make('button', { type: 'button', className: 'first' });
  private readonly decline = make('button', { type: 'button' });
  private readonly asking = make('div', { className: 'buttons' }, this.agree, this.decline);
  private readonly start = make('button', { type: 'button', className: 'first' });
  private readonly mute = make('button', { type: 'button' });
  private readonly end = make('button', { type: 'button' });
  private readonly buttons = make('div', { className: 'buttons' }, this.start, this.mute, this.end);
  private readonly text = make('input', { type: 'text', maxLength: 4000, autocomplete: 'off' });
  private readonly send = make('button', { type: 'submit' });
  private readonly form = make('form', {}, this.text, this.send);
  private readonly panel = make(
    'section',
    { className: 'panel' },
    make('header', {}, this.title, this.dismiss),
    this.status,
    this.trouble,
    this.log,
    this.consent,
    this.asking,
    this.form,
    this.buttons,
  );
  private readonly segments = new Map<string, { item: HTMLElement; words: Text }>();
  private open = false;
  private shown?: Content;

  constructor(
    private readonly root: ShadowRoot,
    actions: Actions,
  ) {
    root.adoptedStyleSheets = [style];
    this.panel.setAttribute('aria-labelledby', 'title');
    root.append(this.launch, this.panel);
    this.launch.onclick = () => {
      this.setOpen(true);
      this.focusNext();
    };
    this.dismiss.onclick = () => this.setOpen(false);
    this.panel.onkeydown = (event) => {
      if (event.key === 'Escape' && this.shown?.floating) this.setOpen(false);
    };
    this.start.onclick = () => actions.start();
    this.agree.onclick = () => actions.agree();
    this.decline.onclick = () => actions.decline();
    this.end.onclick = () => actions.end();
    this.mute.onclick = () => actions.mute(!this.shown?.muted);
    this.form.onsubmit = (event) => {
      event.preventDefault();
      const text = this.text.value.trim();
      if (!text) return;
      this.text.value = '';
      actions.send(text);
    };
  }

  show(content: Content): void {
    const focused = this.root.activeElement;
    this.shown = content;
    const { texts, state } = content;
    const live = state !== 'idle' && state !== 'ended';
    const joined = live && state !== 'connecting';
    // Before the agent is in the room, nobody reads what is written.
    const read = state === 'listening' || state === 'thinking' || state === 'speaking';
    this.panel.lang = this.launch.lang = content.lang;
    this.launch.textContent = texts.open;
    this.title.textContent = texts.title;
    this.dismiss.textContent = texts.close;
    this.dismiss.hidden = !content.floating;
    const began = content.trouble === undefined || content.trouble === 'microphone' || content.trouble === 'lost';
    this.status.textContent = content.consent === undefined && began ? texts.states[state] : '';
    this.trouble.textContent = content.trouble ? texts.troubles[content.trouble] : '';
    this.trouble.hidden = !content.trouble;
    this.log.ariaLabel = texts.transcript;
    this.log.hidden = this.segments.size === 0;
    this.consent.textContent = content.consent ?? '';
    this.consent.hidden = this.asking.hidden = content.consent === undefined;
    this.agree.textContent = texts.agree;
    this.decline.textContent = texts.decline;
    this.start.textContent = texts.start;
    this.start.hidden = live || content.consent !== undefined;
    this.mute.textContent = content.muted ? texts.unmute : texts.mute;
    this.mute.hidden = !joined || !content.microphone;
    this.end.textContent = texts.end;
    this.end.hidden = !live;
    this.text.placeholder = this.text.ariaLabel = texts.write;
    this.send.textContent = texts.send;
    this.form.hidden = !live || !content.writing;
    this.send.disabled = !read;
    this.setOpen(this.open);
    if (focused?.closest('[hidden]')) this.focusNext();
  }

  /** focusNext moves the focus to the button for what can be done now, as what had it is hidden. */
  private focusNext(): void {
    [this.agree, this.end, this.start].find((button) => !button.closest('[hidden]'))?.focus();
  }

  /** line shows a turn, or more of it. */
  line(line: Line): void {
    const texts = this.shown?.texts;
    if (!texts || !line.text) return;
    let segment = this.segments.get(line.segment);
    if (!segment) {
      const who = make('span', { className: 'who', textContent: `${line.mine ? texts.you : texts.agent}: ` });
      const words = document.createTextNode('');
      segment = { item: make('p', { className: line.mine ? 'line mine' : 'line' }, who, words), words };
      this.segments.set(line.segment, segment);
      this.log.append(segment.item);
      this.log.hidden = false;
    }
    segment.words.data = line.text;
    this.log.scrollTop = this.log.scrollHeight;
  }

  clear(): void {
    this.segments.clear();
    this.log.replaceChildren();
  }

  private setOpen(open: boolean): void {
    const floating = this.shown?.floating ?? false;
    const closing = this.open && !open;
    this.open = open;
    this.panel.hidden = floating && !open;
    this.launch.hidden = !floating || open;
    if (closing && floating) this.launch.focus();
  }
}

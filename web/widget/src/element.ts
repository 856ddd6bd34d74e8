import { Call, type Line, type State, type Trouble } from './call';
import { textsOf } from './texts';
import { type Content, View } from './view';

/** Where this script came from: the server, unless the page's own build contains it. */
const home = new URL(import.meta.url).origin;

/**
 * ParleyAgent is <parley-agent>, a conversation with the agent of a public token. Attributes: token; src, the server's address; mode, voice,
 * text or both; theme, light or dark; lang; position, inline, bottom-right or bottom-left; context, an object in JSON; consent-text. Events:
 * parley:state {state}, parley:transcript {role, text, final}, parley:end {call_id}, parley:error {error}.
 */
export class ParleyAgent extends HTMLElement {
  static observedAttributes = ['token', 'src', 'mode', 'theme', 'lang', 'position', 'context', 'consent-text'];

  private readonly root = this.attachShadow({ mode: 'open' });
  private readonly view = new View(this.root, {
    start: () => void this.start(),
    agree: () => this.begin(),
    decline: () => this.change({ consent: undefined }),
    end: () => this.stop(),
    mute: (muted) => {
      void this.call?.mute(muted);
      this.change({ muted });
    },
    send: (text) => void this.call?.send(text),
  });
  private call?: Call;
  private added: Record<string, unknown> = {};
  private state: Pick<Content, 'state' | 'trouble' | 'consent' | 'microphone' | 'muted'> & { refused: boolean } = {
    state: 'idle',
    microphone: false,
    muted: false,
    refused: false,
  };

  connectedCallback(): void {
    this.render();
  }

  disconnectedCallback(): void {
    this.stop();
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.render();
  }

  /** start begins a conversation; with a consent-text once the visitor has agreed to it. */
  start(): void {
    if (this.call) return;
    const consent = this.getAttribute('consent-text');
    if (consent === null) return this.begin();
    const { texts } = this.language();
    this.change({ consent: consent || texts.consent, trouble: undefined });
  }

  /** stop ends the conversation, if there is one. */
  stop(): void {
    this.call?.end();
  }

  /** setContext sets values of user_context for the next conversation; the public token says which keys are allowed. */
  setContext(context: Record<string, unknown>): void {
    this.added = { ...this.added, ...context };
  }

  private begin(): void {
    const mode = this.mode();
    this.view.clear();
    this.change({ state: 'connecting', trouble: undefined, consent: undefined, microphone: false, muted: false, refused: false });
    const call = new Call(
      {
        server: this.getAttribute('src') || home,
        token: this.getAttribute('token') ?? '',
        context: { ...this.given(), ...this.added },
        microphone: mode !== 'text',
        sound: mode !== 'text',
      },
      {
        state: (state) => this.follow(call, state),
        line: (line) => this.hear(line),
        trouble: (trouble) => this.fail(trouble),
        microphone: (microphone) => this.change({ microphone, refused: !microphone }),
      },
      this.root,
    );
    this.call = call;
    void call.begin();
  }

  private follow(call: Call, state: State): void {
    if (this.call !== call) return;
    if (state === 'ended') this.call = undefined;
    if (state !== 'connecting') this.change({ state });
    this.tell('state', { state });
    if (state === 'ended') this.tell('end', { call_id: call.id });
  }

  private hear(line: Line): void {
    this.view.line(line);
    this.tell('transcript', { role: line.mine ? 'user' : 'assistant', text: line.text, final: line.final });
  }

  private fail(trouble: Trouble): void {
    this.change({ trouble });
    this.tell('error', { error: trouble });
  }

  private tell(name: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(`parley:${name}`, { detail, bubbles: true, composed: true }));
  }

  private change(part: Partial<typeof this.state>): void {
    this.state = { ...this.state, ...part };
    this.render();
  }

  private render(): void {
    const { lang, texts } = this.language();
    const position = this.getAttribute('position') ?? 'inline';
    const writing = this.mode() !== 'voice' || this.state.refused;
    this.view.show({ ...this.state, lang, texts, floating: position !== 'inline', writing });
  }

  private mode(): string {
    return this.getAttribute('mode') ?? 'both';
  }

  private language() {
    return textsOf(this.getAttribute('lang'), document.documentElement.lang, ...navigator.languages);
  }

  /** given is the attribute context; what is no object is ignored with a warning. */
  private given(): Record<string, unknown> {
    const text = this.getAttribute('context');
    if (!text) return {};
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // said below
    }
    console.warn('parley-agent: the attribute context is no JSON object');
    return {};
  }
}

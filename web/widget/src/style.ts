// A constructed style sheet needs no 'unsafe-inline' of the page's content security policy.
const css = `
:host { --accent: #2450b2; --accent-text: #fff; --surface: #fff; --text: #1b1f27; --quiet: #59616e; --line: #d4d9e1; --mine: #e6edfb;
  --theirs: #f1f3f6; --warn: #8a4b00; display: block; font: 15px/1.45 system-ui, sans-serif; color: var(--text); }
:host([theme="dark"]) { --accent: #8db0ff; --accent-text: #10141c; --surface: #1b1f27; --text: #eef1f6; --quiet: #a9b1be; --line: #3a414d;
  --mine: #26395f; --theirs: #2a303a; --warn: #ffc078; }
@media (prefers-color-scheme: dark) { :host(:not([theme="light"])) { --accent: #8db0ff; --accent-text: #10141c; --surface: #1b1f27;
  --text: #eef1f6; --quiet: #a9b1be; --line: #3a414d; --mine: #26395f; --theirs: #2a303a; --warn: #ffc078; } }
:host([position^="bottom"]) { position: fixed; bottom: 20px; z-index: 2147483000; }
:host([position="bottom-right"]) { right: 20px; }
:host([position="bottom-left"]) { left: 20px; }
:host([hidden]), [hidden] { display: none !important; }
.panel { background: var(--surface); border: 1px solid var(--line); border-radius: 12px; padding: 14px; box-sizing: border-box; width: 100%;
  max-width: 380px; display: flex; flex-direction: column; gap: 10px; }
:host([position^="bottom"]) .panel { width: min(360px, calc(100vw - 40px)); box-shadow: 0 8px 30px rgb(0 0 0 / 25%); }
header { display: flex; justify-content: space-between; align-items: center; gap: 8px; }
h2 { font-size: 16px; margin: 0; }
p { margin: 0; }
.status { color: var(--quiet); font-size: 14px; min-height: 20px; }
.trouble { color: var(--warn); }
.log { overflow-y: auto; max-height: 280px; display: flex; flex-direction: column; gap: 6px; }
.line { padding: 7px 10px; border-radius: 10px; max-width: 85%; background: var(--theirs); overflow-wrap: anywhere; }
.line.mine { background: var(--mine); align-self: flex-end; }
.who { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
form, .buttons { display: flex; gap: 8px; flex-wrap: wrap; }
input { flex: 1; min-width: 0; font: inherit; color: inherit; background: transparent; border: 1px solid var(--quiet); border-radius: 8px;
  padding: 7px 10px; }
input::placeholder { color: var(--quiet); opacity: 1; }
button { font: inherit; cursor: pointer; border: 1px solid var(--quiet); background: transparent; color: inherit; border-radius: 8px;
  padding: 7px 14px; }
button.first { background: var(--accent); color: var(--accent-text); border-color: var(--accent); font-weight: 600; }
button.launch { border-radius: 999px; padding: 12px 20px; box-shadow: 0 4px 16px rgb(0 0 0 / 25%); }
button:focus-visible, input:focus-visible, .log:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
button:disabled { opacity: .55; cursor: default; }
`;

export const style = new CSSStyleSheet();
style.replaceSync(css);

import { ParleyAgent } from './element';

export { ParleyAgent };
export type { State, Trouble } from './call';

if (!customElements.get('parley-agent')) customElements.define('parley-agent', ParleyAgent);

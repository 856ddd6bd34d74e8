import type { AgentConfig } from './api/queries';
import type { Draft } from './config';
import { draftConfig, filledIn, objects } from './config';
import { texts } from './texts';

/** toYAML is an agent as a file that can be read, compared and imported. */
export async function toYAML({ name, display_name, config }: Draft): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify({ name, ...(display_name && { display_name }), config: filledIn(config) }, { lineWidth: 0 });
}

/** fromYAML is the agent of such a file. What is wrong with its values the server says when it is saved. */
export async function fromYAML(text: string): Promise<Draft> {
  const { parse } = await import('yaml');
  const found: unknown = parse(text, { maxAliasCount: 0 });
  if (!isObject(found) || !isObject(found.config)) throw new Error(texts.editor.yamlWrong);
  const config = Object.fromEntries(Object.entries(found.config).filter(([key, value]) => !(objects as readonly string[]).includes(key) || isObject(value)));
  return {
    name: typeof found.name === 'string' ? found.name : '',
    display_name: typeof found.display_name === 'string' ? found.display_name : '',
    config: draftConfig({ prompt: {}, ...config } as AgentConfig),
  };
}

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v);

/** download offers a text as a file. */
export function download(name: string, type: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

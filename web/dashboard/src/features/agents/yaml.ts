import { isObject } from '../../api/patch';
import type { AgentConfig } from './api';
import type { Draft } from './draft';
import { draftConfig, filledIn, objects } from './draft';
import { editorTexts } from './texts';

/** toYAML is an agent as a file that can be read, compared and imported. */
export async function toYAML({ name, display_name, config }: Draft): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify({ name, ...(display_name && { display_name }), config: filledIn(config) }, { lineWidth: 0 });
}

/** fromYAML is the agent of such a file. What is wrong with its values the server says when it is saved. */
export async function fromYAML(text: string): Promise<Draft> {
  const { parse } = await import('yaml');
  const found: unknown = parse(text, { maxAliasCount: 0 });
  if (!isObject(found) || !isObject(found.config)) throw new Error(editorTexts.yamlWrong);
  const config = Object.fromEntries(
    Object.entries(found.config).filter(
      ([key, value]) => !(objects as readonly string[]).includes(key) || isObject(value),
    ),
  );
  return {
    name: typeof found.name === 'string' ? found.name : '',
    display_name: typeof found.display_name === 'string' ? found.display_name : '',
    config: draftConfig({ prompt: {}, ...config } as AgentConfig),
  };
}

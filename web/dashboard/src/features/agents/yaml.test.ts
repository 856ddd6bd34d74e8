import { expect, test } from 'vitest';
import { emptyDraft, objects } from './draft';
import { fromYAML, toYAML } from './yaml';

test('an agent comes back from its YAML as it was', async () => {
  const draft = {
    ...emptyDraft([{ kind: 'llm', name: 'offline', models: ['scripted'] }]),
    name: 'desk',
    display_name: 'Desk: "front"',
  };
  draft.config.prompt = { system: 'Line one.\n\n  - {{user.name}} => yes\n', greeting: 'on' };
  const back = await fromYAML(await toYAML(draft));
  expect(back.name).toBe('desk');
  expect(back.display_name).toBe('Desk: "front"');
  expect(back.config.prompt).toEqual(draft.config.prompt);
  expect(back.config.llm).toEqual({ provider: 'offline', model: 'scripted' });
});

test('an agent with few or wrong parts has all that the editor shows', async () => {
  const { config } = await fromYAML('name: desk\nconfig: {llm: fast, dtmf: [1], turn: {min_silence_ms: 300}}');
  expect(objects.filter((name) => typeof config[name] !== 'object' || Array.isArray(config[name]))).toEqual([]);
  expect(config.turn).toEqual({ min_silence_ms: 300 });
});

test('what is no agent is refused', async () => {
  await expect(fromYAML('[1, 2]')).rejects.toThrow();
  await expect(fromYAML('name: desk')).rejects.toThrow();
  await expect(fromYAML('name: "desk')).rejects.toThrow();
  await expect(fromYAML('a: &a {x: 1}\nconfig: *a')).rejects.toThrow();
});

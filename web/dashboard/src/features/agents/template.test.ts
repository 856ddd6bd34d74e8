import { expect, test } from 'vitest';
import { templateCompletions, templatePaths } from './template';

const known = ['prompt.house-rules', 'user.name', 'user.plan'];
const at = (text: string) => {
  const caret = text.indexOf('|');
  return templateCompletions(text.replace('|', ''), caret, known).options;
};

test('templates are completed, and closed where they are not', () => {
  expect(at('Hello {{|')).toEqual([
    'user.',
    'call.',
    'workflow.',
    'flags.',
    'vars.',
    'prompt.',
    'prompt.house-rules}}',
    'user.name}}',
    'user.plan}}',
    'now}}',
    'now.time}}',
    'now.weekday}}',
  ]);
  expect(at('{{tod|')).toEqual(['today}}']);
  expect(at('Hello {{ us|')).toEqual(['user.', 'user.name}}', 'user.plan}}']);
  expect(at('Hello {{user.n|}} there')).toEqual(['user.name']);
  expect(at('{{prompt.|')).toEqual(['prompt.house-rules}}']);
});

test('other text is not', () => {
  expect([at('user.|'), at('{{user.name}} |'), at('{|')]).toEqual([[], [], []]);
});

test('paths that the texts name are known', () =>
  expect(templatePaths(['{{user.name}} {{ flags.vip }}', '{{user.name}} {{prompt.x}}'])).toEqual([
    'flags.vip',
    'user.name',
  ]));

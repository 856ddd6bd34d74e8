import { describe, expect, test } from 'vitest';
import { modelOf, parameterOf, type Provider } from './catalogue';

const provider: Provider = {
  kind: 'tts',
  name: 'cartesia',
  label: 'Cartesia',
  demo: false,
  key_source: 'missing',
  models: ['sonic-3', 'sonic-2'],
  model_details: [
    {
      name: 'sonic-3',
      status: 'current',
      parameters: [
        { name: 'speed', minimum: 0.6, maximum: 1.5 },
        { name: 'emotion', values: ['calm', 'happy'] },
      ],
    },
    { name: 'sonic-2', status: 'deprecated', shutdown_date: '2027-01-14', parameters: [] },
  ],
};

describe('the catalogue', () => {
  test('an agent without a model has the default', () =>
    expect([modelOf(provider, '')?.name, modelOf(provider, 'sonic-2')?.shutdown_date]).toEqual([
      'sonic-3',
      '2027-01-14',
    ]));
  test('a model takes the settings that it lists', () => {
    expect(parameterOf(provider, 'sonic-3', 'emotion')).toMatchObject({ values: ['calm', 'happy'] });
    expect(parameterOf(provider, 'sonic-2', 'emotion')).toBe(false);
  });
  test('a model that is not listed takes all of them', () => {
    expect(parameterOf(provider, 'sonic-9', 'emotion')).toEqual({ name: 'emotion' });
    expect(parameterOf(undefined, 'any', 'key_terms')).toEqual({ name: 'key_terms' });
  });
});

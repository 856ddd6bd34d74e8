import { expect, test } from 'vitest';
import { isResult, resultQuery } from './api';
import { answersOf, resultKeys } from './results';

test('a filter of answers applies when it is complete', () => {
  const complete = [
    'booked=yes',
    'outcome.booked=unknown',
    'data.booked=yes',
    'outcome.polite=7..10',
    'polite=7..',
    'p=..3.5',
    'p=0',
  ];
  expect(complete.filter(isResult)).toEqual(complete);
  expect(
    ['outcome.data.service=a cleaning', 'outcome.data.=a', '=yes', 'booked', 'booked=y', 'p=..'].filter(isResult),
  ).toEqual(['outcome.data.service=a cleaning']);
  expect(resultQuery('outcome.data.note=a=b')).toEqual({ 'result.outcome.data.note': 'a=b' });
  expect(resultQuery('booked=')).toEqual({});
});

test('a row has the answers to criteria first', () => {
  const results = {
    'outcome.data.service': 'cleaning',
    'outcome.polite': 9,
    'outcome.booked': 'yes',
    'other.data': 'no',
    'outcome.data.when': 'Monday',
  };
  expect(resultKeys([{ results }, { results: null }])).toEqual([
    'other.data',
    'outcome.booked',
    'outcome.polite',
    'outcome.data.service',
    'outcome.data.when',
  ]);
  expect(answersOf({ results })).toEqual({
    shown: [
      { key: 'other.data', name: 'data', value: 'no' },
      { key: 'outcome.booked', name: 'booked', value: 'yes' },
      { key: 'outcome.polite', name: 'polite', value: '9' },
      { key: 'outcome.data.service', name: 'service', value: 'cleaning' },
    ],
    more: 1,
  });
});

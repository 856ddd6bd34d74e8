import { expect, test } from 'vitest';
import { callAnalysisBodyReason } from '../../../generated/enums';
import { type CallAnalysis, recheckAfter } from '../api';
import { answerText, stateText, values } from './analyses';
import { analysesTexts } from './analysesTexts';

const analysis = (fields: Partial<CallAnalysis>): CallAnalysis => ({
  name: 'outcome',
  version: 1,
  status: 'done',
  reason: null,
  data: null,
  criteria: [],
  attempts: 1,
  created_at: '2026-11-01T09:30:00Z',
  finished_at: null,
  ...fields,
});

test('every reason has a sentence', () => {
  const written = Object.values(analysesTexts.reasons).flatMap((reasons) => Object.keys(reasons));
  expect([...new Set(written)].sort()).toEqual([...callAnalysisBodyReason].sort());
});

test('an analysis that is not done says why', () => {
  expect(stateText(analysis({}))).toBeUndefined();
  expect(stateText(analysis({ status: 'pending' }))).toBe('It waits for the language model.');
  expect(stateText(analysis({ status: 'pending', reason: 'provider_error' }))).toContain('asked again');
  expect(stateText(analysis({ status: 'failed', reason: 'provider_error' }))).toContain('for a day');
});

test('pending analyses are loaded again, seldom those that await their vendor', () => {
  const [done, first, later] = [{}, { status: 'pending' }, { status: 'pending', attempts: 3 }] as const;
  const after = (...all: Partial<CallAnalysis>[]) => recheckAfter(all.map(analysis));
  expect([recheckAfter(), after(done), after(done, first), after(later), after(later, first)]).toEqual([
    false,
    false,
    1500,
    15_000,
    1500,
  ]);
});

test('answers are words, scores are of ten', () => {
  expect(answerText({ name: 'booked', answer: 'yes', evidence: [1] })).toBe('Yes');
  expect(answerText({ name: 'polite', score: 0, evidence: [1] })).toBe('0 of 10');
  expect(answerText({ name: 'polite', evidence: [], unproven: true })).toBe('Unknown');
});

test('data is shown by field', () => {
  expect(values({ service: 'cleaning', paid: false, note: null, items: [1] })).toEqual([
    { name: 'service', text: 'cleaning', json: false },
    { name: 'paid', text: 'false', json: false },
    { name: 'note', text: 'empty', json: false },
    { name: 'items', text: '[\n  1\n]', json: true },
  ]);
});

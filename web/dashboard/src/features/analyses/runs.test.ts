import { describe, expect, test } from 'vitest';
import { Problem } from '../../api/client';
import { fieldErrors, finishedOf, isOpen, newRun, progressOf, type Run, runBody } from './runs';
import { runsTexts } from './runsTexts';

const run: Run = {
  id: '1',
  analysis: 'outcome',
  status: 'running',
  reason: null,
  from: null,
  to: '2026-11-08T00:00:00Z',
  agent_name: null,
  livemode: null,
  sample: null,
  max_cost: null,
  currency: 'USD',
  estimated_cost: null,
  cost: '0.12',
  calls: 120,
  pending: 32,
  done: 40,
  skipped: 2,
  failed: 0,
  created_at: '2026-11-08T00:00:00Z',
  finished_at: null,
};

describe('runs over earlier calls', () => {
  test('send what is given', () => {
    expect(runBody(newRun)).toEqual({});
    expect(
      runBody({ from: '2026-11-01T10:00', to: '', agent_name: 'desk', livemode: 'test', sample: 10, max_cost: '1.50' }),
    ).toEqual({
      from: new Date('2026-11-01T10:00').toISOString(),
      agent_name: 'desk',
      livemode: false,
      sample: 10,
      max_cost: '1.50',
    });
  });
  test('errors are at the fields', () => {
    const problem = new Problem(422, 'validation_error', '', [{ field: 'to', message: 'must not be before from' }]);
    expect(fieldErrors(problem)).toEqual({ to: 'must not be before from' });
    expect(fieldErrors(new Error('away'))).toEqual({});
  });
  test('progress', () => {
    expect([isOpen(run), finishedOf(run), progressOf(run)]).toEqual([true, 42, 35]);
    expect(progressOf({ ...run, calls: 0, done: 0, skipped: 0 })).toBe(100);
    expect(runsTexts.without(2, 0)).toBe('2 skipped');
  });
  test('which calls they are over', () => {
    expect(runsTexts.selection(run)).toBe('All calls');
    expect(
      runsTexts.selection({ ...run, agent_name: 'desk', sample: 10, livemode: false, to: '2026-11-07T12:00:00Z' }),
    ).toMatch(/^Sample of 10, desk, test calls, until Nov [78], 2026/);
  });
  test('costs', () => {
    expect(runsTexts.costs(run)).toBe('$0.12');
    expect(runsTexts.costs({ ...run, estimated_cost: '0.42' })).toBe('$0.12 estimated $0.42');
    expect(runsTexts.costs({ ...run, estimated_cost: '0.42', max_cost: '5' })).toBe('$0.12 of at most $5.00');
    expect(runsTexts.costs({ ...run, currency: '', cost: '0' })).toBe('–');
    expect(runsTexts.estimated({ calls: 1, estimated_cost: '0.004', currency: 'USD' })).toBe('1 call, about $0.004.');
    expect(runsTexts.estimated({ calls: 2, estimated_cost: null, currency: '' })).toMatch(/^2 calls\. .* not known/);
    expect(runsTexts.estimated({ calls: 0, estimated_cost: null, currency: '' })).not.toMatch(/cost/);
  });
});

import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { refresher } from './stream';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** observed is a client with an observed query of calls; each load takes a second and counts. */
async function observed() {
  const client = new QueryClient();
  const load = vi.fn(() => new Promise((loaded) => setTimeout(() => loaded(load.mock.calls.length), 1000)));
  const unsubscribe = new QueryObserver(client, { queryKey: ['calls'], queryFn: load }).subscribe(() => {});
  const end = () => {
    unsubscribe();
    client.clear();
  };
  return { client, load, end, data: () => client.getQueryData(['calls']) };
}

test('changes within the delay share one load', async () => {
  const { client, load, end, data } = await observed();
  await vi.advanceTimersByTimeAsync(1000);
  const { refresh } = refresher(client);
  for (let i = 0; i < 10; i++) refresh('calls', 250);
  await vi.advanceTimersByTimeAsync(249);
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(5000);
  expect([load.mock.calls.length, data()]).toEqual([2, 2]);
  end();
});

test('a change does not cancel a load, and is followed by another one', async () => {
  const { client, load, end, data } = await observed();
  await vi.advanceTimersByTimeAsync(1000);
  const { refresh } = refresher(client);
  refresh('calls', 250);
  await vi.advanceTimersByTimeAsync(300); // the second load is under way
  for (let i = 0; i < 10; i++) refresh('calls', 250);
  await vi.advanceTimersByTimeAsync(950);
  expect([load.mock.calls.length, data()]).toEqual([2, 2]);
  await vi.advanceTimersByTimeAsync(5000);
  expect([load.mock.calls.length, data()]).toEqual([3, 3]);
  end();
});

test('a load that began before the change is followed by one that has it', async () => {
  const { client, load, end, data } = await observed();
  const { refresh } = refresher(client);
  refresh('calls', 250); // the first load still runs
  await vi.advanceTimersByTimeAsync(5000);
  expect([load.mock.calls.length, data()]).toEqual([2, 2]);
  end();
});

test('nothing loads after the stop', async () => {
  const { client, load, end } = await observed();
  await vi.advanceTimersByTimeAsync(1000);
  const { refresh, stop } = refresher(client);
  refresh('calls', 250);
  stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(load).toHaveBeenCalledTimes(1);
  end();
});

import { queryOptions } from '@tanstack/react-query';
import { api, Problem, result } from '../../api/client';
import { formPath, withoutEmpty } from '../../api/patch';
import type { components } from '../../generated/schema';

export type Run = components['schemas']['AnalysisRunBody'];
export type RunEstimate = components['schemas']['RunEstimateBody'];
export type RunBody = components['schemas']['RunAnalysisBody'];

/** RunDraft is a run as its form holds it: from and to are local times, and what is empty is not given. */
export interface RunDraft extends Record<string, unknown> {
  from: string;
  to: string;
  agent_name: string;
  livemode: 'live' | 'test' | null;
  sample: number | '';
  max_cost: string;
}

export const newRun: RunDraft = { from: '', to: '', agent_name: '', livemode: null, sample: '', max_cost: '' };

/** runBody is what a draft has the API run. */
export function runBody({ from, to, livemode, ...rest }: RunDraft): RunBody {
  return withoutEmpty({
    ...rest,
    from: from && new Date(from).toISOString(),
    to: to && new Date(to).toISOString(),
    livemode: livemode && livemode === 'live',
  }) as RunBody;
}

/** isOpen reports whether a run has not ended. */
export const isOpen = (run: Run) => run.finished_at === null;

/** finishedOf is how many calls of a run are finished. */
export const finishedOf = (run: Run) => run.done + run.skipped + run.failed;

/** progressOf is how far a run is, in percent. */
export const progressOf = (run: Run) => (run.calls > 0 ? Math.min(100, (finishedOf(run) / run.calls) * 100) : 100);

/** fieldErrors are the messages of an answer of the API, by field. */
export const fieldErrors = (error: unknown): Record<string, string> =>
  error instanceof Problem ? Object.fromEntries(error.details.map((d) => [formPath(d.field), d.message])) : {};

/** mostRuns is how many runs are listed at most. */
export const mostRuns = 100;

/** analysisRuns are the newest runs of an analysis; while one is open they are loaded again and again. */
export const analysisRuns = (name: string, limit: number) =>
  queryOptions({
    queryKey: ['analysis-runs', name, limit],
    queryFn: ({ signal }) =>
      result(api.GET('/api/v1/analysis-runs', { params: { query: { analysis: name, limit } }, signal })),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? 1500 : false),
  });

/** runEstimate is how many calls a run would analyse, and about what that would cost. */
export const runEstimate = (name: string, body: RunBody) =>
  queryOptions({
    queryKey: ['run-estimate', name, body],
    queryFn: ({ signal }) =>
      result(api.POST('/api/v1/analyses/{name}/runs/estimate', { params: { path: { name } }, body, signal })),
    staleTime: 0,
    gcTime: 0,
  });

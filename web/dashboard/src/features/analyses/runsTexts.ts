import { moment, money } from '../../format';
import type { Run, RunEstimate } from './runs';

/** amount writes a decimal in a currency; without a price list there is none. */
export const amount = (value: string, currency: string) =>
  currency ? money({ known: value, total: value, currency }) : '–';

const calls = (n: number) => `${n} ${n === 1 ? 'call' : 'calls'}`;

/** bound is the greatest cost of a run, or else its estimate. */
const bound = ({ max_cost, estimated_cost, currency }: Run) =>
  max_cost !== null && currency
    ? `of at most ${amount(max_cost, currency)}`
    : estimated_cost !== null
      ? `estimated ${amount(estimated_cost, currency)}`
      : '';

export const runsTexts = {
  title: 'Runs over earlier calls',
  none: 'A run analyses calls that have ended already, with the present version of the analysis.',
  startRun: 'New run',
  startTitle: 'Run over earlier calls',
  startLead: (version: number) =>
    `Analyses calls that have ended with a transcript, with version ${version}. Calls that have a result of this version are left out.`,
  start: 'Start',
  started: 'The run has started.',
  from: 'From',
  to: 'To',
  agent: 'Agent',
  anyAgent: 'Any agent',
  mode: 'Mode',
  anyMode: 'Live and test calls',
  modes: { live: 'Live calls', test: 'Test calls' },
  sample: 'Sample',
  sampleHint: 'Number of calls, chosen at random.',
  allCalls: 'All calls',
  maxCost: 'Cost at most',
  maxCostHint: 'The run stops before it costs more.',
  estimate: 'Estimate',
  estimating: 'Counting the calls …',
  estimated: (e: RunEstimate) =>
    e.calls === 0
      ? 'There are no calls to analyse.'
      : e.estimated_cost === null
        ? `${calls(e.calls)}. What they would cost is not known: the language model has no price.`
        : `${calls(e.calls)}, about ${amount(e.estimated_cost, e.currency)}.`,
  calls: 'Calls',
  progress: 'Progress',
  cost: 'Cost',
  /** selection is which calls a run is over. */
  selection: ({ from, to, created_at, agent_name, livemode, sample }: Run) =>
    [
      ...(sample === null ? [] : [`Sample of ${sample}`]),
      ...(agent_name ? [agent_name] : []),
      ...(livemode === null ? [] : [livemode ? 'live calls' : 'test calls']),
      ...(from ? [`from ${moment(from)}`] : []),
      ...(to === created_at ? [] : [`until ${moment(to)}`]),
    ].join(', ') || 'All calls',
  startedAt: (when: string) => `Started ${when}`,
  states: {
    running: 'Running',
    done: 'Done',
    stopped: 'Stopped',
    cancelling: 'Cancelling',
    cancelled: 'Cancelled',
  },
  reasons: {
    max_cost: 'Another call could have exceeded its greatest cost.',
    analysis_deleted: 'The analysis was deleted.',
    budget_exhausted: 'Waits until the budget has room.',
    provider_error: 'The language model fails, and is asked again later.',
  },
  of: (finished: number, all: number) => `${finished} of ${all}`,
  without: (skipped: number, failed: number) =>
    [...(skipped ? [`${skipped} skipped`] : []), ...(failed ? [`${failed} failed`] : [])].join(', '),
  bound,
  costs: (run: Run) => `${amount(run.cost, run.currency)} ${bound(run)}`.trim(),
  cancel: 'Cancel the run',
  keep: 'Keep running',
  cancelTitle: 'Cancel the run?',
  cancelText: 'Analyses that have begun are finished, and their results stay. The others are not made.',
};

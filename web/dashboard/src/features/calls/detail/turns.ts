import type { components } from '../../../generated/schema';
import type { Decision } from './routing';
import type { Turn as Latencies } from './waterfall';

/** overlaps are the types of entries about what was heard of the caller while the agent spoke. */
export const overlaps = ['agent_interrupted', 'agent_resumed', 'overlap_ignored'];

/** Line is an entry of the transcript. */
export interface Line {
  id: number;
  role: string;
  content: string;
  /** Whether the content is keys that the caller pressed. */
  dtmf?: boolean;
  timestamp: string;
  agent_name?: string | null;
  tool_call?: unknown;
}

/** Entry is an entry of the timeline, whatever its type. */
export interface Entry extends Latencies {
  type: string;
  timestamp: string;
  agent?: string;
  status?: string;
  status_reason?: string;
  name?: string;
  arguments?: unknown;
  duration_ms?: number | null;
  answer?: string;
  phase?: string;
  to?: string;
  reason?: string;
  sip_status?: number | null;
  summary?: string;
  control?: string;
  control_status?: string;
  previous_agent?: string | null;
  routing?: Decision;
  interrupted?: boolean;
  message?: string;
  level?: string;
  cause?: string;
  class?: components['schemas']['AnsweredBy']['class'];
  confidence?: number;
  after_ms?: number;
  evidence?: components['schemas']['AnswerEvidence'][];
  service?: string;
  stt_provider?: string | null;
  llm_provider?: string | null;
  tts_provider?: string | null;
  input_tokens?: number | null;
  output_tokens?: number | null;
  cost?: components['schemas']['CostBody'];
}

/** Turn is what the caller said and what followed until the caller spoke again. The one with the number 0 is the opening of the call. */
export interface Turn {
  number: number;
  said?: string;
  /** Whether it is keys that the caller pressed. */
  keys?: boolean;
  /** Milliseconds since 1970: when the caller's last sound was; of the opening, when the call became active. */
  at: number;
  end: number;
  replies: { at: number; agent?: string; text: string }[];
  /** The measurements; none of a turn that was not answered. */
  measured?: Entry;
  tools: Entry[];
  handoffs: Entry[];
  errors: Entry[];
  /** What was heard of the caller while the agent spoke, and what the agent did. */
  overlaps: Entry[];
}

/** turnsOf joins a call's transcript, which has the words, with its timeline, which has what happened. */
export function turnsOf(transcript: Line[], timeline: Entry[], started: number): Turn[] {
  const turns: Turn[] = [];
  const begin = (at: number, said?: string, keys?: boolean) => {
    const turn: Turn = {
      number: turns.length,
      said,
      ...(keys && { keys }),
      at,
      end: at,
      replies: [],
      tools: [],
      handoffs: [],
      errors: [],
      overlaps: [],
    };
    turns.push(turn);
    return turn;
  };
  let open = begin(started);
  for (const line of transcript) {
    if (line.tool_call || line.content === '') continue;
    const at = Date.parse(line.timestamp);
    if (line.role === 'user') open = begin(at, line.content, line.dtmf);
    else if (line.role === 'assistant')
      open.replies.push({ at, agent: line.agent_name ?? undefined, text: line.content });
  }
  const lastBefore = (at: number) => turns.findLast((t) => t.at <= at) ?? turns[0];
  for (const e of timeline) {
    const at = Date.parse(e.timestamp);
    if (e.type === 'tool_call') lastBefore(at).tools.push(e);
    if (e.type === 'handoff') lastBefore(at).handoffs.push(e);
    if (e.type === 'error') lastBefore(at).errors.push(e);
    if (overlaps.includes(e.type)) lastBefore(at).overlaps.push(e);
    if (e.type !== 'turn') continue;
    // A turn is noted at its end. A caller who interrupts may have begun the next one by then.
    const open = turns.filter((t) => t.number > 0 && !t.measured && t.at <= at);
    const of = open.find((t) => t.replies.length > 0 === (e.voice_to_voice_ms != null)) ?? open.at(-1);
    if (of) [of.measured, of.end] = [e, Math.max(of.end, at)];
  }
  for (const t of turns)
    t.end = Math.max(
      t.end,
      ...t.replies.map((r) => r.at),
      ...[...t.tools, ...t.handoffs].map((e) => Date.parse(e.timestamp)),
    );
  return turns;
}

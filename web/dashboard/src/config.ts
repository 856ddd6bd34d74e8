import type { AgentConfig } from './api/queries';

/** An agent as the editor holds it. */
export interface Draft {
  name: string;
  display_name: string;
  config: DraftConfig;
}

/** objects are the objects that the editor's fields are in. */
export const objects = ['prompt', 'stt', 'tts', 'llm', 'turn', 'audio', 'dtmf'] as const;

/** A configuration in the editor has these objects, empty where the agent has none. */
export type DraftConfig = AgentConfig & Required<Pick<AgentConfig, (typeof objects)[number]>>;

/** draftConfig is a configuration as the editor holds it. */
export function draftConfig(config: AgentConfig): DraftConfig {
  return { ...config, stt: config.stt ?? { provider: '', model: '' }, tts: config.tts ?? { provider: '', voice_id: '' }, llm: config.llm ?? { provider: '', model: '' }, turn: config.turn ?? {}, audio: config.audio ?? {}, dtmf: config.dtmf ?? {} };
}

/** emptyDraft is a new agent, with the first of the choices that need no key. */
export function emptyDraft(providers: { kind: string; name: string; models: string[] | null; voices?: string[] | null }[]): Draft {
  const of = (kind: string) => providers.find((p) => p.kind === kind && p.name === 'offline') ?? providers.find((p) => p.kind === kind);
  const [stt, tts, llm] = ['stt', 'tts', 'llm'].map(of);
  return {
    name: '',
    display_name: '',
    config: draftConfig({
      prompt: { system: '', greeting: '' },
      stt: { provider: stt?.name ?? '', model: stt?.models?.[0] ?? '' },
      tts: { provider: tts?.name ?? '', voice_id: tts?.voices?.[0] ?? '' },
      llm: { provider: llm?.name ?? '', model: llm?.models?.[0] ?? '' },
    }),
  };
}

/** withoutEmpty leaves out what was not filled in: "", null, and objects and lists without anything. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty).filter((v) => v !== undefined);
  if (value !== null && typeof value === 'object') {
    const kept = Object.entries(value)
      .map(([k, v]) => [k, withoutEmpty(v)] as const)
      .filter(([, v]) => v !== undefined && !(Array.isArray(v) && v.length === 0) && !isEmptyObject(v));
    return Object.fromEntries(kept);
  }
  return value === '' || value === null ? undefined : value;
}

/** filledIn is a configuration without what was not filled in. An end key of "" stays: it means none, where no value means the default. */
export function filledIn(config: AgentConfig): AgentConfig {
  const filled = withoutEmpty(config) as AgentConfig;
  return config.dtmf?.end === '' ? { ...filled, dtmf: { ...filled.dtmf, end: '' } } : filled;
}

function isEmptyObject(v: unknown): boolean {
  return v !== null && typeof v === 'object' && !Array.isArray(v) && Object.keys(v).length === 0;
}

/**
 * mergePatch is the JSON Merge Patch (RFC 7396) that turns one object into another: what is gone is null.
 */
export function mergePatch(before: unknown, after: unknown): unknown {
  const isObject = (v: unknown): v is Record<string, unknown> => v !== null && typeof v === 'object' && !Array.isArray(v);
  if (!isObject(before) || !isObject(after)) return after;
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!(key in after)) patch[key] = null;
    else if (JSON.stringify(before[key]) !== JSON.stringify(after[key])) patch[key] = mergePatch(before[key], after[key]);
  }
  return patch;
}

/** formPath is a field of an error as the form names it: handoffs[0].target_agent is handoffs.0.target_agent. */
export function formPath(field: string): string {
  return field.replace(/\[(\d+)\]/g, '.$1');
}

import { withoutEmpty } from '../../api/patch';
import type { AgentConfig } from './api';

/** An agent as the editor holds it. */
export interface Draft {
  name: string;
  display_name: string;
  config: DraftConfig;
}

/** objects are the objects that the editor's fields are in. */
export const objects = ['prompt', 'stt', 'tts', 'llm', 'turn', 'audio', 'dtmf', 'answer_detection'] as const;

/** A configuration in the editor has these objects, empty where the agent has none. */
export type DraftConfig = AgentConfig & Required<Pick<AgentConfig, (typeof objects)[number]>>;

/** draftConfig is a configuration as the editor holds it. */
export function draftConfig(config: AgentConfig): DraftConfig {
  return {
    ...config,
    stt: config.stt ?? { provider: '', model: '' },
    tts: config.tts ?? { provider: '', voice_id: '' },
    llm: config.llm ?? { provider: '', model: '' },
    turn: config.turn ?? {},
    audio: config.audio ?? {},
    dtmf: config.dtmf ?? {},
    answer_detection: config.answer_detection ?? {},
  };
}

/** emptyDraft is a new agent, with the first of the choices that need no key. */
export function emptyDraft(
  providers: { kind: string; name: string; models: string[] | null; voices?: string[] | null }[],
): Draft {
  const of = (kind: string) =>
    providers.find((p) => p.kind === kind && p.name === 'offline') ?? providers.find((p) => p.kind === kind);
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

/** filledIn is a configuration without what was not filled in. An end key of "" stays: it means none, where no value means the default. */
export function filledIn(config: AgentConfig): AgentConfig {
  const filled = withoutEmpty(config) as AgentConfig;
  return config.dtmf?.end === '' ? { ...filled, dtmf: { ...filled.dtmf, end: '' } } : filled;
}

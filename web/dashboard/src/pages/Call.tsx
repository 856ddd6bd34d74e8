import { Badge, Button, Code, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft, Play } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { api, result } from '../api/client';
import { call, deliveries, may, me, timeline, transcript } from '../api/queries';
import { useLiveCalls } from '../api/stream';
import { duration, milliseconds, moment, time } from '../format';
import { Status } from '../parts/Status';
import { Empty, Page } from '../parts/Page';
import { Loading, message, Trouble } from '../parts/Trouble';
import { texts } from '../texts';
import { longest, spans, type Turn } from '../waterfall';

const t = texts.call;
const over = ['completed', 'failed', 'disconnected', 'timeout'];

/** Entry is an entry of the timeline, whatever its type. */
interface Entry extends Turn {
  type: string;
  timestamp: string;
  agent?: string;
  status?: string;
  status_reason?: string;
  name?: string;
  arguments?: unknown;
  duration_ms?: number | null;
  previous_agent?: string | null;
  interrupted?: boolean;
  message?: string;
  level?: string;
  service?: string;
  stt_provider?: string | null;
  llm_provider?: string | null;
  tts_provider?: string | null;
  input_tokens?: number | null;
  output_tokens?: number | null;
}

function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section className="panel" style={{ padding: 20 }}>
      <Text component="h2" fw={600} mb={hint ? 0 : 'sm'}>{title}</Text>
      {hint && <Text size="sm" c="dimmed" mb="sm">{hint}</Text>}
      {children}
    </section>
  );
}

const Quiet = ({ children }: { children: ReactNode }) => <Text size="sm" c="dimmed">{children}</Text>;

export function Call() {
  const { id } = useParams({ from: '/shell/calls/$id' });
  const queries = useQueryClient();
  const found = useQuery(call(id));
  const said = useQuery(transcript(id));
  const happened = useQuery(timeline(id));
  const scopes = useQuery(me).data?.scopes;
  useLiveCalls();
  const seesWebhooks = may(scopes, 'webhooks:read');
  const sent = useQuery({ ...deliveries(id), enabled: seesWebhooks });
  const audio = useRef<HTMLAudioElement>(null);
  const [recorded, setRecorded] = useState(false);
  const end = useMutation({
    mutationFn: () => result(api.POST('/api/v1/calls/{id}/end', { params: { path: { id } } })),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['calls'] }),
    onError: (error) => notifications.show({ message: message(error), color: 'red' }),
  });
  if (found.error && !found.data) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <Loading />;
  const c = found.data;
  const isOver = over.includes(c.status);
  const hear = recorded && c.started_at ? (timestamp: string) => playFrom(audio.current, (Date.parse(timestamp) - Date.parse(c.started_at ?? timestamp)) / 1000) : undefined;
  const entries = (happened.data ?? []) as unknown as Entry[];
  const turns = entries.filter((e) => e.type === 'turn');
  const errors = entries.filter((e) => e.type === 'error');
  const metadata = c.metadata as Record<string, unknown> | null;
  const facts: [string, ReactNode][] = [
    [texts.calls.started, c.started_at ? moment(c.started_at) : '–'],
    [texts.calls.duration, duration(c.duration_seconds)],
    [t.reason, c.status_reason?.replaceAll('_', ' ') ?? '–'],
    [texts.calls.type, `${c.call_type === 'sip' ? texts.calls.phone : texts.calls.browser}, ${c.direction}`],
    [t.handoffs, c.agent_history?.join(' → ') || c.agent_name || '–'],
    [t.workflow, c.workflow_slug ?? '–'],
    [texts.calls.user, c.user_id ?? '–'],
    [t.tokens, c.metrics?.total_tokens ?? '–'],
  ];
  return (
    <>
      <Link to="/calls" style={{ display: 'inline-flex', gap: 6, alignItems: 'center', fontSize: 14, marginBottom: 12, color: 'var(--quiet)' }}>
        <ArrowLeft size={15} aria-hidden /> {t.back}
      </Link>
      <Page
        title={c.agent_history?.join(' → ') || c.agent_name || c.workflow_slug || texts.calls.title}
        lead={<Group gap="md"><Status status={c.status} /><span style={{ overflowWrap: 'anywhere' }}>{c.id}</span></Group>}
        actions={!isOver && may(scopes, 'calls:write') && <Button color="red" variant="light" loading={end.isPending} onClick={() => end.mutate()}>{t.end}</Button>}
      >
        <div className="split">
          <Stack gap="md">
            <Section title={t.recording}>
              <Recording id={id} over={isOver} audio={audio} found={setRecorded} />
            </Section>
            <Section title={t.transcript}>
              {said.isPending ? <Loading /> : said.error ? <Trouble error={said.error} retry={() => void said.refetch()} /> : <Transcript entries={said.data ?? []} hear={hear} />}
            </Section>
            <Section title={t.turns} hint={t.turnsHint}>
              {happened.isPending ? <Loading /> : happened.error ? <Trouble error={happened.error} retry={() => void happened.refetch()} /> : <Waterfall turns={turns} hear={hear} />}
            </Section>
            <Section title={t.events}>
              {entries.length === 0 && !happened.isPending && <Quiet>{t.noEvents}</Quiet>}
              {entries.filter((e) => e.type !== 'turn').map((e, i) => (
                <div key={`${e.timestamp}-${i}`} style={{ display: 'flex', gap: 12, padding: '6px 0', fontSize: 14 }}>
                  <Text size="sm" c="dimmed" className="numbers" style={{ flex: 'none' }}>{time(e.timestamp)}</Text>
                  <div className="grow" style={{ overflowWrap: 'anywhere' }}><EventText e={e} /></div>
                </div>
              ))}
            </Section>
          </Stack>
          <Stack gap="md">
            <Section title={t.details}>
              <dl style={{ display: 'grid', gridTemplateColumns: 'auto 1fr', gap: '8px 16px', margin: 0, fontSize: 14 }}>
                {facts.map(([name, value]) => (
                  <div key={name} style={{ display: 'contents' }}>
                    <dt style={{ color: 'var(--quiet)' }}>{name}</dt>
                    <dd style={{ margin: 0, textAlign: 'right', overflowWrap: 'anywhere' }}>{value}</dd>
                  </div>
                ))}
              </dl>
            </Section>
            <Section title={t.errors}>
              {errors.length === 0 && <Quiet>{t.noErrors}</Quiet>}
              {errors.map((e, i) => (
                <div key={i} style={{ padding: '6px 0' }}>
                  <Group gap={8}><Badge size="xs" color={e.level === 'error' ? 'red' : 'yellow'} variant="light">{e.service}</Badge><Text size="xs" c="dimmed">{time(e.timestamp)}</Text></Group>
                  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>{e.message}</Text>
                </div>
              ))}
            </Section>
            <Section title={t.metadata}>
              {metadata && Object.keys(metadata).length > 0 ? <Code block tabIndex={0}>{JSON.stringify(metadata, null, 2)}</Code> : <Quiet>{t.noMetadata}</Quiet>}
            </Section>
            <Section title={t.deliveries}>
              {!seesWebhooks ? <Quiet>{t.deliveriesHidden}</Quiet> : sent.error ? <Trouble error={sent.error} retry={() => void sent.refetch()} /> : (
                <>
                  {sent.data?.items?.length === 0 && <Quiet>{t.noDeliveries}</Quiet>}
                  {sent.data?.items?.map((d) => (
                    <div key={d.id} style={{ padding: '6px 0' }}>
                      <Group justify="space-between" gap={8}>
                        <Text size="sm" fw={550}>{d.event}</Text>
                        <Badge size="xs" variant="light" color={d.status === 'delivered' ? 'teal' : d.status === 'failed' ? 'red' : 'yellow'}>{d.status.replace('_', ' ')}</Badge>
                      </Group>
                      <Text size="xs" c="dimmed">{t.attempts(d.attempt_count, d.max_attempts)}{d.response_status ? `, HTTP ${d.response_status}` : ''}{d.error ? `: ${d.error}` : ''}</Text>
                    </div>
                  ))}
                </>
              )}
            </Section>
          </Stack>
        </div>
      </Page>
    </>
  );
}

/** playFrom plays a recording from a time, in seconds, and a little before. */
function playFrom(audio: HTMLAudioElement | null, seconds: number) {
  if (!audio) return;
  audio.currentTime = Math.max(0, seconds - 0.5);
  void audio.play();
}

type Hear = ((timestamp: string) => void) | undefined;

/** When is a time of day, which plays the recording from there if there is one. */
function When({ at, hear }: { at: string; hear: Hear }) {
  if (!hear) return <span className="numbers">{time(at)}</span>;
  return <UnstyledButton className="numbers when" onClick={() => hear(at)} aria-label={t.hearFrom(time(at))}><Play size={11} aria-hidden /> {time(at)}</UnstyledButton>;
}

function Recording({ id, over, audio, found }: { id: string; over: boolean; audio: RefObject<HTMLAudioElement | null>; found: (there: boolean) => void }) {
  const src = `/api/v1/calls/${id}/recording`;
  const there = useQuery({
    queryKey: ['recording', id],
    queryFn: async () => (await fetch(src, { headers: { Range: 'bytes=0-0' } })).ok,
    enabled: over,
    staleTime: 60_000,
  });
  useEffect(() => found(there.data === true), [there.data, found]);
  if (!over) return <Quiet>{t.recordingLater}</Quiet>;
  if (there.isPending) return <Loading />;
  if (!there.data) return <Quiet>{t.noRecording}</Quiet>;
  return <audio ref={audio} controls preload="metadata" src={src} style={{ width: '100%' }} aria-label={t.recording} />;
}

function Transcript({ entries, hear }: { entries: { role: string; content: string; timestamp: string; agent_name?: string | null; tool_call?: unknown }[]; hear: Hear }) {
  if (entries.length === 0) return <Empty>{t.noTranscript}</Empty>;
  return (
    <div className="bubbles">
      {entries.map((e, i) => {
        const tool = e.tool_call as { name: string; arguments?: unknown } | null | undefined;
        if (tool) {
          return (
            <Text key={i} size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>{tool.name}({JSON.stringify(tool.arguments ?? {})}){e.content && ` → ${e.content}`}</Text>
          );
        }
        const mine = e.role === 'user';
        return (
          <div key={i} className={mine ? 'bubble mine' : 'bubble agent'}>
            <div className="who">{mine ? t.caller : e.agent_name} · <When at={e.timestamp} hear={hear} /></div>
            {e.content}
          </div>
        );
      })}
    </div>
  );
}

const parts = ['endpointing', 'stt', 'llm', 'tts'] as const;

function Waterfall({ turns, hear }: { turns: Entry[]; hear: Hear }) {
  if (turns.length === 0) return <Quiet>{t.noTurns}</Quiet>;
  const axis = longest(turns);
  return (
    <>
      <Group gap="md" mb="sm">
        {parts.map((part) => <span key={part} className="key"><span className="swatch" style={{ background: `var(--${part})` }} />{t[part]}</span>)}
      </Group>
      <div className="waterfall">
        {turns.map((turn, i) => (
          <div key={turn.timestamp} style={{ display: 'contents' }}>
            <Text size="xs" c="dimmed" component="div"><When at={turn.timestamp} hear={hear} /></Text>
            <div className="bars" role="img" aria-label={`${t.chart(i + 1, milliseconds(turn.voice_to_voice_ms))} ${spans(turn).map((s) => `${t[s.part]} ${milliseconds(s.to - s.from)}`).join(', ')}`}>
              {spans(turn).map((s) => (
                <div
                  key={s.part} className={`bar ${s.part}`} title={`${t[s.part]}: ${milliseconds(s.to - s.from)}`}
                  style={{ left: `${(s.from / axis) * 100}%`, width: `${((s.to - s.from) / axis) * 100}%` }}
                />
              ))}
            </div>
            <Text size="sm" ta="right" className="numbers">{milliseconds(turn.voice_to_voice_ms)}</Text>
          </div>
        ))}
      </div>
    </>
  );
}

function EventText({ e }: { e: Entry }) {
  switch (e.type) {
    case 'status':
      return <>{t.statusChanged}: {texts.status[e.status ?? ''] ?? e.status}{e.status_reason && <Text span c="dimmed" size="sm"> ({e.status_reason.replaceAll('_', ' ')})</Text>}</>;
    case 'tool_call':
      return <>{t.tool}: <Code>{e.name}</Code> <Text span c="dimmed" size="sm">{JSON.stringify(e.arguments ?? {})}{e.duration_ms ? `, ${milliseconds(e.duration_ms)}` : ''}</Text></>;
    case 'handoff':
    case 'agent_changed':
      return <>{t.handoff}: {e.previous_agent ? `${e.previous_agent} → ` : ''}{e.agent}</>;
    case 'error':
      return <>{t.problem}: {e.message}</>;
    default:
      return <>{e.type}</>;
  }
}

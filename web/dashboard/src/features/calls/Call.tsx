import { Badge, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft, Check, FlaskConical, Link2 } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef } from 'react';
import { api, result } from '../../api/client';
import { Analyses } from './detail/Analyses';
import { analysesTexts } from './detail/analysesTexts';
import { evaluation } from './detail/evaluation';
import { inFile, placesOf } from './detail/places';
import { Ladder, type SIPMessage } from './detail/Ladder';
import { Player, useSound } from './detail/Player';
import { Cost } from './detail/Cost';
import { Events } from './detail/Events';
import { talkFacts } from './detail/talk';
import { Quality } from './detail/Quality';
import { entryID, Transcript } from './detail/Transcript';
import { Turns } from './detail/Turns';
import { type Line, type Turn, turnsOf } from './detail/turns';
import { begins } from './detail/waveform';
import { answeredTexts, classTexts } from './answered';
import { call, callAnalyses, deliveries, sipMessages, timeline, transcript } from './api';
import { may, me } from '../../api/me';
import { useLiveCalls } from '../../api/stream';
import { duration, moment, money, time } from '../../format';
import { Status } from './Status';
import { Page } from '../../ui/Page';
import { Loading, message, Trouble } from '../../ui/Trouble';
import { callTexts, callsTexts } from './texts';
import { texts } from '../../ui/texts';
import { download } from '../../download';

const Live = lazy(() => import('./live/Live').then((m) => ({ default: m.Live })));
const t = callTexts;
/** lead is by how many seconds what is played begins before an entry. */
const lead = 0.3;
const over = ['completed', 'failed', 'disconnected', 'timeout'];

function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section className="panel" style={{ padding: 20 }}>
      <Text component="h2" fw={600} mb={hint ? 0 : 'sm'}>
        {title}
      </Text>
      {hint && (
        <Text size="sm" c="dimmed" mb="sm">
          {hint}
        </Text>
      )}
      {children}
    </section>
  );
}

const Quiet = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
);

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
  const signalling = useQuery({
    ...sipMessages(id),
    enabled: found.data?.call_type === 'sip' && may(scopes, 'calls:read') && may(scopes, 'sip:read'),
  });
  const { turn: selected, entry } = useSearch({ from: '/shell/calls/$id' });
  const navigate = useNavigate({ from: '/calls/$id' });
  const audio = useRef<HTMLAudioElement>(null);
  const isOver = over.includes(found.data?.status ?? '');
  const sound = useSound(id, isOver);
  const analysed = useQuery({ ...callAnalyses(id), enabled: isOver });
  const entries = useMemo(() => happened.data ?? [], [happened.data]);
  const lines = useMemo(() => (said.data ?? []) as Line[], [said.data]);
  const started = Date.parse(found.data?.started_at ?? found.data?.created_at ?? '') || 0;
  const turns = useMemo(() => turnsOf(lines, entries, started), [lines, entries, started]);
  const places = useMemo(() => placesOf(sound.parts ?? [], entries, started), [sound.parts, entries, started]);
  const recorded = sound.state === 'there';
  const marked = lines.find((l) => l.id === entry);
  /** beginOf is when an entry begins, in seconds of the call. Its timestamp is the caller's last sound, or when the agent begins. */
  const beginOf = (line: Line) => {
    const at = Math.max(0, (Date.parse(line.timestamp) - started) / 1000);
    const place = line.role === 'user' && !line.dtmf ? places.findLast((p) => p.at <= at) : undefined;
    return place ? place.at + begins(place.part.caller, at - place.at) : at;
  };
  /** follow shows an entry in the transcript, and moves the recording to it. */
  const follow = (line: Line) => {
    const shown = document.getElementById(entryID(line.id));
    shown?.scrollIntoView({ block: 'center' });
    shown?.focus({ preventScroll: true });
    if (audio.current?.paused) audio.current.currentTime = inFile(places, Math.max(0, beginOf(line) - lead));
  };
  useEffect(() => {
    if (marked) follow(marked);
  }, [marked?.id, recorded]);
  const end = useMutation({
    mutationFn: () => result(api.POST('/api/v1/calls/{id}/end', { params: { path: { id } } })),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['calls'] }),
    onError: (error) => notifications.show({ message: message(error), color: 'red' }),
  });
  if (found.error && !found.data) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <Loading />;
  const c = found.data;
  const select = (turn: number | undefined) => void navigate({ search: { turn }, replace: true, resetScroll: false });
  /** play plays the recording from a time of the call, in seconds. */
  const play = (at: number) => {
    if (!audio.current) return;
    audio.current.currentTime = inFile(places, at);
    void audio.current.play();
  };
  const hear = recorded ? (line: Line) => play(Math.max(0, beginOf(line) - lead)) : undefined;
  const hearTurn = (turn: Turn) => {
    const at = Math.max(0, (turn.at - started) / 1000);
    const place = places.findLast((p) => p.at <= at);
    // A turn is known by the caller's last sound; what was said begins before that.
    play(
      Math.max(0, turn.number === 0 ? at : place ? place.at + begins(place.part.caller, at - place.at) - 0.2 : at - 2),
    );
  };
  const errors = entries.filter((e) => e.type === 'error');
  const metadata = c.metadata as Record<string, unknown> | null;
  const facts: [string, ReactNode][] = [
    [callsTexts.started, c.started_at ? moment(c.started_at) : '–'],
    [callsTexts.duration, duration(c.duration_seconds)],
    [t.reason, c.status_reason?.replaceAll('_', ' ') ?? '–'],
    [callsTexts.type, `${c.call_type === 'sip' ? callsTexts.phone : callsTexts.browser}, ${c.direction}`],
    ...(c.phone_number ? [[callsTexts.number, c.phone_number] as [string, ReactNode]] : []),
    ...(c.answered_by ? [[answeredTexts.title, classTexts[c.answered_by.class]] as [string, ReactNode]] : []),
    [t.handoffs, c.agent_history?.join(' → ') || c.agent_name || '–'],
    [t.workflow, c.workflow_slug ?? '–'],
    [callsTexts.user, c.user_id ?? '–'],
    [t.tokens, c.metrics?.total_tokens ?? '–'],
    [callsTexts.cost, money(c.cost)],
    ...talkFacts(c.metrics),
  ];
  return (
    <>
      <Link
        to="/calls"
        style={{
          display: 'inline-flex',
          gap: 6,
          alignItems: 'center',
          fontSize: 14,
          marginBottom: 12,
          color: 'var(--quiet)',
        }}
      >
        <ArrowLeft size={15} aria-hidden /> {t.back}
      </Link>
      <Page
        title={c.agent_history?.join(' → ') || c.agent_name || c.workflow_slug || callsTexts.title}
        lead={
          <Group gap="md">
            <Status status={c.status} held={c.held} />
            <span style={{ overflowWrap: 'anywhere' }}>{c.id}</span>
          </Group>
        }
        actions={
          <>
            <CopyButton value={location.href}>
              {({ copied, copy }) => (
                <Button
                  variant="default"
                  onClick={copy}
                  leftSection={copied ? <Check size={16} /> : <Link2 size={16} />}
                >
                  {copied ? texts.common.copied : t.copyLink}
                </Button>
              )}
            </CopyButton>
            {isOver && turns.length > 1 && (c.workflow_slug || c.agent_name) && (
              <Button
                variant="default"
                leftSection={<FlaskConical size={16} />}
                onClick={async () => {
                  download(`call-${c.id}.yaml`, 'application/yaml', await evaluation(c, turns, analysed.data));
                  notifications.show({ message: t.testMade });
                }}
              >
                {t.makeTest}
              </Button>
            )}
            {!isOver && may(scopes, 'calls:write') && (
              <Button color="red" variant="light" loading={end.isPending} onClick={() => end.mutate()}>
                {t.end}
              </Button>
            )}
          </>
        }
      >
        <div className="split">
          <Stack gap="md">
            {c.status === 'active' && may(scopes, 'calls:control') && (
              <Suspense fallback={<Loading />}>
                <Live id={id} />
              </Suspense>
            )}
            <Section title={t.recording}>
              <Player
                sound={sound}
                places={places}
                turns={turns}
                entries={entries}
                started={started}
                length={c.duration_seconds}
                audio={audio}
                selected={selected}
                marked={marked && beginOf(marked)}
                choose={(turn, at) => {
                  select(turn.number);
                  play(at);
                }}
              />
            </Section>
            {analysed.error && !analysed.data && (
              <Section title={analysesTexts.title}>
                <Trouble error={analysed.error} retry={() => void analysed.refetch()} />
              </Section>
            )}
            {analysed.data && analysed.data.length > 0 && (
              <Section title={analysesTexts.title} hint={analysesTexts.hint}>
                <Analyses
                  analyses={analysed.data}
                  lines={lines}
                  onFollow={(to) => {
                    const line = lines.find((l) => l.id === to);
                    if (line) follow(line);
                  }}
                />
              </Section>
            )}
            <Section title={t.turns} hint={t.turnsHint}>
              {happened.isPending || said.isPending ? (
                <Loading />
              ) : happened.error && !happened.data ? (
                <Trouble error={happened.error} retry={() => void happened.refetch()} />
              ) : (
                <Turns
                  call={id}
                  turns={turns}
                  selected={selected}
                  choose={select}
                  hear={recorded ? hearTurn : undefined}
                />
              )}
            </Section>
            <Section title={t.transcript}>
              {said.isPending ? (
                <Loading />
              ) : said.error && !said.data ? (
                <Trouble error={said.error} retry={() => void said.refetch()} />
              ) : (
                <Transcript entries={lines} marked={entry} hear={hear} />
              )}
            </Section>
            <Section title={t.events}>
              {happened.error && !happened.data && (
                <Trouble error={happened.error} retry={() => void happened.refetch()} />
              )}
              {happened.data && entries.length === 0 && <Quiet>{t.noEvents}</Quiet>}
              <Events entries={entries} />
            </Section>
            {signalling.error && !signalling.data && (
              <Section title={t.sip}>
                <Trouble error={signalling.error} retry={() => void signalling.refetch()} />
              </Section>
            )}
            {signalling.data && signalling.data.length > 0 && (
              <Section title={t.sip} hint={t.sipHint}>
                <Ladder messages={signalling.data as SIPMessage[]} />
              </Section>
            )}
          </Stack>
          <Stack gap="md">
            <Section title={t.details}>
              <dl
                style={{ display: 'grid', gridTemplateColumns: 'auto 1fr', gap: '8px 16px', margin: 0, fontSize: 14 }}
              >
                {facts.map(([name, value]) => (
                  <div key={name} style={{ display: 'contents' }}>
                    <dt style={{ color: 'var(--quiet)' }}>{name}</dt>
                    <dd style={{ margin: 0, textAlign: 'right', overflowWrap: 'anywhere' }}>{value}</dd>
                  </div>
                ))}
              </dl>
            </Section>
            {c.cost && c.cost.items.length > 0 && (
              <Section title={callsTexts.cost}>
                <Cost cost={c.cost} />
              </Section>
            )}
            {c.quality && (
              <Section title={t.quality.title}>
                <Quality quality={c.quality} />
              </Section>
            )}
            <Section title={t.errors}>
              {happened.error && !happened.data && (
                <Trouble error={happened.error} retry={() => void happened.refetch()} />
              )}
              {happened.data && errors.length === 0 && <Quiet>{t.noErrors}</Quiet>}
              {errors.map((e, i) => (
                <div key={i} style={{ padding: '6px 0' }}>
                  <Group gap={8}>
                    <Badge size="xs" color={e.level === 'error' ? 'red' : 'yellow'} variant="light">
                      {e.service}
                    </Badge>
                    <Text size="xs" c="dimmed">
                      {time(e.timestamp)}
                    </Text>
                  </Group>
                  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {e.message}
                  </Text>
                </div>
              ))}
            </Section>
            <Section title={t.metadata}>
              {metadata && Object.keys(metadata).length > 0 ? (
                <Code block tabIndex={0}>
                  {JSON.stringify(metadata, null, 2)}
                </Code>
              ) : (
                <Quiet>{t.noMetadata}</Quiet>
              )}
            </Section>
            <Section title={t.deliveries}>
              {!seesWebhooks ? (
                <Quiet>{t.deliveriesHidden}</Quiet>
              ) : sent.error && !sent.data ? (
                <Trouble error={sent.error} retry={() => void sent.refetch()} />
              ) : (
                <>
                  {sent.data?.items?.length === 0 && <Quiet>{t.noDeliveries}</Quiet>}
                  {sent.data?.items?.map((d) => (
                    <div key={d.id} style={{ padding: '6px 0' }}>
                      <Group justify="space-between" gap={8}>
                        <Text size="sm" fw={550}>
                          {d.event}
                        </Text>
                        <Badge
                          size="xs"
                          variant="light"
                          color={d.status === 'delivered' ? 'teal' : d.status === 'failed' ? 'red' : 'yellow'}
                        >
                          {d.status.replace('_', ' ')}
                        </Badge>
                      </Group>
                      <Text size="xs" c="dimmed">
                        {t.attempts(d.attempt_count, d.max_attempts)}
                        {d.response_status ? `, HTTP ${d.response_status}` : ''}
                        {d.error ? `: ${d.error}` : ''}
                      </Text>
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

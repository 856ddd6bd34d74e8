import { ActionIcon, Alert, Group, SegmentedControl, Table, Text, TextInput, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { type Range, errorCount, errorGroups, latency, summary, volume, workflowStats } from './api';
import { may, me } from '../../api/me';
import { useLiveCalls } from '../../api/stream';
import { AnsweredBy } from './AnsweredBy';
import { Costs } from './Costs';
import { ErrorList, LatencyTable, Section, Stat } from './figures';
import { change, type Compared, compared, success } from './range';
import { csv } from '../../csv';
import { download } from '../../download';
import { duration, moment } from '../../format';
import { Page } from '../../ui/Page';
import { Loaded, Loading, Trouble } from '../../ui/Trouble';
import type { AnalyticsFilter } from './api';
import { analyticsTexts } from './texts';
import { texts } from '../../ui/texts';

const t = analyticsTexts;
const VolumeChart = lazy(() => import('./VolumeChart').then((m) => ({ default: m.VolumeChart })));

function CSV({ what, rows }: { what: string; rows: (string | number | null | undefined)[][] }) {
  return (
    <Tooltip label={t.csvOf(what)}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t.csvOf(what)}
        disabled={rows.length < 2}
        onClick={() => download(`${what.toLowerCase().replaceAll(' ', '-')}.csv`, 'text/csv', csv(rows))}
      >
        <Download size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

export function Analytics() {
  const filter = useSearch({ from: '/shell/analytics' });
  const navigate = useNavigate({ from: '/analytics' });
  const period = filter.period ?? '24h';
  const scopes = useQuery(me).data?.scopes;
  const range = useMemo(
    () => compared(period, filter.from, filter.to, Math.floor(Date.now() / 60_000) * 60_000),
    [period, filter.from, filter.to],
  );
  useLiveCalls(may(scopes, 'calls:read'));
  const set = (part: AnalyticsFilter) => void navigate({ search: { ...filter, ...part }, replace: true });
  const sees = may(scopes, 'calls:read') || may(scopes, 'analytics:read');
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        sees && (
          <SegmentedControl
            value={period}
            onChange={(p) => set({ period: p === '24h' ? undefined : p })}
            aria-label={t.period}
            data={Object.entries(t.periods).map(([value, label]) => ({ value, label }))}
          />
        )
      }
    >
      {period === 'custom' && (
        <Group gap="sm" mb="md">
          <TextInput
            type="datetime-local"
            label={t.from}
            value={filter.from ?? ''}
            onChange={(e) => set({ from: e.currentTarget.value || undefined })}
            w={{ base: '100%', xs: 210 }}
          />
          <TextInput
            type="datetime-local"
            label={t.to}
            value={filter.to ?? ''}
            onChange={(e) => set({ to: e.currentTarget.value || undefined })}
            w={{ base: '100%', xs: 210 }}
            error={range ? undefined : t.wrongRange}
          />
        </Group>
      )}
      {!sees ? <Alert>{texts.common.callsHidden}</Alert> : range && <Figures range={range} />}
    </Page>
  );
}

function Figures({ range: { now, before, interval } }: { range: Compared }) {
  const present = useQuery(summary(now));
  const past = useQuery(summary(before)).data;
  const pastErrors = useQuery(errorCount(before)).data;
  const allErrors = useQuery(errorCount(now)).data;
  const causes = useQuery(errorGroups(now));
  const stats = useQuery(workflowStats(now));
  const workflows = stats.data ?? [];
  const latencies = useQuery(latency(now));
  const providers = latencies.data ?? [];
  if (present.error && !present.data) return <Trouble error={present.error} retry={() => void present.refetch()} />;
  if (!present.data) return <Loading />;
  const f = present.data;
  const rate = success(f);
  const pastRate = past && success(past);
  const hint = (value: number, was: number | undefined, write: (n: number) => string = String) => {
    if (was === undefined) return undefined;
    const percent = change(value, was);
    return `${percent ? `${percent}, ` : ''}${t.before(write(was))}`;
  };
  return (
    <>
      <div className="stats">
        <Stat label={t.total} value={f.total_calls} hint={hint(f.total_calls, past?.total_calls)} />
        <Stat label={t.success} value={rate ?? '–'} hint={pastRate && t.before(pastRate)} />
        <Stat
          label={t.duration}
          value={rate ? duration(f.avg_duration_seconds) : '–'}
          hint={past && pastRate && t.before(duration(past.avg_duration_seconds))}
        />
        <Stat
          label={t.tokens}
          value={f.total_tokens.toLocaleString()}
          hint={hint(f.total_tokens, past?.total_tokens, (n) => n.toLocaleString())}
        />
        <Stat label={t.errors} value={allErrors ?? '–'} hint={allErrors !== undefined && hint(allErrors, pastErrors)} />
      </div>
      <Volume range={now} interval={interval} />
      <div className="halves" style={{ marginTop: 16 }}>
        <Section
          title={t.workflows}
          action={
            <CSV
              what={t.workflows}
              rows={[
                [
                  'slug',
                  'name',
                  'total_calls',
                  'completed_calls',
                  'failed_calls',
                  'success_rate',
                  'avg_duration_seconds',
                ],
                ...workflows.map((w) => [
                  w.workflow_slug,
                  w.workflow_name,
                  w.total_calls,
                  w.completed_calls,
                  w.failed_calls,
                  w.success_rate,
                  w.avg_duration_seconds,
                ]),
              ]}
            />
          }
        >
          <Loaded query={stats}>
            {() =>
              workflows.length === 0 ? (
                <Text size="sm" c="dimmed">
                  {t.noWorkflows}
                </Text>
              ) : (
                <Table verticalSpacing={7} horizontalSpacing={8} borderColor="var(--line)">
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{t.workflow}</Table.Th>
                      <Table.Th ta="right">{t.total}</Table.Th>
                      <Table.Th ta="right">{t.success}</Table.Th>
                      <Table.Th ta="right" className="wide-only">
                        {t.duration}
                      </Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {workflows.map((w) => (
                      <Table.Tr key={w.workflow_id}>
                        <Table.Td>
                          <Link to="/workflows/$slug" params={{ slug: w.workflow_slug }}>
                            <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
                              {w.workflow_name}
                            </Text>
                          </Link>
                        </Table.Td>
                        <Table.Td ta="right" className="numbers">
                          {w.total_calls}
                        </Table.Td>
                        <Table.Td ta="right" className="numbers">
                          {w.success_rate} %
                        </Table.Td>
                        <Table.Td ta="right" className="numbers wide-only">
                          {duration(w.avg_duration_seconds)}
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              )
            }
          </Loaded>
        </Section>
        <Section
          title={t.latency}
          action={
            <CSV
              what={t.latency}
              rows={[
                ['provider_type', 'provider_name', 'call_count', 'avg_ms', 'p50_ms', 'p95_ms', 'p99_ms'],
                ...providers.map((p) => [
                  p.provider_type,
                  p.provider_name,
                  p.call_count,
                  p.avg_latency_ms,
                  p.p50_latency_ms,
                  p.p95_latency_ms,
                  p.p99_latency_ms,
                ]),
              ]}
            />
          }
        >
          <Loaded query={latencies}>{(found) => <LatencyTable items={found ?? []} empty={t.noLatency} />}</Loaded>
        </Section>
        <AnsweredBy range={now} />
        <Section title={t.costs}>
          <Costs range={now} />
        </Section>
        <Section
          title={t.errors}
          action={
            causes.data &&
            causes.data.length > 10 && (
              <Text size="sm" c="dimmed">
                {t.errorCount(10, causes.data.length)}
              </Text>
            )
          }
        >
          <Loaded query={causes}>
            {(found) => <ErrorList groups={(found ?? []).slice(0, 10)} empty={t.noErrors} />}
          </Loaded>
        </Section>
      </div>
    </>
  );
}

function Volume({ range, interval }: { range: Range; interval: 'hour' | 'day' | 'week' }) {
  const found = useQuery(volume(range, interval));
  const data = found.data?.data ?? [];
  return (
    <Section
      title={t.volume}
      action={
        <CSV
          what={t.volume}
          rows={[
            ['timestamp', 'total', 'completed', 'failed'],
            ...data.map((d) => [d.timestamp, d.total, d.completed, d.failed]),
          ]}
        />
      }
    >
      {found.isPending && <Loading />}
      {found.error && !found.data && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data && (
        <>
          <Suspense
            fallback={
              <div style={{ height: 240 }}>
                <Loading />
              </div>
            }
          >
            <VolumeChart data={data} interval={interval} />
          </Suspense>
          <details style={{ marginTop: 8, fontSize: 14 }}>
            <summary style={{ cursor: 'pointer', color: 'var(--quiet)' }}>{t.table}</summary>
            <Table verticalSpacing={5} borderColor="var(--line)" mt="xs">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t.time}</Table.Th>
                  <Table.Th ta="right">{t.total}</Table.Th>
                  <Table.Th ta="right">{t.completed}</Table.Th>
                  <Table.Th ta="right">{t.failed}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data
                  .filter((d) => d.total > 0)
                  .map((d) => (
                    <Table.Tr key={d.timestamp}>
                      <Table.Td>{moment(d.timestamp)}</Table.Td>
                      {[d.total, d.completed, d.failed].map((n, i) => (
                        <Table.Td key={i} ta="right" className="numbers">
                          {n}
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
              </Table.Tbody>
            </Table>
          </details>
        </>
      )}
    </Section>
  );
}

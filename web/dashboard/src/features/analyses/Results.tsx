import { Group, SegmentedControl, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, useMemo, useState } from 'react';
import type { Range } from '../analytics/api';
import { compared } from '../analytics/range';
import { analysisResults, type Result, type ResultGroup } from './api';
import { date } from '../../format';
import { countsOf, daysOf, isData, isScore } from './results';
import { analysesTexts } from './texts';
import { Loaded } from '../../ui/Trouble';

const t = analysesTexts.results;
const options = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }));

/** local is a time as the fields of the filters have it. */
const local = (at: string) => {
  const ms = Date.parse(at);
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

/** Results has how the calls of a period were answered: counts, the course by day, and figures by day, agent or workflow. */
export function Results({ of: name }: { of: string }) {
  const [period, setPeriod] = useState('30d');
  const range = useMemo(
    () => compared(period, undefined, undefined, Math.floor(Date.now() / 60_000) * 60_000)?.now as Range,
    [period],
  );
  const all = useQuery(analysisResults(name, range, 'none'));
  const days = useQuery(analysisResults(name, range, 'day')).data ?? [];
  return (
    <section className="panel" style={{ padding: 20 }} aria-label={t.title}>
      <Group justify="space-between" mb="sm">
        <Text component="h2" fw={600}>
          {t.title}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label={t.period}
          value={period}
          onChange={setPeriod}
          data={options(t.periods)}
        />
      </Group>
      <Loaded query={all}>
        {(results) =>
          results.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t.none}
            </Text>
          ) : (
            <>
              <div className="figures">
                {results.map((r) => (
                  <Figure key={r.name} analysis={name} result={r} days={days} from={range.started_after} />
                ))}
              </div>
              <Grouped analysis={name} range={range} names={results.map((r) => r.name).filter((n) => !isData(n))} />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

/** figure is a result in one number: the share of yes, the average, or else the number of calls. */
const figure = (r: Result) =>
  r.yes_share !== null ? t.share(r.yes_share) : r.average !== null ? t.average(r.average) : t.calls(r.calls);

function Figure({ analysis, result, days, from }: { analysis: string; result: Result; days: Result[]; from: string }) {
  const counts = countsOf(analysis, result);
  const histogram = isScore(result);
  const byDay = daysOf(days, result.name, from, Date.now());
  return (
    <div className="figure" role="group" aria-label={result.name}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text component="h3" size="sm" fw={600} className="one-line">
          {result.name.replace(/^data\./, '')}
        </Text>
        <Text size="xs" c="dimmed" style={{ flex: 'none' }}>
          {figure(result)}
        </Text>
      </Group>
      <ul className={histogram ? 'histogram' : 'counts'} aria-label={t.answersOf(result.name)}>
        {counts.map((c) => (
          <li key={c.value}>
            <Link to="/calls" search={{ result: c.filter, from: local(from) }} title={t.show(c.calls)}>
              <span className="one-line">{c.value}</span>
              <span className="bar-of">
                <span style={{ '--share': `${c.share * 100}%` } as CSSProperties} className={`amount ${c.value}`} />
              </span>
              <span className="numbers">{c.calls}</span>
            </Link>
          </li>
        ))}
      </ul>
      {!isData(result.name) && byDay.length > 2 && (
        <div
          className="shares"
          role="img"
          aria-label={t.overTime(result.name, date(from), date(new Date().toISOString()))}
        >
          {byDay.map((d) => (
            <span
              key={d.day}
              className={d.share === undefined ? 'none' : undefined}
              title={d.share === undefined ? d.day : `${d.day}: ${Math.round(d.share * 100)} %`}
              style={{ height: `${Math.max(4, (d.share ?? 0) * 100)}%` }}
            />
          ))}
        </div>
      )}
    </div>
  );
}

/** Grouped has the criteria by day, agent or workflow. */
function Grouped({ analysis, range, names }: { analysis: string; range: Range; names: string[] }) {
  const [group, setGroup] = useState<ResultGroup>('agent');
  const found = useQuery(analysisResults(analysis, range, group));
  if (names.length === 0) return null;
  return (
    <div style={{ marginTop: 20 }}>
      <Group mb="xs">
        <SegmentedControl
          size="xs"
          aria-label={t.by}
          value={group}
          onChange={(g) => setGroup(g as ResultGroup)}
          data={options(t.groups)}
        />
      </Group>
      <Loaded query={found}>
        {(results) => (
          <div style={{ overflowX: 'auto' }} tabIndex={0} role="group" aria-label={t.by}>
            <Table verticalSpacing={7} horizontalSpacing={8} borderColor="var(--line)">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t.groups[group as keyof typeof t.groups]}</Table.Th>
                  {names.map((n) => (
                    <Table.Th key={n} ta="right">
                      {n}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {[...new Set(results.map((r) => r.group))].map((g) => (
                  <Table.Tr key={g}>
                    <Table.Td>{g || t.noGroup}</Table.Td>
                    {names.map((n) => {
                      const r = results.find((one) => one.group === g && one.name === n);
                      return (
                        <Table.Td key={n} ta="right" className="numbers">
                          {r ? [...new Set([figure(r), t.calls(r.calls)])].join(', ') : '–'}
                        </Table.Td>
                      );
                    })}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </Loaded>
    </div>
  );
}

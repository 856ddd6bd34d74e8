import { Badge, Group, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { components } from '../../generated/schema';
import { milliseconds, moment } from '../../format';
import type { ErrorGroup } from './errorGroups';
import { analyticsTexts } from './texts';

const t = analyticsTexts;

/** Stat is a figure, and what it was before. */
export function Stat({ label, value, hint }: { label: string; value: ReactNode; hint?: ReactNode }) {
  return (
    <div className="panel" style={{ padding: '14px 16px', minWidth: 0 }}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={26} fw={600} lh={1.3} className="numbers">
        {value}
      </Text>
      <Text size="xs" c="dimmed" className="numbers" mih={18}>
        {hint}
      </Text>
    </div>
  );
}

export function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel" style={{ padding: 20, minWidth: 0 }}>
      <Group justify="space-between" mb="sm">
        <Text component="h2" fw={600}>
          {title}
        </Text>
        {action}
      </Group>
      {children}
    </section>
  );
}

export function LatencyTable({
  items,
  empty,
}: {
  items: components['schemas']['ProviderLatencyItem'][];
  empty: string;
}) {
  if (items.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  return (
    <Table verticalSpacing={7} horizontalSpacing={8} borderColor="var(--line)">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t.provider}</Table.Th>
          <Table.Th ta="right">p50</Table.Th>
          <Table.Th ta="right">p95</Table.Th>
          <Table.Th ta="right">p99</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((p) => (
          <Table.Tr key={`${p.provider_type} ${p.provider_name}`}>
            <Table.Td>
              <Text size="sm" fw={550}>
                {p.provider_name}
              </Text>
              <Text size="xs" c="dimmed">
                {t.types[p.provider_type] ?? p.provider_type}
              </Text>
            </Table.Td>
            {[p.p50_latency_ms, p.p95_latency_ms, p.p99_latency_ms].map((ms, i) => (
              <Table.Td key={i} ta="right" className="numbers" style={{ whiteSpace: 'nowrap' }}>
                {milliseconds(ms)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** ErrorList has a row for each group, which leads to the newest call. */
export function ErrorList({ groups, empty }: { groups: ErrorGroup[]; empty: string }) {
  if (groups.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  return (
    <div>
      {groups.map((e) => (
        <Link
          key={JSON.stringify([e.service, e.level, e.agent, e.message])}
          to="/calls/$id"
          params={{ id: e.call_id }}
          className="row"
          style={{ padding: '9px 0', alignItems: 'flex-start' }}
        >
          <Badge
            size="xs"
            mt={4}
            style={{ flex: 'none' }}
            variant="light"
            color={e.level === 'error' ? 'red' : 'yellow'}
          >
            {e.service}
          </Badge>
          <div className="grow">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {e.message}
            </Text>
            <Text size="xs" c="dimmed">
              {moment(e.last_at)}
              {e.agent ? ` · ${e.agent}` : ''}
              {e.count > 1 ? ` · ${t.times(e.count, moment(e.first_at))}` : ''}
            </Text>
          </div>
        </Link>
      ))}
    </div>
  );
}

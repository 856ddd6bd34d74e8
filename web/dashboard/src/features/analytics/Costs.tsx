import { Group, SegmentedControl, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type CostGroup, type Range, costs } from './api';
import { money } from '../../format';
import { Loaded } from '../../ui/Trouble';
import { analyticsTexts } from './texts';

const t = analyticsTexts;

/** Costs has the sums of calls' costs, by what is chosen. */
export function Costs({ range }: { range: Range }) {
  const [group, setGroup] = useState<CostGroup>('provider');
  const found = useQuery(costs(range, group));
  return (
    <>
      <Group mb="xs">
        <SegmentedControl
          size="xs"
          aria-label={t.costsBy}
          value={group}
          onChange={(g) => setGroup(g as CostGroup)}
          data={Object.entries(t.costGroups).map(([value, label]) => ({ value, label }))}
        />
      </Group>
      <Loaded query={found}>
        {(sums) =>
          !sums?.length ? (
            <Text size="sm" c="dimmed">
              {t.noCosts}
            </Text>
          ) : (
            <Table verticalSpacing={7} horizontalSpacing={8} borderColor="var(--line)">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t.costGroups[group]}</Table.Th>
                  <Table.Th ta="right">{t.total}</Table.Th>
                  <Table.Th ta="right">{t.costs}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {sums.map((s) => (
                  <Table.Tr key={`${s.group} ${s.currency}`}>
                    <Table.Td style={{ overflowWrap: 'anywhere' }}>
                      {s.group || t.noGroup}
                      {s.unknown.length > 0 && (
                        <Text size="xs" c="dimmed">
                          {t.noPrice(s.unknown)}
                        </Text>
                      )}
                    </Table.Td>
                    <Table.Td ta="right" className="numbers">
                      {s.calls}
                    </Table.Td>
                    <Table.Td ta="right" className="numbers">
                      {money({ ...s, total: s.unknown.length ? null : s.known })}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Loaded>
    </>
  );
}

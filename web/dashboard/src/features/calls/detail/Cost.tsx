import { Table, Text } from '@mantine/core';
import type { components } from '../../../generated/schema';
import { money } from '../../../format';
import { callsTexts } from '../texts';

const t = callsTexts.costParts;

/** Cost lists what a call used, with its cost. */
export function Cost({ cost }: { cost: components['schemas']['CallCostBody'] }) {
  return (
    <Table verticalSpacing={7} horizontalSpacing={8} borderColor="var(--line)">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t.use}</Table.Th>
          <Table.Th ta="right">{t.quantity}</Table.Th>
          <Table.Th ta="right">{t.amount}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {cost.items.map((i) => (
          <Table.Tr key={`${i.agent} ${i.kind} ${i.provider} ${i.model} ${i.unit}`}>
            <Table.Td>
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {i.provider} {i.model}
              </Text>
              <Text size="xs" c="dimmed">
                {[i.unit.replaceAll('_', ' '), i.agent, i.kind === 'analysis' && t.analysis].filter(Boolean).join(', ')}
              </Text>
            </Table.Td>
            <Table.Td ta="right" className="numbers">
              {Number(i.quantity).toLocaleString()}
            </Table.Td>
            <Table.Td ta="right" className="numbers">
              {i.amount == null ? t.unknown : money({ total: i.amount, known: i.amount, currency: cost.currency })}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

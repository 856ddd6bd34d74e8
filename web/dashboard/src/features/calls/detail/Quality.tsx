import { Table } from '@mantine/core';
import type { components } from '../../../generated/schema';
import { callTexts } from '../texts';
import { figures } from './quality';

const t = callTexts.quality;

/** Quality is the quality of a phone call's audio, a column for each direction. */
export function Quality({ quality }: { quality: components['schemas']['Quality'] }) {
  return (
    <Table withRowBorders={false} verticalSpacing={4} fz="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Td />
          <Table.Th ta="right" fw={500}>
            {t.received}
          </Table.Th>
          <Table.Th ta="right" fw={500}>
            {t.sent}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {figures(quality).map(([name, received, sent]) => (
          <Table.Tr key={name}>
            <Table.Th fw={400} c="dimmed">
              {name}
            </Table.Th>
            {sent === undefined ? (
              <Table.Td ta="right" colSpan={2} className="numbers">
                {received}
              </Table.Td>
            ) : (
              <>
                <Table.Td ta="right" className="numbers">
                  {received}
                </Table.Td>
                <Table.Td ta="right" className="numbers">
                  {sent}
                </Table.Td>
              </>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

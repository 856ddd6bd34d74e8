import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answeredBy, type Range } from './api';
import { Section } from './figures';
import { analyticsTexts } from './texts';
import { answeredTexts, classTexts } from '../calls/answered';

const t = analyticsTexts;

/** AnsweredBy has the share of each class of who answered; nothing in a period without a classified call. */
export function AnsweredBy({ range }: { range: Range }) {
  const found = useQuery(answeredBy(range)).data;
  if (!found) return null;
  return (
    <Section title={answeredTexts.title}>
      <Table verticalSpacing={7} horizontalSpacing={8} borderColor="var(--line)">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{answeredTexts.title}</Table.Th>
            <Table.Th ta="right">{t.total}</Table.Th>
            <Table.Th ta="right">{t.share}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {found.classes.map((c) => (
            <Table.Tr key={c.class}>
              <Table.Td>
                <Link to="/calls" search={{ answered: c.class }}>
                  {classTexts[c.class]}
                </Link>
              </Table.Td>
              <Table.Td ta="right" className="numbers">
                {c.calls}
              </Table.Td>
              <Table.Td ta="right" className="numbers">
                {c.share} %
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

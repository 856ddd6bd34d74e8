import { Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { money } from '../../format';
import { budgets, limits } from './api';
import { Page } from '../../ui/Page';
import { List } from '../../ui/resource/List';
import { limitsTexts } from './texts';

const t = limitsTexts;
const number = new Intl.NumberFormat();

export function Limits() {
  return (
    <Page title={t.title} lead={t.lead}>
      <Stack gap="xl">
        <Group title={t.budgets} lead={t.budgetsLead}>
          <List
            query={useQuery(budgets)}
            empty={
              <Text size="sm" c="dimmed" p="md">
                {t.noBudgets}
              </Text>
            }
          >
            {({ period, budget, spent, currency }) => (
              <Use
                key={period}
                label={t.periods[period] ?? period}
                share={Number(budget) === 0 ? 1 : Number(spent) / Number(budget)}
                text={t.of(
                  money({ total: spent, known: spent, currency }),
                  money({ total: budget, known: budget, currency }),
                )}
              />
            )}
          </List>
        </Group>
        <Group title={t.records}>
          <List query={useQuery(limits)} empty={null}>
            {({ name, limit, used }) => {
              const most = limit === null ? t.none : number.format(limit);
              return (
                <Use
                  key={name}
                  label={t.names[name] ?? name}
                  share={limit === null || used === null ? null : limit && used / limit}
                  text={used === null ? most : t.of(number.format(used), most)}
                />
              );
            }}
          </List>
        </Group>
      </Stack>
    </Page>
  );
}

function Group({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Text component="h2" fw={600} mb="xs">
        {title}
      </Text>
      {lead && (
        <Text size="sm" c="dimmed" mb="xs">
          {lead}
        </Text>
      )}
      {children}
    </section>
  );
}

/** Use is a limit: its name, a bar of the share that is used, unless there is none, and both in words. */
function Use({ label, share, text }: { label: string; share: number | null; text: string }) {
  return (
    <div className="row">
      <Text size="sm" fw={550} className="grow">
        {label}
      </Text>
      {share !== null && (
        <Progress
          value={Math.min(100, share * 100)}
          w={180}
          size={6}
          color={share >= 0.9 ? 'red' : share >= 0.75 ? 'yellow' : undefined}
          className="wide-only"
          aria-label={label}
        />
      )}
      <Text size="sm" c="dimmed" ta="right" className="numbers" w={170}>
        {text}
      </Text>
    </div>
  );
}

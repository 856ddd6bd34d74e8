import { Badge, Button, Group, Progress, Table, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Analysis } from './api';
import { api, result } from '../../api/client';
import { moment } from '../../format';
import { analysisRuns, finishedOf, isOpen, mostRuns, progressOf, type Run } from './runs';
import { amount, runsTexts } from './runsTexts';
import { StartRun } from './StartRun';
import { Confirm } from '../../ui/resource/Confirm';
import { useAction } from '../../ui/resource/save';
import { texts } from '../../ui/texts';
import { Loaded } from '../../ui/Trouble';

const t = runsTexts;
const colors = { running: 'indigo', done: 'teal', stopped: 'yellow', cancelling: 'gray', cancelled: 'gray' } as const;

/** Runs has the runs of an analysis over earlier calls; those who may write start and cancel them. */
export function Runs({ of: analysis, writes }: { of: Analysis; writes: boolean }) {
  const queries = useQueryClient();
  const [limit, setLimit] = useState(5);
  const [starting, setStarting] = useState(false);
  const [cancelling, setCancelling] = useState<Run>();
  const list = useQuery(analysisRuns(analysis.name, limit));
  const open = list.data?.items.some(isOpen) ?? false;
  const ran = useRef(false);
  useEffect(() => {
    if (ran.current && !open) void queries.invalidateQueries({ queryKey: ['analytics', 'results', analysis.name] });
    ran.current = open;
  }, [open, queries, analysis.name]);
  const cancel = useAction({
    send: (id: string) => result(api.POST('/api/v1/analysis-runs/{id}/cancel', { params: { path: { id } } })),
    refresh: [['analysis-runs']],
    done: () => setCancelling(undefined),
  });
  return (
    <section className="panel" style={{ padding: 20 }} aria-label={t.title}>
      <Group justify="space-between" mb="sm">
        <Text component="h2" fw={600}>
          {t.title}
        </Text>
        {writes && (
          <Button size="xs" variant="default" disabled={!list.data || open} onClick={() => setStarting(true)}>
            {t.startRun}
          </Button>
        )}
      </Group>
      <Loaded query={list}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t.none}
            </Text>
          ) : (
            <>
              <Table verticalSpacing={9} horizontalSpacing={8} borderColor="var(--line)">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t.calls}</Table.Th>
                    <Table.Th>{texts.common.status}</Table.Th>
                    <Table.Th className="wide-only">{t.cost}</Table.Th>
                    {writes && open && <Table.Th aria-label={texts.resource.actions} />}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map((run) => (
                    <Table.Tr key={run.id} style={{ verticalAlign: 'top' }}>
                      <Table.Td>
                        <Text size="sm">{t.selection(run)}</Text>
                        <Text size="xs" c="dimmed">
                          {t.startedAt(moment(run.created_at))}
                        </Text>
                        <Text size="xs" c="dimmed" className="narrow-only">
                          {t.costs(run)}
                        </Text>
                      </Table.Td>
                      <Table.Td>
                        <State run={run} />
                      </Table.Td>
                      <Table.Td className="wide-only numbers">
                        <Text size="sm">{amount(run.cost, run.currency)}</Text>
                        <Text size="xs" c="dimmed">
                          {t.bound(run)}
                        </Text>
                      </Table.Td>
                      {writes && open && (
                        <Table.Td ta="right">
                          {run.status === 'running' && (
                            <Button size="xs" variant="default" onClick={() => setCancelling(run)}>
                              {texts.common.cancel}
                            </Button>
                          )}
                        </Table.Td>
                      )}
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
              {total > items.length && limit < mostRuns && (
                <Button size="xs" variant="subtle" mt="xs" onClick={() => setLimit(Math.min(mostRuns, limit + 20))}>
                  {texts.resource.more}
                </Button>
              )}
            </>
          )
        }
      </Loaded>
      {starting && <StartRun of={analysis} onClose={() => setStarting(false)} />}
      {cancelling && (
        <Confirm
          title={t.cancelTitle}
          confirm={t.cancel}
          dismiss={t.keep}
          busy={cancel.isPending}
          onConfirm={() => cancel.mutate(cancelling.id)}
          onClose={() => setCancelling(undefined)}
        >
          {t.cancelText}
        </Confirm>
      )}
    </section>
  );
}

/** State has a run's status with its reason, and how far it is. */
function State({ run }: { run: Run }) {
  return (
    <>
      <Group gap={8}>
        <Badge size="sm" variant="light" color={colors[run.status]}>
          {t.states[run.status]}
        </Badge>
        <Text size="sm" className="numbers">
          {t.of(finishedOf(run), run.calls)}
        </Text>
      </Group>
      {isOpen(run) && <Progress value={progressOf(run)} size={6} my={6} maw={220} aria-label={t.progress} />}
      {run.skipped + run.failed > 0 && (
        <Text size="xs" c="dimmed">
          {t.without(run.skipped, run.failed)}
        </Text>
      )}
      {run.reason && (
        <Text size="xs" c="dimmed">
          {t.reasons[run.reason]}
        </Text>
      )}
    </>
  );
}

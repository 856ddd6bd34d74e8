import { Button, Group, Select, Table, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { deliveryLog, type Webhook } from './api';
import { api, result } from '../../api/client';
import { oneOf } from '../../choice';
import { moment } from '../../format';
import { webhooksTexts } from './texts';
import { deliveryBodyStatus } from '../../generated/enums';
import { deliveredTypes, type EventType, eventTypes } from './events';
import { Empty } from '../../ui/Page';
import { FormModal } from '../../ui/resource/FormModal';
import { Pager } from '../../ui/resource/List';
import { Loaded } from '../../ui/Trouble';
import { useSave } from '../../ui/resource/save';
import { DeliveryStatus, DeliveryView } from './DeliveryView';
import { texts } from '../../ui/texts';

const t = webhooksTexts;

/** Deliveries is the log of what was sent. */
export function Deliveries({ writes, of }: { writes: boolean; of: Webhook[] }) {
  const { delivery, ...filter } = useSearch({ from: '/shell/webhooks' });
  const navigate = useNavigate({ from: '/webhooks' });
  const list = useQuery(deliveryLog(filter));
  const [replaying, setReplaying] = useState(false);
  const change = (part: typeof filter) =>
    void navigate({ search: { ...filter, page: undefined, ...part }, replace: true });
  const show = (id?: string) => void navigate({ search: { ...filter, delivery: id } });
  const filtered = Boolean(filter.status || filter.event || filter.webhook);
  const clear = { 'aria-label': texts.common.clear };
  return (
    <section aria-label={t.deliveries}>
      <Group justify="space-between" mb="xs">
        <Text component="h2" fw={600}>
          {t.deliveries}
        </Text>
        {writes && (
          <Button size="xs" variant="default" onClick={() => setReplaying(true)}>
            {t.replayFailed}
          </Button>
        )}
      </Group>
      {(filtered || Boolean(list.data?.total)) && (
        <Group gap="sm" mb="sm">
          <Select
            aria-label={t.status}
            placeholder={t.anyStatus}
            clearable
            w={{ base: '100%', xs: 170 }}
            value={filter.status ?? null}
            clearButtonProps={clear}
            data={Object.entries(t.statuses).map(([value, label]) => ({ value, label }))}
            onChange={(status) => change({ status: oneOf(deliveryBodyStatus, status) })}
          />
          <Select
            aria-label={t.event}
            placeholder={t.anyEvent}
            clearable
            w={{ base: '100%', xs: 220 }}
            value={filter.event ?? null}
            clearButtonProps={clear}
            data={deliveredTypes}
            onChange={(event) => change({ event: oneOf(deliveredTypes, event) })}
          />
          {of.length > 1 && (
            <Select
              aria-label={t.endpoint}
              placeholder={t.anyEndpoint}
              clearable
              w={{ base: '100%', xs: 300 }}
              value={filter.webhook ?? null}
              clearButtonProps={clear}
              data={of.map((w) => ({ value: w.id, label: w.url }))}
              onChange={(webhook) => change({ webhook: webhook ?? undefined })}
            />
          )}
        </Group>
      )}
      <Loaded query={list}>
        {({ items, total }) => (
          <>
            <div className="panel" style={{ overflow: 'hidden' }}>
              {items?.length ? (
                <Table
                  verticalSpacing={9}
                  horizontalSpacing="md"
                  highlightOnHover
                  highlightOnHoverColor="var(--hover)"
                  borderColor="var(--line)"
                >
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{t.event}</Table.Th>
                      <Table.Th>{t.status}</Table.Th>
                      <Table.Th className="wide-only">{t.attempts}</Table.Th>
                      <Table.Th className="wide-only">{t.answer}</Table.Th>
                      <Table.Th className="wide-only">{t.queued}</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {items.map((d) => (
                      <Table.Tr key={d.id} style={{ cursor: 'pointer' }} onClick={() => show(d.id)}>
                        <Table.Td>
                          <UnstyledButton
                            onClick={(e) => {
                              e.stopPropagation();
                              show(d.id);
                            }}
                          >
                            <Text size="sm" fw={550}>
                              {d.event}
                            </Text>
                            <Text size="xs" c="dimmed" hiddenFrom="sm">
                              {moment(d.created_at)}
                            </Text>
                          </UnstyledButton>
                        </Table.Td>
                        <Table.Td>
                          <DeliveryStatus status={d.status} />
                        </Table.Td>
                        <Table.Td className="wide-only numbers">
                          <Text size="sm" c="dimmed">
                            {t.of(d.attempt_count, d.max_attempts)}
                          </Text>
                        </Table.Td>
                        <Table.Td className="wide-only" maw={280}>
                          <Text size="sm" c="dimmed" className="one-line">
                            {d.response_status ?? d.error ?? '–'}
                          </Text>
                        </Table.Td>
                        <Table.Td className="wide-only numbers">
                          <Text size="sm" c="dimmed">
                            {moment(d.created_at)}
                          </Text>
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              ) : (
                <Empty>{filtered ? t.noMatch : t.noDeliveries}</Empty>
              )}
            </div>
            <Pager page={filter.page ?? 1} total={total} go={(page) => change({ page })} />
          </>
        )}
      </Loaded>
      {delivery && <DeliveryView key={delivery} id={delivery} writes={writes} close={() => show()} />}
      {replaying && <ReplayFailed close={() => setReplaying(false)} />}
    </section>
  );
}

/** ReplayFailed sends the failed deliveries of a time again; the last day's, unless told otherwise. */
function ReplayFailed({ close }: { close: () => void }) {
  const local = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  const form = useForm({
    initialValues: {
      created_after: local(new Date(Date.now() - 86_400_000)),
      created_before: '',
      event: null as EventType | null,
    },
  });
  const save = useSave(form, {
    send: (v) => {
      return result(
        api.POST('/api/v1/webhooks/deliveries/replay', {
          body: {
            created_after: new Date(v.created_after).toISOString(), // the field is required
            created_before: v.created_before ? new Date(v.created_before).toISOString() : undefined,
            event: v.event ?? undefined,
          },
        }),
      );
    },
    refresh: [deliveryLog({}).queryKey.slice(0, 1)],
    done: ({ replayed, has_more }) => {
      notifications.show({ message: t.replayDone(replayed, has_more), color: 'teal' });
      if (!has_more) close();
    },
  });
  return (
    <FormModal
      title={t.replayTitle}
      lead={t.replayLead}
      submit={t.replay}
      saving={save.isPending}
      error={save.error}
      fields={['created_after', 'created_before', 'event']}
      onSubmit={() => save.mutate(form.getValues())}
      onClose={close}
    >
      <Group grow align="flex-start">
        <TextInput type="datetime-local" label={t.from} required {...form.getInputProps('created_after')} />
        <TextInput
          type="datetime-local"
          label={t.to}
          description={t.toHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('created_before')}
        />
      </Group>
      <Select
        label={t.event}
        placeholder={t.anyEvent}
        clearable
        data={eventTypes}
        clearButtonProps={{ 'aria-label': texts.common.clear }}
        {...form.getInputProps('event')}
      />
    </FormModal>
  );
}

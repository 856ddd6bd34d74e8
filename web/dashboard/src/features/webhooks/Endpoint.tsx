import { ActionIcon, Badge, Button, Group, Menu, Select, Text } from '@mantine/core';
import { MoreHorizontal, Send } from 'lucide-react';
import { useState } from 'react';
import { deliveryLog, type Webhook, webhooks } from './api';
import { api, result } from '../../api/client';
import { webhooksTexts } from './texts';
import { texts } from '../../ui/texts';
import { eventTypes } from './events';
import type { Filter } from './settings';
import { Confirm } from '../../ui/resource/Confirm';
import { FormModal } from '../../ui/resource/FormModal';
import { Fact } from '../../ui/resource/List';
import { useAction } from '../../ui/resource/save';

const t = webhooksTexts;

const log = deliveryLog({}).queryKey.slice(0, 1);

/** Endpoint is the webhook as it is, with what can be done with it. */
export function Endpoint({
  of: w,
  writes,
  edit,
  rotated,
}: {
  of: Webhook;
  writes: boolean;
  edit: () => void;
  rotated: (secret: string) => void;
}) {
  const [open, setOpen] = useState<'rotate' | 'delete'>();
  const close = () => setOpen(undefined);
  const filter = w.filter as Filter;
  const params = { path: { id: w.id } };
  const events = eventTypes.filter((e) => filter.events.includes(e));
  const included = [
    filter.include_transcript && t.transcript,
    filter.include_context && t.context,
    filter.include_metrics && t.metrics,
    filter.include_page && t.page,
  ]
    .filter(Boolean)
    .join(', ');
  const test = useAction({
    send: () => result(api.POST('/api/v1/webhook-endpoints/{id}/test', { params })),
    refresh: [log],
    said: t.tested,
  });
  const toggle = useAction({
    send: () =>
      result(
        w.enabled
          ? api.POST('/api/v1/webhook-endpoints/{id}/disable', { params })
          : api.POST('/api/v1/webhook-endpoints/{id}/enable', { params }),
      ),
    refresh: [webhooks.queryKey],
  });
  const remove = useAction({
    send: () => result(api.DELETE('/api/v1/webhook-endpoints/{id}', { params })),
    refresh: [webhooks.queryKey, log],
    said: texts.resource.deleted,
    done: close,
  });
  return (
    <section className="panel" style={{ padding: 20, marginBottom: 28 }} aria-label={t.endpoint}>
      <Group justify="space-between" mb="sm" gap="sm">
        <Group gap="xs" style={{ minWidth: 0 }}>
          <Text component="h2" fw={600}>
            {t.endpoint}
          </Text>
          <Badge variant="default" size="sm" leftSection={<span className={`dot ${w.enabled ? 'completed' : ''}`} />}>
            {w.enabled ? t.enabled : t.disabled}
          </Badge>
        </Group>
        {writes && (
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              leftSection={<Send size={14} />}
              loading={test.isPending}
              disabled={!w.enabled}
              onClick={() => test.mutate()}
            >
              {t.test}
            </Button>
            <Button size="xs" variant="default" onClick={edit}>
              {texts.resource.edit}
            </Button>
            <Menu position="bottom-end" width={180}>
              <Menu.Target>
                <ActionIcon variant="default" size={30} aria-label={t.more}>
                  <MoreHorizontal size={16} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item onClick={() => toggle.mutate()}>{w.enabled ? t.disable : t.enable}</Menu.Item>
                <Menu.Item onClick={() => setOpen('rotate')}>{t.rotate}</Menu.Item>
                <Menu.Divider />
                <Menu.Item color="red" onClick={() => setOpen('delete')}>
                  {texts.resource.delete}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </Group>
        )}
      </Group>
      <dl style={{ margin: 0 }}>
        <Fact label={t.url}>
          <span className="mono">{w.url}</span>
        </Fact>
        <Fact label={t.events}>{events.length === eventTypes.length ? t.allEvents : events.join(', ')}</Fact>
        {filter.workflows && <Fact label={t.workflows}>{filter.workflows.join(', ')}</Fact>}
        {filter.agents && <Fact label={t.agents}>{filter.agents.join(', ')}</Fact>}
        <Fact label={t.included}>{included || t.nothingIncluded}</Fact>
        <Fact label={t.retry}>{t.retrySummary(w.retry_policy, w.max_retries)}</Fact>
        <Fact label={t.timeout}>{t.seconds(w.timeout)}</Fact>
        <Fact label={t.format}>{t.formats[w.payload_format]}</Fact>
        {Object.keys(w.headers ?? {}).length > 0 && <Fact label={t.headers}>{Object.keys(w.headers).join(', ')}</Fact>}
      </dl>
      {!w.enabled && (
        <Text size="sm" c="dimmed" mt="sm">
          {t.disabledHint}
        </Text>
      )}
      {open === 'rotate' && <Rotate id={w.id} close={close} rotated={rotated} />}
      {open === 'delete' && (
        <Confirm
          title={t.deleteTitle}
          confirm={texts.resource.delete}
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          {t.delete}
        </Confirm>
      )}
    </section>
  );
}

function Rotate({ id, close, rotated }: { id: string; close: () => void; rotated: (secret: string) => void }) {
  const [overlap, setOverlap] = useState('86400');
  const rotate = useAction({
    send: () =>
      result(
        api.POST('/api/v1/webhook-endpoints/{id}/rotate-secret', {
          params: { path: { id } },
          body: { overlap_seconds: Number(overlap) },
        }),
      ),
    refresh: [webhooks.queryKey],
    done: (kept) => {
      close();
      if (kept.secret) rotated(kept.secret);
    },
  });
  return (
    <FormModal
      title={t.rotate}
      lead={t.rotateLead}
      submit={t.rotateSubmit}
      saving={rotate.isPending}
      error={null}
      fields={[]}
      onSubmit={() => rotate.mutate()}
      onClose={close}
    >
      <Select
        label={t.overlap}
        data={Object.entries(t.overlaps).map(([value, label]) => ({ value, label }))}
        value={overlap}
        allowDeselect={false}
        onChange={(value) => setOverlap(value ?? '0')}
      />
    </FormModal>
  );
}

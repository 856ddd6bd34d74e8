import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { type DeliveryDetail, delivery, deliveryLog } from './api';
import { api, result } from '../../api/client';
import { moment, time } from '../../format';
import { webhooksTexts } from './texts';
import { texts } from '../../ui/texts';
import { Fact } from '../../ui/resource/List';
import { Loaded } from '../../ui/Trouble';
import { useAction } from '../../ui/resource/save';

const t = webhooksTexts;

export function DeliveryStatus({ status }: { status: string }) {
  return (
    <Group gap={8} wrap="nowrap">
      <span className={`dot ${status}`} />
      <Text size="sm" span>
        {t.statuses[status] ?? status}
      </Text>
    </Group>
  );
}

/** pretty indents what is JSON. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** DeliveryView is a delivery beside the log, with the event's data, the attempts and their answers. */
export function DeliveryView({ id, writes, close }: { id: string; writes: boolean; close: () => void }) {
  const found = useQuery(delivery(id));
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="lg"
      title={t.delivery}
      closeButtonProps={{ 'aria-label': texts.resource.close }}
    >
      <Loaded query={found}>{(d) => <Detail of={d} writes={writes} />}</Loaded>
    </Drawer>
  );
}

function Detail({ of: d, writes }: { of: DeliveryDetail; writes: boolean }) {
  const replay = useAction({
    send: () => result(api.POST('/api/v1/webhooks/deliveries/{id}/replay', { params: { path: { id: d.id } } })),
    refresh: [deliveryLog({}).queryKey.slice(0, 1)],
    said: t.replayed,
  });
  return (
    <Stack>
      <Group justify="space-between">
        <DeliveryStatus status={d.status} />
        {writes && (
          <Button
            size="xs"
            variant="default"
            leftSection={<RotateCw size={14} />}
            loading={replay.isPending}
            onClick={() => replay.mutate()}
          >
            {t.replay}
          </Button>
        )}
      </Group>
      <dl style={{ margin: 0 }}>
        <Fact label={t.event}>{d.event}</Fact>
        {d.call_id && (
          <Fact label={t.call}>
            <Link to="/calls/$id" params={{ id: d.call_id }} className="link mono">
              {d.call_id}
            </Link>
          </Fact>
        )}
        {d.webhook_id && (
          <Fact label={t.webhookID}>
            <span className="mono">{d.webhook_id}</span>
          </Fact>
        )}
        <Fact label={t.eventID}>
          <span className="mono">{d.event_id}</span>
        </Fact>
        <Fact label={t.deliveryID}>
          <span className="mono">{d.id}</span>
        </Fact>
        <Fact label={t.queued}>{moment(d.created_at)}</Fact>
        <Fact label={t.attempts}>{t.of(d.attempt_count, d.max_attempts)}</Fact>
        {d.next_attempt_at && <Fact label={t.next}>{moment(d.next_attempt_at)}</Fact>}
      </dl>
      {d.event_data && (
        <section aria-label={t.sent}>
          <Text size="sm" fw={600}>
            {t.sent}
          </Text>
          <Text size="xs" c="dimmed" mb={6}>
            {t.sentHint}
          </Text>
          <pre className="code" tabIndex={0}>
            {JSON.stringify(d.event_data, null, 2)}
          </pre>
        </section>
      )}
      {(d.attempts ?? []).length === 0 && (
        <Text size="sm" c="dimmed">
          {t.noAttempts}
        </Text>
      )}
      {(d.attempts ?? []).map((a) => (
        <section key={a.attempt} aria-label={t.attempt(a.attempt)}>
          <Group justify="space-between" mb={6} gap="xs">
            <Text size="sm" fw={600}>
              {t.attempt(a.attempt)}
            </Text>
            <Text size="sm" c="dimmed" className="numbers">
              {[a.response_status, t.took(a.duration_ms), time(a.started_at)].filter((x) => x != null).join(' · ')}
            </Text>
          </Group>
          {a.error ? (
            <Text size="sm" c="red" mb={6}>
              {a.error}
            </Text>
          ) : a.response_body ? (
            <pre className="code" tabIndex={0}>
              {pretty(a.response_body)}
            </pre>
          ) : (
            <Text size="sm" c="dimmed">
              {t.noBody}
            </Text>
          )}
        </section>
      ))}
    </Stack>
  );
}

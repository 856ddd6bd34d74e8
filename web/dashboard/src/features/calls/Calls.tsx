import { Badge, Button, Group, Select, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useCallback, useState } from 'react';
import { activeCalls, callList, callsOf, isResult, mostCalls } from './api';
import { may, me } from '../../api/me';
import { workflows } from '../workflows/api';
import { useLiveCalls } from '../../api/stream';
import { oneOf } from '../../choice';
import { csv } from '../../csv';
import { download } from '../../download';
import { answeredByClass, callBodyDirection, callBodyStatus } from '../../generated/enums';
import { answeredTexts, classTexts } from './answered';
import { CallTable } from './CallTable';
import { LiveCalls } from './LiveCalls';
import { resultKeys, resultText } from './results';
import { TextFilter } from './TextFilter';
import { Empty, Page } from '../../ui/Page';
import { Filters } from '../../ui/resource/Filters';
import { Loaded, Loading, message, Trouble } from '../../ui/Trouble';
import type { CallFilter } from './api';
import { callsTexts, statusTexts } from './texts';
import { texts } from '../../ui/texts';

const t = callsTexts;

const csvColumns = [
  'id',
  'status',
  'status_reason',
  'agents',
  'agent_name',
  'workflow',
  'type',
  'direction',
  'phone_number',
  'answered_by',
  'user_id',
  'metadata',
  'created_at',
  'started_at',
  'ended_at',
  'duration_seconds',
  'cost',
  'currency',
];

export function Calls() {
  const filter = useSearch({ from: '/shell/calls' });
  const navigate = useNavigate({ from: '/calls' });
  const list = useQuery(callList(filter));
  const active = useQuery(activeCalls);
  const open = useLiveCalls();
  const change = (part: CallFilter) =>
    void navigate({ search: { ...filter, page: undefined, ...part }, replace: true });
  const [cleared, setCleared] = useState(0); // the text fields are made anew when the filters are cleared
  const { page: _, ...conditions } = filter;
  const filtered = Object.values(conditions).some(Boolean);
  const scopes = useQuery(me).data?.scopes;
  const flows = useQuery({ ...workflows, enabled: may(scopes, 'workflows:read') }).data ?? [];
  const save = useMutation({
    mutationFn: () => callsOf(filter),
    onSuccess: (found) => {
      const answers = resultKeys(found);
      const rows = found.map((c) => [
        c.id,
        c.status,
        c.status_reason,
        c.agent_history?.join(' > '),
        c.agent_name,
        c.workflow_slug,
        c.call_type,
        c.direction,
        c.phone_number,
        c.answered_by?.class,
        c.user_id,
        c.metadata && JSON.stringify(c.metadata),
        c.created_at,
        c.started_at,
        c.ended_at,
        c.duration_seconds,
        c.cost?.total,
        c.cost?.currency,
        ...answers.map((key) => resultText(c.results?.[key])),
      ]);
      download('calls.csv', 'text/csv', csv([[...csvColumns, ...answers.map((key) => `results.${key}`)], ...rows]));
      if (found.length >= mostCalls) notifications.show({ message: t.csvFull(mostCalls) });
    },
    onError: (error) => notifications.show({ message: message(error), color: 'red' }),
  });
  const clear = () => {
    setCleared(cleared + 1);
    void navigate({ search: {}, replace: true });
  };
  const openCall = useCallback((id: string) => void navigate({ to: '/calls/$id', params: { id } }), [navigate]);
  const live = active.data ?? [];
  const calls = list.data?.items ?? [];
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <>
          <Group gap={8} role="status" mr="sm">
            <span className={open ? 'dot active' : 'dot pending'} />
            <Text size="sm" c="dimmed">
              {open ? t.updates : t.updatesLost}
            </Text>
          </Group>
          <Button
            variant="default"
            leftSection={<Download size={16} />}
            loading={save.isPending}
            disabled={calls.length === 0}
            onClick={() => save.mutate()}
          >
            {t.csv}
          </Button>
        </>
      }
    >
      <Text component="h2" fw={600} mb="xs">
        {t.live}{' '}
        {live.length > 0 && (
          <Badge size="sm" variant="light" ml={4}>
            {live.length}
          </Badge>
        )}
      </Text>
      <div className="panel" style={{ marginBottom: 24, overflow: 'hidden' }}>
        <Loaded query={active}>
          {() =>
            live.length === 0 ? (
              <Text size="sm" c="dimmed" p="md">
                {t.noneLive}
              </Text>
            ) : (
              <LiveCalls calls={live} most={20} />
            )
          }
        </Loaded>
      </div>
      <Filters active={filtered}>
        <Select
          label={texts.common.status}
          placeholder={t.anyStatus}
          clearable
          value={filter.status ?? null}
          w={{ base: '100%', xs: 150 }}
          onChange={(status) => change({ status: oneOf(callBodyStatus, status) })}
          data={Object.entries(statusTexts).map(([value, label]) => ({ value, label }))}
          clearButtonProps={{ 'aria-label': texts.common.clear }}
        />
        {(
          [
            ['reason', t.reason, t.reasonHint],
            ['number', t.number, t.numberHint],
            ['agent', t.agent, t.agentHint],
            ['user', t.user, t.userHint],
            ['metadata', t.metadata, t.metadataHint],
            ['result', t.result, t.resultHint],
          ] as const
        ).map(([name, label, hint]) => (
          <TextFilter
            key={`${name} ${cleared}`}
            label={label}
            hint={hint}
            value={filter[name]}
            error={name === 'result' && filter.result && !isResult(filter.result) ? t.resultWrong : undefined}
            change={(value) => change({ [name]: value })}
          />
        ))}
        <Select
          label={t.direction}
          placeholder={t.anyDirection}
          clearable
          value={filter.direction ?? null}
          w={{ base: '100%', xs: 130 }}
          onChange={(direction) => change({ direction: oneOf(callBodyDirection, direction) })}
          data={[
            { value: 'inbound', label: t.inbound },
            { value: 'outbound', label: t.outbound },
          ]}
          clearButtonProps={{ 'aria-label': texts.common.clear }}
        />
        <Select
          label={answeredTexts.title}
          placeholder={answeredTexts.any}
          clearable
          value={filter.answered ?? null}
          w={{ base: '100%', xs: 150 }}
          onChange={(answered) => change({ answered: oneOf(answeredByClass, answered) })}
          data={Object.entries(classTexts).map(([value, label]) => ({ value, label }))}
          clearButtonProps={{ 'aria-label': texts.common.clear }}
        />
        <Select
          label={t.time}
          value={filter.time ?? 'started'}
          allowDeselect={false}
          w={{ base: '100%', xs: 130 }}
          onChange={(time) => change({ time: time === 'created' ? time : undefined })}
          data={[
            { value: 'started', label: t.timeStarted },
            { value: 'created', label: t.timeCreated },
          ]}
        />
        <TextInput
          type="datetime-local"
          label={t.from}
          value={filter.from ?? ''}
          onChange={(e) => change({ from: e.currentTarget.value || undefined })}
          w={{ base: '100%', xs: 205 }}
        />
        <TextInput
          type="datetime-local"
          label={t.to}
          value={filter.to ?? ''}
          onChange={(e) => change({ to: e.currentTarget.value || undefined })}
          w={{ base: '100%', xs: 205 }}
        />
        {flows.length > 0 && (
          <Select
            label={t.workflow}
            placeholder={t.anyWorkflow}
            clearable
            searchable
            value={filter.workflow ?? null}
            w={{ base: '100%', xs: 160 }}
            onChange={(workflow) => change({ workflow: workflow ?? undefined })}
            data={flows.map((w) => ({ value: w.id, label: w.name || w.slug }))}
            clearButtonProps={{ 'aria-label': texts.common.clear }}
            nothingFoundMessage={t.noWorkflow}
          />
        )}
        <Select
          label={t.mode}
          placeholder={t.anyMode}
          clearable
          value={filter.mode ?? null}
          w={{ base: '100%', xs: 130 }}
          onChange={(mode) => change({ mode: (mode ?? undefined) as CallFilter['mode'] })}
          data={[
            { value: 'live', label: t.modeLive },
            { value: 'test', label: t.modeTest },
          ]}
          clearButtonProps={{ 'aria-label': texts.common.clear }}
        />
        {filtered && (
          <Button variant="default" onClick={clear}>
            {texts.common.clear}
          </Button>
        )}
      </Filters>
      {list.isPending && <Loading />}
      {list.error && !list.data && <Trouble error={list.error} retry={() => void list.refetch()} />}
      {list.data && (
        <div className="panel" style={{ overflow: 'hidden' }}>
          {calls.length === 0 ? (
            filtered ? (
              <Empty
                action={
                  <Button variant="default" onClick={clear}>
                    {texts.common.clear}
                  </Button>
                }
              >
                {t.noMatch}
              </Empty>
            ) : (
              <Empty
                title={t.emptyTitle}
                action={
                  <Button component={Link} to="/agents" variant="default">
                    {t.toAgents}
                  </Button>
                }
              >
                {t.empty}
              </Empty>
            )
          ) : (
            <CallTable calls={calls} open={openCall} />
          )}
        </div>
      )}
      {list.data && list.data.total > 0 && (
        <Group justify="space-between" mt="md">
          <Text size="sm" c="dimmed" className="numbers">
            {t.page(list.data.page, Math.max(1, list.data.pages), list.data.total)}
          </Text>
          <Group gap="xs">
            <Button
              variant="default"
              size="xs"
              disabled={list.data.page <= 1}
              onClick={() => change({ page: list.data.page - 1 })}
            >
              {texts.common.previous}
            </Button>
            <Button
              variant="default"
              size="xs"
              disabled={list.data.page >= list.data.pages}
              onClick={() => change({ page: list.data.page + 1 })}
            >
              {texts.common.next}
            </Button>
          </Group>
        </Group>
      )}
    </Page>
  );
}

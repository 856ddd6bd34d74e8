import { Button, Select, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type AuditFilter, auditLog } from './api';
import { me } from '../../api/me';
import { moment } from '../../format';
import { Empty, Page } from '../../ui/Page';
import { Filters } from '../../ui/resource/Filters';
import { Pager } from '../../ui/resource/List';
import { Loaded } from '../../ui/Trouble';
import type { components } from '../../generated/schema';
import { auditTexts } from './texts';
import { texts } from '../../ui/texts';

const t = auditTexts;

type Entry = components['schemas']['AuditEntryBody'];

export function AuditLog() {
  const filter = useSearch({ from: '/shell/audit-log' });
  const navigate = useNavigate({ from: '/audit-log' });
  const who = useQuery(me).data;
  const list = useQuery(auditLog(filter));
  const [typed, setTyped] = useState({
    action: filter.action ?? '',
    type: filter.type ?? '',
    resource: filter.resource ?? '',
  });
  const change = (part: AuditFilter) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...part }), replace: true });
  const later = useDebouncedCallback(change, 300);
  const field = (key: keyof typeof typed, label: string, placeholder: string) => (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={typed[key]}
      w={{ base: 'calc(50% - 6px)', xs: 150 }}
      onChange={(e) => {
        const value = e.currentTarget.value;
        setTyped({ ...typed, [key]: value });
        later({ [key]: value.trim() || undefined });
      }}
    />
  );
  const filtered = Boolean(filter.action || filter.type || filter.resource || filter.actor || filter.from || filter.to);
  const clear = () => {
    setTyped({ action: '', type: '', resource: '' });
    void navigate({ search: {}, replace: true });
  };
  const actor = (e: Entry) => {
    const { type, id } = e.actor;
    if (type === 'operator') return t.operator;
    if (id && id === who?.user?.id) return t.me;
    return `${{ user: t.user, api_key: t.key, public_token: t.publicToken, page_link: t.pageLink }[type]} ${id?.slice(0, 8) ?? ''}`;
  };
  return (
    <Page title={t.title} lead={t.lead}>
      <Filters active={filtered}>
        {field('action', t.action, t.actionHint)}
        {field('type', t.type, t.typeHint)}
        {field('resource', t.resource, t.resourceHint)}
        <Select
          label={t.actor}
          placeholder={t.anyActor}
          clearable
          w={{ base: 'calc(50% - 6px)', xs: 140 }}
          value={filter.actor ?? null}
          clearButtonProps={{ 'aria-label': texts.common.clear }}
          onChange={(value) => change({ actor: value ?? undefined })}
          data={[...(who?.user ? [{ value: who.user.id, label: t.me }] : []), { value: 'operator', label: t.operator }]}
        />
        <TextInput
          type="datetime-local"
          label={t.from}
          value={filter.from ?? ''}
          onChange={(e) => change({ from: e.currentTarget.value || undefined })}
          w={{ base: '100%', xs: 200 }}
        />
        <TextInput
          type="datetime-local"
          label={t.to}
          value={filter.to ?? ''}
          onChange={(e) => change({ to: e.currentTarget.value || undefined })}
          w={{ base: '100%', xs: 200 }}
        />
        {filtered && (
          <Button variant="default" onClick={clear}>
            {texts.common.clear}
          </Button>
        )}
      </Filters>
      <Loaded query={list}>
        {({ items, total }) => (
          <>
            <div className="panel" style={{ overflow: 'hidden' }}>
              {items?.length ? (
                <Table verticalSpacing={9} horizontalSpacing="md" borderColor="var(--line)" layout="fixed">
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{t.action}</Table.Th>
                      <Table.Th>{t.resource}</Table.Th>
                      <Table.Th className="wide-only">{t.changes}</Table.Th>
                      <Table.Th className="wide-only" w={150}>
                        {t.actor}
                      </Table.Th>
                      <Table.Th className="wide-only" w={220}>
                        {t.when}
                      </Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {items.map((e) => (
                      <Table.Tr key={e.id}>
                        <Table.Td>
                          <Text size="sm" fw={550} className="one-line">
                            {e.action}
                          </Text>
                          <Text size="xs" c="dimmed" hiddenFrom="sm">
                            {actor(e)} · {moment(e.created_at)}
                          </Text>
                        </Table.Td>
                        <Table.Td>
                          <Text size="sm" className="one-line">
                            {e.resource.name ?? e.resource.id ?? e.resource.type}
                          </Text>
                        </Table.Td>
                        <Table.Td className="wide-only">
                          <Text size="sm" c="dimmed" className="one-line" title={(e.changes ?? []).join(', ')}>
                            {(e.changes ?? []).join(', ') || '–'}
                          </Text>
                        </Table.Td>
                        <Table.Td className="wide-only">
                          <Text
                            size="sm"
                            c="dimmed"
                            className="one-line"
                            title={[e.actor.id, e.client_address].filter(Boolean).join(' · ')}
                          >
                            {actor(e)}
                          </Text>
                        </Table.Td>
                        <Table.Td className="wide-only numbers">
                          <Text size="sm" c="dimmed" title={e.request_id ? `${t.request}: ${e.request_id}` : undefined}>
                            {moment(e.created_at)}
                          </Text>
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              ) : (
                <Empty
                  action={
                    filtered && (
                      <Button variant="default" onClick={clear}>
                        {texts.common.clear}
                      </Button>
                    )
                  }
                >
                  {filtered ? t.noMatch : t.empty}
                </Empty>
              )}
            </div>
            <Pager
              page={filter.page ?? 1}
              total={total}
              go={(page) => void navigate({ search: { ...filter, page }, replace: true })}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

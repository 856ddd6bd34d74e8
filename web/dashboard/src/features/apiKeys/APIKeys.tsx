import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { type APIKey, apiKeys } from './api';
import { api, result } from '../../api/client';
import { mayGrant, me } from '../../api/me';
import { date } from '../../format';
import { NewKey } from './NewKey';
import { Empty, Page } from '../../ui/Page';
import { Confirm } from '../../ui/resource/Confirm';
import { List } from '../../ui/resource/List';
import { useAction } from '../../ui/resource/save';
import { Secret } from '../../ui/resource/Secret';
import { scopesSummary } from '../../ui/scopes';
import { apiKeysTexts } from './texts';

const t = apiKeysTexts;

export function APIKeys() {
  const keys = useQuery(apiKeys);
  const scopes = useQuery(me).data?.scopes;
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [revoking, setRevoking] = useState<APIKey>();
  const create = (
    <Button leftSection={<Plus size={16} />} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  const revoke = useAction({
    send: (id: string) => result(api.DELETE('/api/v1/auth/api-keys/{id}', { params: { path: { id } } })),
    refresh: [apiKeys.queryKey],
    said: t.revoked,
    done: () => setRevoking(undefined),
  });
  return (
    <Page title={t.title} lead={t.lead} actions={keys.data?.length ? create : undefined}>
      <List
        query={keys}
        empty={
          <Empty title={t.emptyTitle} action={create}>
            {t.empty}
          </Empty>
        }
      >
        {(k) => (
          <div key={k.id} className="row">
            <KeyRound size={18} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
            <div className="grow">
              <Group gap={8} wrap="nowrap">
                <Text size="sm" fw={550} className="one-line">
                  {k.name}
                </Text>
                {k.environment === 'test' && (
                  <Badge size="sm" variant="default" style={{ flex: 'none' }}>
                    {t.testBadge}
                  </Badge>
                )}
              </Group>
              <Text size="xs" c="dimmed" className="one-line" title={(k.scopes ?? []).join(', ')}>
                <span className="mono" style={{ fontSize: 12 }}>
                  {k.prefix}…
                </span>{' '}
                · {scopesSummary(k.scopes ?? [])}
              </Text>
            </div>
            <Text size="xs" c="dimmed" className="wide-only numbers">
              {t.rate(k.rate_limit)} · {t.created(date(k.created_at))}
            </Text>
            {(k.scopes ?? []).every((s) => mayGrant(scopes, s)) && (
              <Button size="xs" variant="default" onClick={() => setRevoking(k)} aria-label={`${t.revoke} ${k.name}`}>
                {t.revoke}
              </Button>
            )}
          </div>
        )}
      </List>
      {creating && <NewKey created={setSecret} close={() => setCreating(false)} />}
      {secret && (
        <Secret
          title={t.secretTitle}
          label={t.secret}
          hint={t.secretHint}
          value={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
      {revoking && (
        <Confirm
          title={t.revokeTitle(revoking.name)}
          confirm={t.revoke}
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate(revoking.id)}
          onClose={() => setRevoking(undefined)}
        >
          {t.revokeText}
        </Confirm>
      )}
    </Page>
  );
}

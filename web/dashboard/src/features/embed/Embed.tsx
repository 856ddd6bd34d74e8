import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { type PublicToken, publicTokens } from './api';
import { api, result } from '../../api/client';
import { may, me } from '../../api/me';
import { Empty, Page } from '../../ui/Page';
import { Confirm } from '../../ui/resource/Confirm';
import { List } from '../../ui/resource/List';
import { useAction } from '../../ui/resource/save';
import { Made } from './Made';
import { NewToken } from './NewToken';
import { embedTexts } from './texts';

const t = embedTexts;

export function Embed() {
  const tokens = useQuery(publicTokens);
  const scopes = useQuery(me).data?.scopes;
  const writes = may(scopes, 'public-tokens:write');
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<PublicToken>();
  const [revoking, setRevoking] = useState<PublicToken>();
  const revoke = useAction({
    send: (id: string) => result(api.DELETE('/api/v1/public-tokens/{id}', { params: { path: { id } } })),
    refresh: [publicTokens.queryKey],
    said: t.revoked,
    done: () => setRevoking(undefined),
  });
  const create = writes && may(scopes, 'calls:write') && (
    <Button leftSection={<Plus size={16} />} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={create}>
      <List query={tokens} empty={<Empty title={t.title}>{t.empty}</Empty>}>
        {(token) => (
          <div key={token.id} className="row wraps">
            <div className="grow">
              <Text size="sm" fw={550} className="one-line">
                {token.workflow_slug ?? token.agent_name}
              </Text>
              <Text size="xs" c="dimmed" className="one-line">
                <span className="mono">{token.prefix}…</span> · {token.origins.join(', ')}
              </Text>
            </div>
            <Text size="xs" c="dimmed" className="wide-only numbers">
              {t.limits(token.per_minute, token.per_day, token.max_seconds)}
            </Text>
            {writes && (
              <Button
                size="xs"
                variant="default"
                onClick={() => setRevoking(token)}
                aria-label={`${t.revoke} ${token.prefix}`}
              >
                {t.revoke}
              </Button>
            )}
          </div>
        )}
      </List>
      {creating && <NewToken made={setMade} close={() => setCreating(false)} />}
      {made && <Made token={made} onClose={() => setMade(undefined)} />}
      {revoking && (
        <Confirm
          title={t.revokeTitle(revoking.prefix)}
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

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { type Webhook, webhooks } from './api';
import { may, me } from '../../api/me';
import { Empty, Page } from '../../ui/Page';
import { Loaded } from '../../ui/Trouble';
import { Secret } from '../../ui/resource/Secret';
import { Deliveries } from './Deliveries';
import { Endpoint } from './Endpoint';
import { Settings } from './Settings';
import { webhooksTexts } from './texts';

const t = webhooksTexts;

export function Webhooks() {
  const found = useQuery(webhooks);
  const writes = may(useQuery(me).data?.scopes, 'webhooks:write');
  // The webhook that is edited; null while a new one is made.
  const [editing, setEditing] = useState<Webhook | null>();
  const [secret, setSecret] = useState<string>();
  const some = Boolean(found.data?.length);
  const create = writes && (
    <Button leftSection={<Plus size={16} />} onClick={() => setEditing(null)}>
      {some ? t.add : t.create}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={some && create}>
      <Loaded query={found}>
        {(all) => (
          <>
            {all.map((w) => (
              <Endpoint key={w.id} of={w} writes={writes} edit={() => setEditing(w)} rotated={setSecret} />
            ))}
            {all.length === 0 && (
              <div className="panel" style={{ marginBottom: 28 }}>
                <Empty title={t.emptyTitle} action={create}>
                  {t.empty}
                </Empty>
              </div>
            )}
            <Deliveries writes={writes && some} of={all} />
            {editing !== undefined && (
              <Settings now={editing} created={setSecret} close={() => setEditing(undefined)} />
            )}
          </>
        )}
      </Loaded>
      {secret && (
        <Secret
          title={t.secretTitle}
          label={t.secret}
          hint={t.secretHint}
          value={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Page>
  );
}

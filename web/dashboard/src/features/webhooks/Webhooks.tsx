import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { webhook } from './api';
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
  const found = useQuery(webhook);
  const writes = may(useQuery(me).data?.scopes, 'webhooks:write');
  const [editing, setEditing] = useState(false);
  const [secret, setSecret] = useState<string>();
  const edit = () => setEditing(true);
  const create = writes && (
    <Button leftSection={<Plus size={16} />} onClick={edit}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead}>
      <Loaded query={found}>
        {(w) => (
          <>
            {w ? (
              <Endpoint of={w} writes={writes} edit={edit} rotated={setSecret} />
            ) : (
              <div className="panel" style={{ marginBottom: 28 }}>
                <Empty title={t.emptyTitle} action={create}>
                  {t.empty}
                </Empty>
              </div>
            )}
            <Deliveries writes={writes && w !== null} />
            {editing && <Settings now={w} created={setSecret} close={() => setEditing(false)} />}
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

import { Badge, Button, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, Plus, Search, Workflow as Icon } from 'lucide-react';
import { useState } from 'react';
import { activeCalls } from '../calls/api';
import { may, me } from '../../api/me';
import { workflows } from './api';
import { useLiveCalls } from '../../api/stream';
import { date } from '../../format';
import { Empty, Page } from '../../ui/Page';
import { Loading, Trouble } from '../../ui/Trouble';
import { workflowsTexts } from './texts';
import { texts } from '../../ui/texts';

const t = workflowsTexts;
const step = 100;

export function Workflows() {
  const list = useQuery(workflows);
  const scopes = useQuery(me).data?.scopes;
  const seesCalls = may(scopes, 'calls:read');
  useLiveCalls(seesCalls);
  const active = useQuery({ ...activeCalls, enabled: seesCalls }).data ?? [];
  const [search, setSearch] = useState('');
  const [limit, setLimit] = useState(step);
  const create = may(scopes, 'workflows:write') && (
    <Button component={Link} to="/workflows/new" leftSection={<Plus size={16} />}>
      {t.create}
    </Button>
  );
  const needle = search.trim().toLowerCase();
  const found = (list.data ?? []).filter((w) => w.slug.includes(needle) || w.name.toLowerCase().includes(needle));
  return (
    <Page title={t.title} lead={t.lead} actions={create}>
      {list.isPending && <Loading />}
      {list.error && <Trouble error={list.error} retry={() => void list.refetch()} />}
      {list.data?.length === 0 && (
        <div className="panel">
          <Empty title={t.emptyTitle} action={create}>
            {t.empty}
          </Empty>
        </div>
      )}
      {list.data && list.data.length > 0 && (
        <>
          <TextInput
            mb="sm"
            leftSection={<Search size={16} />}
            placeholder={t.search}
            aria-label={t.search}
            value={search}
            onChange={(e) => setSearch(e.currentTarget.value)}
          />
          <div className="panel" style={{ overflow: 'hidden' }}>
            {found.slice(0, limit).map((w) => {
              const live = active.filter((c) => c.workflow_slug === w.slug).length;
              return (
                <Link key={w.id} to="/workflows/$slug" params={{ slug: w.slug }} className="row">
                  <Icon size={18} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
                  <div className="grow">
                    <Text fw={550} size="sm" className="one-line">
                      {w.name}
                    </Text>
                    <Text c="dimmed" size="xs" className="one-line">
                      {w.slug}
                    </Text>
                  </div>
                  {live > 0 && (
                    <Badge variant="light" color="teal.8" size="sm">
                      {t.live(live)}
                    </Badge>
                  )}
                  {!w.is_active && (
                    <Badge variant="default" size="sm">
                      {texts.common.inactive}
                    </Badge>
                  )}
                  <Text c="dimmed" size="xs" className="wide-only">
                    {texts.common.created(date(w.created_at))}
                  </Text>
                  <ChevronRight size={16} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
                </Link>
              );
            })}
            {found.length === 0 && <Empty>{t.noMatch}</Empty>}
          </div>
          {found.length > limit && (
            <Button mt="md" variant="default" onClick={() => setLimit(limit + step)}>
              {texts.resource.more}
            </Button>
          )}
        </>
      )}
    </Page>
  );
}

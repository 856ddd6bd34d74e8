import { Badge, Button, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bot, ChevronRight, Plus, Search } from 'lucide-react';
import { useState } from 'react';
import { agents } from './api';
import { may, me } from '../../api/me';
import { date } from '../../format';
import { ImportAgent } from './ImportAgent';
import { Empty, Page } from '../../ui/Page';
import { Loading, Trouble } from '../../ui/Trouble';
import { agentsTexts } from './texts';
import { texts } from '../../ui/texts';

const shown = 100;

export function Agents() {
  const list = useQuery(agents);
  const scopes = useQuery(me).data?.scopes;
  const [search, setSearch] = useState('');
  const [state, setState] = useState('all');
  const [limit, setLimit] = useState(shown);
  const create = may(scopes, 'agents:write') && (
    <Group gap="xs" justify="center">
      <ImportAgent />
      <Button component={Link} to="/agents/new" leftSection={<Plus size={16} />}>
        {agentsTexts.create}
      </Button>
    </Group>
  );
  const needle = search.trim().toLowerCase();
  const found = (list.data ?? []).filter(
    (a) =>
      (state === 'all' || a.is_active === (state === 'active')) &&
      (a.name.includes(needle) || (a.display_name ?? '').toLowerCase().includes(needle)),
  );
  return (
    <Page title={agentsTexts.title} lead={agentsTexts.lead} actions={create}>
      {list.isPending && <Loading />}
      {list.error && <Trouble error={list.error} retry={() => void list.refetch()} />}
      {list.data?.length === 0 && (
        <div className="panel">
          <Empty title={agentsTexts.emptyTitle} action={create}>
            {agentsTexts.empty}
          </Empty>
        </div>
      )}
      {list.data && list.data.length > 0 && (
        <>
          <div style={{ display: 'flex', gap: 12, marginBottom: 12, flexWrap: 'wrap' }}>
            <TextInput
              style={{ flex: '1 1 220px' }}
              leftSection={<Search size={16} />}
              placeholder={agentsTexts.search}
              aria-label={agentsTexts.search}
              value={search}
              onChange={(e) => setSearch(e.currentTarget.value)}
            />
            <SegmentedControl
              value={state}
              onChange={setState}
              aria-label={texts.common.status}
              data={[
                { value: 'all', label: agentsTexts.all },
                { value: 'active', label: agentsTexts.active },
                { value: 'inactive', label: texts.common.inactive },
              ]}
            />
          </div>
          <div className="panel" style={{ overflow: 'hidden' }}>
            {found.slice(0, limit).map((a) => (
              <Link key={a.id} to="/agents/$name" params={{ name: a.name }} className="row">
                <Bot size={18} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
                <div className="grow">
                  <Text fw={550} size="sm" className="one-line">
                    {a.display_name || a.name}
                  </Text>
                  <Text c="dimmed" size="xs" className="one-line">
                    {a.name}
                  </Text>
                </div>
                {!a.is_active && (
                  <Badge variant="default" size="sm">
                    {texts.common.inactive}
                  </Badge>
                )}
                <Text c="dimmed" size="xs" className="wide-only">
                  {texts.common.created(date(a.created_at))}
                </Text>
                <ChevronRight size={16} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
              </Link>
            ))}
            {found.length === 0 && <Empty>{agentsTexts.noMatch}</Empty>}
          </div>
          {found.length > limit && (
            <Button mt="md" variant="default" onClick={() => setLimit(limit + shown)}>
              {texts.resource.more}
            </Button>
          )}
        </>
      )}
    </Page>
  );
}

import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, Plus, Wrench } from 'lucide-react';
import { may, me } from '../../api/me';
import { tools } from './api';
import { date } from '../../format';
import { Empty, Page } from '../../ui/Page';
import { Searched } from '../../ui/resource/Search';
import { toolsTexts } from './texts';

const t = toolsTexts;

export function Tools() {
  const list = useQuery(tools);
  const create = may(useQuery(me).data?.scopes, 'tools:write') && (
    <Button component={Link} to="/tools/new" leftSection={<Plus size={16} />}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={list.data?.length ? create : undefined}>
      <Searched
        query={list}
        words={(k) => [k.name, k.description]}
        empty={
          <Empty title={t.emptyTitle} action={create}>
            {t.empty}
          </Empty>
        }
      >
        {(k) => (
          <Link key={k.id} to="/tools/$name" params={{ name: k.name }} className="row">
            <Wrench size={18} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
            <div className="grow">
              <Text fw={550} size="sm" className="one-line">
                {k.name}
              </Text>
              {k.description && (
                <Text c="dimmed" size="xs" className="one-line">
                  {k.description}
                </Text>
              )}
            </div>
            <Text c="dimmed" size="xs" className="wide-only">
              {t.updated(date(k.updated_at))}
            </Text>
            <ChevronRight size={16} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
          </Link>
        )}
      </Searched>
    </Page>
  );
}

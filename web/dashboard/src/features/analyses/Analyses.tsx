import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, ClipboardCheck, Plus } from 'lucide-react';
import { analyses } from './api';
import { may, me } from '../../api/me';
import { moment } from '../../format';
import { Empty, Page } from '../../ui/Page';
import { Searched } from '../../ui/resource/Search';
import { analysesTexts } from './texts';

const t = analysesTexts;

export function Analyses() {
  const list = useQuery(analyses);
  const create = may(useQuery(me).data?.scopes, 'analyses:write') && (
    <Button component={Link} to="/analyses/new" leftSection={<Plus size={16} />}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={list.data?.length ? create : undefined}>
      <Searched
        query={list}
        words={(a) => [a.name]}
        empty={
          <Empty title={t.emptyTitle} action={create}>
            {t.empty}
          </Empty>
        }
      >
        {(a) => (
          <Link key={a.id} to="/analyses/$name" params={{ name: a.name }} className="row">
            <ClipboardCheck size={18} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
            <Text fw={550} size="sm" className="one-line grow">
              {a.name}
            </Text>
            <Text c="dimmed" size="xs" className="wide-only">
              {t.version(a.version)} · {t.changed(moment(a.updated_at))}
            </Text>
            <ChevronRight size={16} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
          </Link>
        )}
      </Searched>
    </Page>
  );
}

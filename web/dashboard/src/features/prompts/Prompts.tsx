import { Badge, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, MessageSquareText, Plus } from 'lucide-react';
import { prompts } from './api';
import { may, me } from '../../api/me';
import { Empty, Page } from '../../ui/Page';
import { Searched } from '../../ui/resource/Search';
import { promptsTexts } from './texts';

const t = promptsTexts;

export function Prompts() {
  const list = useQuery(prompts);
  const create = may(useQuery(me).data?.scopes, 'prompts:write') && (
    <Button component={Link} to="/prompts/new" leftSection={<Plus size={16} />}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={list.data?.length ? create : undefined}>
      <Searched
        query={list}
        words={(p) => [p.name, p.slug, p.description]}
        empty={
          <Empty title={t.emptyTitle} action={create}>
            {t.empty}
          </Empty>
        }
      >
        {(p) => (
          <Link key={p.id} to="/prompts/$slug" params={{ slug: p.slug }} className="row">
            <MessageSquareText size={18} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
            <div className="grow">
              <Text fw={550} size="sm" className="one-line">
                {p.name}
              </Text>
              <Text c="dimmed" size="xs" className="one-line">
                {p.slug}
                {p.description ? ` · ${p.description}` : ''}
              </Text>
            </div>
            {p.is_system && (
              <Badge size="sm" variant="default">
                {t.platform}
              </Badge>
            )}
            <Text c="dimmed" size="xs" className="wide-only">
              {t.categories[p.category]} · {t.version(p.version)}
            </Text>
            <ChevronRight size={16} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
          </Link>
        )}
      </Searched>
    </Page>
  );
}

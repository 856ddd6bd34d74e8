import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus, UserRound } from 'lucide-react';
import { useState } from 'react';
import { api, result } from '../../api/client';
import { may, mayGrant, me } from '../../api/me';
import { date } from '../../format';
import { Empty, Page } from '../../ui/Page';
import { Confirm } from '../../ui/resource/Confirm';
import { List } from '../../ui/resource/List';
import { useAction } from '../../ui/resource/save';
import { scopesSummary } from '../../ui/scopes';
import { type User, users } from './api';
import { usersTexts } from './texts';
import { UserForm } from './UserForm';

const t = usersTexts;

export function Users() {
  const list = useQuery(users);
  const who = useQuery(me).data;
  const writes = may(who?.scopes, 'users:write');
  const [creating, setCreating] = useState(false);
  const [changing, setChanging] = useState<User>();
  const [deleting, setDeleting] = useState<User>();
  const remove = useAction({
    send: (id: string) => result(api.DELETE('/api/v1/users/{id}', { params: { path: { id } } })),
    refresh: [users.queryKey],
    said: t.deleted,
    done: () => setDeleting(undefined),
  });
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        writes && (
          <Button leftSection={<Plus size={16} />} onClick={() => setCreating(true)}>
            {t.create}
          </Button>
        )
      }
    >
      <List query={list} empty={<Empty title={t.emptyTitle}>{t.empty}</Empty>}>
        {(u) => (
          <div key={u.id} className="row">
            <UserRound size={18} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
            <div className="grow">
              <Group gap={8} wrap="nowrap">
                <Text size="sm" fw={550} className="one-line">
                  {u.email}
                </Text>
                {u.id === who?.user?.id && (
                  <Badge size="sm" variant="default" style={{ flex: 'none' }}>
                    {t.you}
                  </Badge>
                )}
              </Group>
              <Text size="xs" c="dimmed" className="one-line" title={(u.scopes ?? []).join(', ')}>
                {scopesSummary(u.scopes ?? [])}
              </Text>
            </div>
            <Text size="xs" c="dimmed" className="wide-only numbers">
              {t.created(date(u.created_at))}
            </Text>
            {writes && u.id !== who?.user?.id && (u.scopes ?? []).every((s) => mayGrant(who?.scopes, s)) && (
              <Group gap="xs" wrap="nowrap">
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => setChanging(u)}
                  aria-label={`${t.change} ${u.email}`}
                >
                  {t.change}
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => setDeleting(u)}
                  aria-label={`${t.delete} ${u.email}`}
                >
                  {t.delete}
                </Button>
              </Group>
            )}
          </div>
        )}
      </List>
      {creating && <UserForm close={() => setCreating(false)} />}
      {changing && <UserForm user={changing} close={() => setChanging(undefined)} />}
      {deleting && (
        <Confirm
          title={t.deleteTitle(deleting.email)}
          confirm={t.delete}
          busy={remove.isPending}
          onConfirm={() => remove.mutate(deleting.id)}
          onClose={() => setDeleting(undefined)}
        >
          {t.deleteText}
        </Confirm>
      )}
    </Page>
  );
}

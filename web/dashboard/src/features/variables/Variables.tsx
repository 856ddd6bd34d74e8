import { Button, Group, PasswordInput, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { secrets, type Value, variables } from './api';
import { api, result } from '../../api/client';
import { may, me } from '../../api/me';
import { date } from '../../format';
import { Empty, Page } from '../../ui/Page';
import { Confirm } from '../../ui/resource/Confirm';
import { FormModal } from '../../ui/resource/FormModal';
import { List } from '../../ui/resource/List';
import { useAction, useSave } from '../../ui/resource/save';
import { variablesTexts } from './texts';
import { texts } from '../../ui/texts';

const t = variablesTexts;

/** Kind is what differs between variables and secrets. */
type Kind = {
  scope: 'variables' | 'secrets';
  texts: typeof t.variables;
  key: readonly string[];
  create: (v: { name: string; value: string }) => Promise<unknown>;
  update: (v: { name: string; value: string }) => Promise<unknown>;
  remove: (name: string) => Promise<unknown>;
};

const ofVariables: Kind = {
  scope: 'variables',
  texts: t.variables,
  key: variables.queryKey,
  create: (body) => result(api.POST('/api/v1/variables', { body })),
  update: ({ name, value }) =>
    result(api.PUT('/api/v1/variables/{name}', { params: { path: { name } }, body: { value } })),
  remove: (name) => result(api.DELETE('/api/v1/variables/{name}', { params: { path: { name } } })),
};

const ofSecrets: Kind = {
  scope: 'secrets',
  texts: t.secrets,
  key: secrets.queryKey,
  create: (body) => result(api.POST('/api/v1/secrets', { body })),
  update: ({ name, value }) =>
    result(api.PUT('/api/v1/secrets/{name}', { params: { path: { name } }, body: { value } })),
  remove: (name) => result(api.DELETE('/api/v1/secrets/{name}', { params: { path: { name } } })),
};

export function Variables() {
  const scopes = useQuery(me).data?.scopes;
  return (
    <Page title={t.title} lead={t.lead}>
      <Stack gap="xl">
        {may(scopes, 'variables:read') && <Values kind={ofVariables} query={variables} />}
        {may(scopes, 'secrets:read') && <Values kind={ofSecrets} query={secrets} />}
      </Stack>
    </Page>
  );
}

function Values({ kind, query }: { kind: Kind; query: UseQueryOptions<Value[], Error, Value[], string[]> }) {
  const values = useQuery(query);
  const writes = may(useQuery(me).data?.scopes, `${kind.scope}:write`);
  const [editing, setEditing] = useState<Value | 'new'>();
  const [deleting, setDeleting] = useState<Value>();
  const remove = useAction({
    send: kind.remove,
    refresh: [kind.key],
    said: texts.resource.deleted,
    done: () => setDeleting(undefined),
  });
  return (
    <section aria-label={kind.texts.title}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {kind.texts.title}
        </Title>
        {writes && (
          <Button size="xs" leftSection={<Plus size={16} />} onClick={() => setEditing('new')}>
            {kind.texts.create}
          </Button>
        )}
      </Group>
      <List query={values} empty={<Empty title={kind.texts.title}>{kind.texts.empty}</Empty>}>
        {(v) => (
          <div key={v.name} className="row wraps">
            <div className="grow">
              <Text size="sm" fw={550} className="one-line" ff="monospace">
                {`{{${kind.texts.source}.${v.name}}}`}
              </Text>
              <Text size="xs" c="dimmed" className="one-line">
                {v.value ?? '••••••••'}
              </Text>
            </div>
            <Text size="xs" c="dimmed" className="wide-only">
              {t.changed(date(v.updated_at))}
            </Text>
            {writes && (
              <Button size="xs" variant="default" onClick={() => setEditing(v)} aria-label={`${t.edit} ${v.name}`}>
                {t.edit}
              </Button>
            )}
            {writes && (
              <Button
                size="xs"
                variant="default"
                onClick={() => setDeleting(v)}
                aria-label={`${texts.resource.delete} ${v.name}`}
              >
                {texts.resource.delete}
              </Button>
            )}
          </div>
        )}
      </List>
      {editing && (
        <Edit kind={kind} value={editing === 'new' ? undefined : editing} close={() => setEditing(undefined)} />
      )}
      {deleting && (
        <Confirm
          title={kind.texts.deleteTitle(deleting.name)}
          confirm={texts.resource.delete}
          busy={remove.isPending}
          onConfirm={() => remove.mutate(deleting.name)}
          onClose={() => setDeleting(undefined)}
        >
          {kind.texts.deleteText}
        </Confirm>
      )}
    </section>
  );
}

function Edit({ kind, value, close }: { kind: Kind; value?: Value; close: () => void }) {
  const form = useForm({ initialValues: { name: value?.name ?? '', value: value?.value ?? '' } });
  const save = useSave(form, {
    send: value ? kind.update : kind.create,
    refresh: [kind.key],
    said: kind.texts.saved,
    done: close,
  });
  const field = { label: t.value, description: kind.texts.valueHint, ...form.getInputProps('value') };
  return (
    <FormModal
      title={value ? kind.texts.editTitle(value.name) : kind.texts.newTitle}
      saving={save.isPending}
      error={save.error}
      fields={['name', 'value']}
      size="md"
      onSubmit={() => save.mutate(form.getValues())}
      onClose={close}
    >
      {!value && <TextInput label={t.name} description={t.nameHint} required {...form.getInputProps('name')} />}
      {kind.scope === 'secrets' ? (
        <PasswordInput required autoComplete="off" {...field} />
      ) : (
        <Textarea autosize minRows={2} maxRows={8} {...field} />
      )}
    </FormModal>
  );
}

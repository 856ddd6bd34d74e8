import { Badge, Button, Group, PasswordInput, Select, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Plus, Waypoints } from 'lucide-react';
import { useState } from 'react';
import { type ProviderKey, providerKeys } from './api';
import { api, result } from '../../api/client';
import { may, me } from '../../api/me';
import { providers } from '../agents/api';
import { date } from '../../format';
import { Empty, Page } from '../../ui/Page';
import { Confirm } from '../../ui/resource/Confirm';
import { FormModal } from '../../ui/resource/FormModal';
import { List } from '../../ui/resource/List';
import { useAction, useSave } from '../../ui/resource/save';
import { providerKeysTexts } from './texts';
import { texts } from '../../ui/texts';

const t = providerKeysTexts;

export function ProviderKeys() {
  const keys = useQuery(providerKeys);
  const catalogue = useQuery(providers).data?.items ?? [];
  const writes = may(useQuery(me).data?.scopes, 'provider-keys:write');
  const [adding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<ProviderKey>();
  const add = writes && (
    <Button leftSection={<Plus size={16} />} onClick={() => setAdding(true)}>
      {t.create}
    </Button>
  );
  const label = (k: ProviderKey) => catalogue.find((p) => p.name === k.provider_name)?.label ?? k.provider_name;
  const remove = useAction({
    send: (id: string) => result(api.DELETE('/api/v1/provider-keys/{id}', { params: { path: { id } } })),
    refresh: [providerKeys.queryKey],
    said: texts.resource.deleted,
    done: () => setDeleting(undefined),
  });
  const check = useAction({
    send: (id: string) => result(api.POST('/api/v1/provider-keys/{id}/check', { params: { path: { id } } })),
    done: ({ result: verdict, message: said }) =>
      notifications.show({
        title: t.verdicts[verdict],
        message: said || t.acceptedHint,
        color: { accepted: 'teal', refused: 'red' }[verdict as string] ?? 'yellow',
        autoClose: verdict === 'accepted' ? undefined : 12_000,
      }),
  });
  return (
    <Page title={t.title} lead={t.lead} actions={keys.data?.length ? add : undefined}>
      <List
        query={keys}
        empty={
          <Empty title={t.emptyTitle} action={add}>
            {t.empty}
          </Empty>
        }
      >
        {(k) => (
          <div key={k.id} className="row wraps">
            <Waypoints size={18} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
            <div className="grow">
              <Group gap={8} wrap="nowrap">
                <Text size="sm" fw={550} className="one-line">
                  {label(k)}
                </Text>
                {k.is_default && (
                  <Badge size="sm" variant="default" style={{ flex: 'none' }}>
                    {t.default}
                  </Badge>
                )}
              </Group>
              <Text size="xs" c="dimmed" className="one-line">
                {[t.kinds[k.provider_type], k.hint && t.hint(k.hint), k.base_url].filter(Boolean).join(' · ')}
              </Text>
            </div>
            <Text size="xs" c="dimmed" className="wide-only">
              {t.added(date(k.created_at))}
            </Text>
            {writes && (
              <Button
                size="xs"
                variant="default"
                loading={check.isPending && check.variables === k.id}
                onClick={() => check.mutate(k.id)}
                aria-label={`${t.check} ${label(k)}, ${t.hint(k.hint)}`}
              >
                {t.check}
              </Button>
            )}
            {writes && (
              <Button
                size="xs"
                variant="default"
                onClick={() => setDeleting(k)}
                aria-label={`${texts.resource.delete} ${label(k)}, ${t.hint(k.hint)}`}
              >
                {texts.resource.delete}
              </Button>
            )}
          </div>
        )}
      </List>
      {adding && <Add close={() => setAdding(false)} />}
      {deleting && (
        <Confirm
          title={t.deleteTitle(label(deleting))}
          confirm={texts.resource.delete}
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

function Add({ close }: { close: () => void }) {
  const catalogue = (useQuery(providers).data?.items ?? []).filter((p) => !p.demo);
  const form = useForm({
    initialValues: { provider_name: null as string | null, api_key: '', base_url: '', is_default: false },
  });
  const save = useSave(form, {
    send: ({ provider_name, api_key, base_url, is_default }) => {
      const [provider_type, name] = (provider_name ?? ':').split(':');
      return result(
        api.POST('/api/v1/provider-keys', {
          body: {
            provider_type: provider_type as ProviderKey['provider_type'], // the API refuses what is none
            provider_name: name,
            api_key: api_key.trim(),
            base_url: base_url.trim(),
            is_default,
          },
        }),
      );
    },
    refresh: [providerKeys.queryKey],
    said: t.saved,
    done: close,
  });
  const compatible = form.values.provider_name?.endsWith(':openai_compatible');
  const data = Object.entries(t.kinds).map(([kind, group]) => ({
    group,
    items: catalogue.filter((p) => p.kind === kind).map((p) => ({ value: `${kind}:${p.name}`, label: p.label })),
  }));
  return (
    <FormModal
      title={t.newTitle}
      saving={save.isPending}
      error={save.error}
      fields={['provider_name', 'provider_type', 'api_key', 'base_url', 'is_default']}
      size="md"
      onSubmit={() => save.mutate(form.getValues())}
      onClose={close}
    >
      <Select
        label={t.provider}
        required
        data={data}
        {...form.getInputProps('provider_name')}
        error={form.errors.provider_name ?? form.errors.provider_type}
        onChange={(chosen) => {
          form.clearFieldError('provider_type');
          form.setFieldValue('provider_name', chosen);
        }}
      />
      <PasswordInput
        label={t.key}
        description={compatible ? t.keyHintCompatible : t.keyHint}
        required={!compatible}
        autoComplete="off"
        {...form.getInputProps('api_key')}
      />
      <TextInput
        label={t.baseURL}
        description={compatible ? t.baseURLHintCompatible : t.baseURLHint}
        required={compatible}
        placeholder="https://models.example.com/v1"
        {...form.getInputProps('base_url')}
      />
      <Switch
        label={t.isDefault}
        description={t.isDefaultHint}
        {...form.getInputProps('is_default', { type: 'checkbox' })}
      />
    </FormModal>
  );
}

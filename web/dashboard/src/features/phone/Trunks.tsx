import {
  Badge,
  Button,
  Group,
  PasswordInput,
  Select,
  SimpleGrid,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Network, Plus } from 'lucide-react';
import { useState } from 'react';
import { phoneNumbers, type Trunk, trunks } from './api';
import { api, result } from '../../api/client';
import { mergePatch } from '../../api/patch';
import { phoneTexts } from './texts';
import { texts } from '../../ui/texts';
import { Empty } from '../../ui/Page';
import { Confirm } from '../../ui/resource/Confirm';
import { FormModal } from '../../ui/resource/FormModal';
import { List } from '../../ui/resource/List';
import { fromPairs, Pairs, toPairs } from '../../ui/resource/Pairs';
import { errorAt, useAction, useSave } from '../../ui/resource/save';

const t = phoneTexts;

/** Trunks lists the SIP trunks, and makes, changes and deletes them. */
export function Trunks({ writes }: { writes: boolean }) {
  const list = useQuery(trunks);
  const [editing, setEditing] = useState<Trunk | 'new'>();
  const [deleting, setDeleting] = useState<Trunk>();
  const create = writes && (
    <Button
      size={list.data?.length ? 'xs' : 'sm'}
      variant={list.data?.length ? 'default' : 'filled'}
      leftSection={<Plus size={16} />}
      onClick={() => setEditing('new')}
    >
      {t.newTrunk}
    </Button>
  );
  const remove = useAction({
    send: (id: string) => result(api.DELETE('/api/v1/sip-trunks/{id}', { params: { path: { id } } })),
    refresh: [trunks.queryKey, phoneNumbers.queryKey],
    said: texts.resource.deleted,
    done: () => setDeleting(undefined),
  });
  const check = useAction({
    send: (id: string) => result(api.POST('/api/v1/sip-trunks/{id}/check', { params: { path: { id } } })),
    done: ({ reached, sip_status, message: said }) =>
      notifications.show({
        title: reached ? t.reached(sip_status ?? 0) : t.notReached,
        message: said,
        color: reached ? 'teal' : 'red',
        autoClose: reached ? 6000 : 12_000,
      }),
  });
  return (
    <section aria-label={t.trunks} style={{ marginBottom: 28 }}>
      <Group justify="space-between" mb="xs">
        <Text component="h2" fw={600}>
          {t.trunks}
        </Text>
        {Boolean(list.data?.length) && create}
      </Group>
      <List
        query={list}
        empty={
          <Empty title={t.noTrunksTitle} action={create}>
            {t.noTrunks}
          </Empty>
        }
      >
        {(k) => (
          <div key={k.id} className="row wraps">
            <Network size={18} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
            <div className="grow">
              <Group gap={8} wrap="nowrap">
                <Text size="sm" fw={550} className="one-line">
                  {k.name}
                </Text>
                {k.is_default && (
                  <Badge size="sm" variant="default" style={{ flex: 'none' }}>
                    {t.default}
                  </Badge>
                )}
              </Group>
              <Text size="xs" c="dimmed" className="one-line">
                {k.address} · {k.transport.toUpperCase()}
                {k.caller_id ? ` · ${k.caller_id}` : ''}
              </Text>
            </div>
            {writes && (
              <Group gap={6} wrap="nowrap">
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`${t.check} ${k.name}`}
                  loading={check.isPending && check.variables === k.id}
                  onClick={() => check.mutate(k.id)}
                >
                  {t.check}
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`${texts.resource.edit} ${k.name}`}
                  onClick={() => setEditing(k)}
                >
                  {texts.resource.edit}
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`${texts.resource.delete} ${k.name}`}
                  onClick={() => setDeleting(k)}
                >
                  {texts.resource.delete}
                </Button>
              </Group>
            )}
          </div>
        )}
      </List>
      {editing && <TrunkForm now={editing === 'new' ? undefined : editing} close={() => setEditing(undefined)} />}
      {deleting && (
        <Confirm
          title={t.deleteTrunk(deleting.name)}
          confirm={texts.resource.delete}
          busy={remove.isPending}
          onConfirm={() => remove.mutate(deleting.id)}
          onClose={() => setDeleting(undefined)}
        >
          {t.deleteTrunkText}
        </Confirm>
      )}
    </section>
  );
}

const draftOf = (k?: Trunk) => ({
  name: k?.name ?? '',
  address: k?.address ?? '',
  transport: k?.transport ?? 'udp',
  username: k?.username ?? '',
  password: '',
  caller_id: k?.caller_id ?? '',
  headers: toPairs(k?.headers),
  allowed_addresses: (k?.allowed_addresses ?? []) as string[],
  media_encryption: k?.media_encryption ?? 'off',
  from_domain: k?.from_domain ?? '',
  identity: k?.identity ?? 'from',
  privacy: k?.privacy ?? 'none',
  default_country: k?.default_country ?? '',
  allow_uris: k?.allow_uris ?? false,
  headers_in: (k?.headers_in ?? []) as string[],
  headers_out: (k?.headers_out ?? []) as string[],
  accept_transfers: k?.accept_transfers ?? false,
  is_default: k?.is_default ?? false,
});

/** bodyOf is a draft as the API takes it: without a password the one that is kept stays. */
function bodyOf({
  username,
  password,
  caller_id,
  from_domain,
  default_country,
  headers,
  ...rest
}: ReturnType<typeof draftOf>) {
  return {
    ...rest,
    username: username || null,
    caller_id: caller_id || null,
    from_domain: from_domain || null,
    default_country: default_country || null,
    headers: fromPairs(headers),
    ...(password && { password }),
  };
}

function TrunkForm({ now, close }: { now?: Trunk; close: () => void }) {
  const form = useForm({ initialValues: draftOf(now) });
  const save = useSave(form, {
    send: (draft: ReturnType<typeof draftOf>) =>
      now
        ? result(
            api.PATCH('/api/v1/sip-trunks/{id}', {
              params: { path: { id: now.id } },
              body: mergePatch(bodyOf(draftOf(now)), bodyOf(draft)),
            }),
          )
        : result(api.POST('/api/v1/sip-trunks', { body: bodyOf(draft) })),
    refresh: [trunks.queryKey],
    said: texts.resource.saved,
    done: close,
  });
  const field = form.getInputProps;
  return (
    <FormModal
      title={now ? t.editTrunk : t.newTrunk}
      submit={now ? undefined : texts.resource.create}
      saving={save.isPending}
      error={save.error}
      fields={Object.keys(form.values)}
      onSubmit={() => save.mutate(form.getValues())}
      onClose={close}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={t.name} required data-autofocus {...field('name')} />
        <TextInput label={t.callerID} placeholder="+4930123456" title={t.callerIDHint} {...field('caller_id')} />
        <TextInput label={t.address} required placeholder="sip.example.com:5061" {...field('address')} />
        <Select
          label={t.transport}
          allowDeselect={false}
          data={[
            { value: 'udp', label: 'UDP' },
            { value: 'tcp', label: 'TCP' },
            { value: 'tls', label: 'TLS' },
          ]}
          {...field('transport')}
        />
        <TextInput label={t.username} autoComplete="off" {...field('username')} />
        <Select
          label={t.encryption}
          allowDeselect={false}
          data={Object.entries(t.encryptions).map(([value, label]) => ({ value, label }))}
          {...field('media_encryption')}
        />
      </SimpleGrid>
      <PasswordInput
        label={t.password}
        description={now?.has_password ? t.passwordKept : t.passwordHint}
        autoComplete="new-password"
        {...field('password')}
      />
      <TagsInput
        label={t.addresses}
        description={t.addressesHint}
        placeholder={form.values.allowed_addresses.length ? undefined : '203.0.113.0/24'}
        {...field('allowed_addresses')}
        error={errorAt(form.errors, 'allowed_addresses')}
      />
      <Pairs
        label={t.headers}
        description={t.headersHint}
        value={form.values.headers}
        error={errorAt(form.errors, 'headers')}
        onChange={(headers) => form.setFieldValue('headers', headers)}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t.country}
          placeholder="US"
          maxLength={2}
          description={t.countryHint}
          {...field('default_country')}
        />
        <TextInput
          label={t.fromDomain}
          placeholder="acme.example"
          description={t.fromDomainHint}
          {...field('from_domain')}
        />
        <Select
          label={t.identity}
          allowDeselect={false}
          data={Object.entries(t.identities).map(([value, label]) => ({ value, label }))}
          {...field('identity')}
        />
        <Select
          label={t.privacy}
          allowDeselect={false}
          data={Object.entries(t.privacies).map(([value, label]) => ({ value, label }))}
          {...field('privacy')}
        />
      </SimpleGrid>
      <TagsInput
        label={t.headersIn}
        description={t.headersInHint}
        placeholder={form.values.headers_in.length ? undefined : 'X-Account'}
        {...field('headers_in')}
        error={errorAt(form.errors, 'headers_in')}
      />
      <TagsInput
        label={t.headersOut}
        description={t.headersOutHint}
        placeholder={form.values.headers_out.length ? undefined : 'X-Order'}
        {...field('headers_out')}
        error={errorAt(form.errors, 'headers_out')}
      />
      <Switch label={t.allowURIs} {...form.getInputProps('allow_uris', { type: 'checkbox' })} />
      <Switch
        label={t.transfers}
        description={t.transfersHint}
        {...form.getInputProps('accept_transfers', { type: 'checkbox' })}
      />
      <Switch label={t.isDefault} {...form.getInputProps('is_default', { type: 'checkbox' })} />
    </FormModal>
  );
}

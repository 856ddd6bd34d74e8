import { Button, Group, NumberInput, Select, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Phone, Plus } from 'lucide-react';
import { useState } from 'react';
import { type PhoneNumber, phoneNumbers, trunks } from './api';
import { api, result } from '../../api/client';
import { agents } from '../agents/api';
import { may, me } from '../../api/me';
import { workflows } from '../workflows/api';
import { phoneTexts } from './texts';
import { texts } from '../../ui/texts';
import { Empty } from '../../ui/Page';
import { Confirm } from '../../ui/resource/Confirm';
import { FormModal } from '../../ui/resource/FormModal';
import { List } from '../../ui/resource/List';
import { useAction, useSave } from '../../ui/resource/save';

const t = phoneTexts;

/** Numbers lists the phone numbers that are answered, and makes, changes and deletes them. */
export function Numbers({ writes }: { writes: boolean }) {
  const list = useQuery(phoneNumbers);
  const known = useQuery(trunks).data ?? [];
  const [adding, setAdding] = useState(false);
  const [editing, setEditing] = useState<PhoneNumber>();
  const [deleting, setDeleting] = useState<PhoneNumber>();
  const create = writes && (
    <Button
      size={list.data?.length ? 'xs' : 'sm'}
      variant={list.data?.length ? 'default' : 'filled'}
      leftSection={<Plus size={16} />}
      onClick={() => setAdding(true)}
    >
      {t.newNumber}
    </Button>
  );
  const remove = useAction({
    send: (id: string) => result(api.DELETE('/api/v1/phone-numbers/{id}', { params: { path: { id } } })),
    refresh: [phoneNumbers.queryKey],
    said: texts.resource.deleted,
    done: () => setDeleting(undefined),
  });
  return (
    <section aria-label={t.numbers}>
      <Group justify="space-between" mb="xs">
        <Text component="h2" fw={600}>
          {t.numbers}
        </Text>
        {Boolean(list.data?.length) && create}
      </Group>
      <List
        query={list}
        empty={
          <Empty title={t.noNumbersTitle} action={create}>
            {t.noNumbers}
          </Empty>
        }
      >
        {(n) => (
          <div key={n.id} className="row">
            <Phone size={18} color="var(--quiet)" aria-hidden style={{ flex: 'none' }} />
            <div className="grow">
              <Text size="sm" fw={550} className="numbers">
                {n.number}
              </Text>
              <Text size="xs" c="dimmed" className="one-line">
                {t.answeredBy(n.agent_name ?? n.workflow_slug ?? '–')} ·{' '}
                {t.via(known.find((k) => k.id === n.trunk_id)?.name ?? t.platform)}
              </Text>
            </div>
            {writes && (
              <>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`${texts.resource.edit} ${n.number}`}
                  onClick={() => setEditing(n)}
                >
                  {texts.resource.edit}
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`${texts.resource.delete} ${n.number}`}
                  onClick={() => setDeleting(n)}
                >
                  {texts.resource.delete}
                </Button>
              </>
            )}
          </div>
        )}
      </List>
      {adding && <NumberForm close={() => setAdding(false)} />}
      {editing && <NumberForm number={editing} close={() => setEditing(undefined)} />}
      {deleting && (
        <Confirm
          title={t.deleteNumber(deleting.number)}
          confirm={texts.resource.delete}
          busy={remove.isPending}
          onConfirm={() => remove.mutate(deleting.id)}
          onClose={() => setDeleting(undefined)}
        >
          {t.deleteNumberText}
        </Confirm>
      )}
    </section>
  );
}

/** NumberForm makes a phone number, or changes who answers it. */
function NumberForm({ number: stored, close }: { number?: PhoneNumber; close: () => void }) {
  const scopes = useQuery(me).data?.scopes;
  const known = useQuery(trunks).data ?? [];
  const found = useQuery({ ...agents, enabled: may(scopes, 'agents:read') }).data ?? [];
  const flows = useQuery({ ...workflows, enabled: may(scopes, 'workflows:read') }).data ?? [];
  const form = useForm({
    initialValues: {
      number: '',
      trunk_id: known[0]?.id ?? (null as string | null),
      answers: stored ? answersOf(stored) : (null as string | null),
      call_hook: {
        url: stored?.call_hook?.url ?? '',
        timeout_ms: stored?.call_hook?.timeout_ms,
        on_failure: stored?.call_hook?.on_failure ?? ('default' as const),
      },
    },
  });
  const hooked = form.values.call_hook.url.trim() !== '';
  const save = useSave(form, {
    send: ({ number, trunk_id, answers, call_hook }) => {
      const [kind = '', ...name] = (answers ?? '').split(':');
      const target = kind && { [kind]: name.join(':') };
      const hook = hooked ? { ...call_hook, url: call_hook.url.trim() } : undefined;
      if (stored) {
        return result(
          api.PATCH('/api/v1/phone-numbers/{id}', {
            params: { path: { id: stored.id } },
            body: { ...target, call_hook: hook ?? null },
          }),
        );
      }
      return result(
        api.POST('/api/v1/phone-numbers', {
          body: {
            number: number.replace(/[\s()-]/g, ''),
            trunk_id: trunk_id ?? undefined,
            call_hook: hook,
            ...target,
          },
        }),
      );
    },
    refresh: [phoneNumbers.queryKey],
    said: texts.resource.saved,
    done: close,
  });
  const choices = [
    { group: t.agent, items: found.map((a) => ({ value: `agent_name:${a.name}`, label: a.display_name || a.name })) },
    { group: t.workflow, items: flows.map((w) => ({ value: `workflow_slug:${w.slug}`, label: w.name || w.slug })) },
  ];
  const answersError = form.errors.answers ?? form.errors.agent_name ?? form.errors.workflow_slug;
  return (
    <FormModal
      title={stored?.number ?? t.newNumber}
      submit={stored ? texts.resource.save : texts.resource.create}
      saving={save.isPending}
      error={save.error}
      fields={['number', 'trunk_id', 'agent_name', 'workflow_slug', 'call_hook']}
      size="md"
      onSubmit={() => save.mutate(form.getValues())}
      onClose={close}
    >
      {!stored && (
        <>
          <TextInput
            label={t.number}
            description={t.numberHint}
            type="tel"
            required
            data-autofocus
            {...form.getInputProps('number')}
          />
          <Select
            label={t.trunk}
            placeholder={t.platform}
            clearable
            clearButtonProps={{ 'aria-label': t.platform }}
            data={known.map((k) => ({ value: k.id, label: k.name }))}
            {...form.getInputProps('trunk_id')}
          />
        </>
      )}
      <Select label={t.answers} required data={choices} {...form.getInputProps('answers')} error={answersError} />
      <TextInput label={t.hook} description={t.hookHint} type="url" {...form.getInputProps('call_hook.url')} />
      {hooked && (
        <>
          <NumberInput
            label={t.hookTimeout}
            placeholder="1500"
            min={100}
            max={4000}
            {...form.getInputProps('call_hook.timeout_ms')}
            onChange={(v) => form.setFieldValue('call_hook.timeout_ms', v === '' ? undefined : Number(v))}
          />
          <Switch
            label={t.hookRejects}
            checked={form.values.call_hook.on_failure === 'reject'}
            onChange={(e) => form.setFieldValue('call_hook.on_failure', e.currentTarget.checked ? 'reject' : 'default')}
          />
        </>
      )}
    </FormModal>
  );
}

/** answersOf is the value of the choice that answers a number. */
const answersOf = (n: PhoneNumber) =>
  n.agent_name ? `agent_name:${n.agent_name}` : `workflow_slug:${n.workflow_slug}`;

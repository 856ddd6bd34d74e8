import {
  Checkbox,
  Group,
  NumberInput,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { deliveryLog, type Webhook, webhooks } from './api';
import { api, result } from '../../api/client';
import { may, me } from '../../api/me';
import { mergePatch } from '../../api/patch';
import { webhooksTexts } from './texts';
import { texts } from '../../ui/texts';
import { eventTypes } from './events';
import { FormModal } from '../../ui/resource/FormModal';
import { Pairs } from '../../ui/resource/Pairs';
import { errorAt, useSave } from '../../ui/resource/save';
import { bodyOf, type Settings as Draft, settingsOf } from './settings';

const t = webhooksTexts;

/** Settings makes the webhook, or changes it; created is called with the secret of a new one. */
export function Settings({
  now,
  created,
  close,
}: {
  now: Webhook | null;
  created: (secret: string) => void;
  close: () => void;
}) {
  const readsCalls = may(useQuery(me).data?.scopes, 'calls:read');
  const form = useForm<Draft>({ initialValues: settingsOf(now) });
  const save = useSave(form, {
    send: (draft: Draft) => {
      const body = bodyOf(draft);
      return now
        ? result(
            api.PATCH('/api/v1/webhook-endpoints/{id}', {
              params: { path: { id: now.id } },
              body: mergePatch(bodyOf(settingsOf(now)), body),
            }),
          )
        : result(
            api.POST('/api/v1/webhook-endpoints', {
              body: {
                ...body,
                filter: { ...body.filter, events: body.filter.events ?? undefined },
                max_retries: body.max_retries ?? undefined,
                timeout: body.timeout ?? undefined,
              },
            }),
          );
    },
    refresh: [webhooks.queryKey, deliveryLog({}).queryKey.slice(0, 1)],
    said: now ? texts.resource.saved : undefined,
    done: (kept) => {
      close();
      if (kept.secret) created(kept.secret);
    },
  });
  const v = form.values;
  const include = (
    key: 'include_transcript' | 'include_context' | 'include_metrics' | 'include_page',
    label: string,
    hint: string,
    needsCalls: boolean,
  ) => (
    <Switch
      label={label}
      description={needsCalls && !readsCalls ? t.needsCalls : hint}
      disabled={needsCalls && !readsCalls && !v[key]}
      checked={v[key]}
      error={form.errors[`filter.${key}`]}
      onChange={(e) => form.setFieldValue(key, e.currentTarget.checked)}
    />
  );
  return (
    <FormModal
      title={now ? t.editTitle : t.newTitle}
      submit={now ? texts.resource.save : t.create}
      saving={save.isPending}
      error={save.error}
      fields={['url', 'filter', 'headers', 'max_retries', 'timeout']}
      onSubmit={() => save.mutate(form.getValues())}
      onClose={close}
    >
      <TextInput
        label={t.url}
        description={t.urlHint}
        required
        type="url"
        placeholder="https://"
        data-autofocus
        {...form.getInputProps('url')}
      />
      <Checkbox.Group
        label={t.events}
        description={t.eventsHint}
        value={v.events}
        onChange={(events) => form.setFieldValue('events', events)}
        error={errorAt(form.errors, 'filter.events')}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={8} mt={8}>
          {eventTypes.map((e) => (
            <Checkbox key={e} value={e} label={e} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <TagsInput
        label={t.workflows}
        description={t.workflowsHint}
        value={v.workflows}
        onChange={(names) => form.setFieldValue('workflows', names)}
        error={errorAt(form.errors, 'filter.workflows')}
      />
      <TagsInput
        label={t.agents}
        description={t.agentsHint}
        value={v.agents}
        onChange={(names) => form.setFieldValue('agents', names)}
        error={errorAt(form.errors, 'filter.agents')}
      />
      <Stack gap={10} role="group" aria-label={t.include}>
        <div className="label">{t.include}</div>
        {include('include_transcript', t.transcript, t.transcriptHint, true)}
        {include('include_context', t.context, t.contextHint, true)}
        {include('include_metrics', t.metrics, t.metricsHint, false)}
        {include('include_page', t.page, t.pageHint, true)}
      </Stack>
      <Radio.Group label={t.retry} {...form.getInputProps('retry_policy')}>
        <Stack gap={10} mt={8}>
          <Radio value="extended" label={t.extended} description={t.extendedHint} />
          <Radio value="standard" label={t.standard} description={t.standardHint} />
        </Stack>
      </Radio.Group>
      <Group gap="sm" align="flex-end" grow preventGrowOverflow={false}>
        {v.retry_policy === 'standard' && (
          <NumberInput
            label={t.maxRetries}
            min={1}
            max={20}
            clampBehavior="none"
            miw={120}
            {...form.getInputProps('max_retries')}
          />
        )}
        <NumberInput
          label={t.timeout}
          suffix=" s"
          min={1}
          max={60}
          clampBehavior="none"
          miw={120}
          {...form.getInputProps('timeout')}
        />
        <Select
          label={t.format}
          miw={160}
          allowDeselect={false}
          data={Object.entries(t.formats).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps('payload_format')}
        />
      </Group>
      <Pairs
        label={t.headers}
        description={t.headersHint}
        error={errorAt(form.errors, 'headers')}
        value={v.headers}
        onChange={(headers) => form.setFieldValue('headers', headers)}
      />
    </FormModal>
  );
}

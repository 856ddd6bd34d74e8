import { NumberInput, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { type APIKey, apiKeys } from './api';
import { api, result } from '../../api/client';
import { mayGrant, me } from '../../api/me';
import { apiKeysTexts } from './texts';
import { texts } from '../../ui/texts';
import { ScopeChoice } from '../../ui/resource/ScopeChoice';
import { scopesTexts } from '../../ui/scopes';
import { FormModal } from '../../ui/resource/FormModal';
import { errorAt, useSave } from '../../ui/resource/save';

const t = apiKeysTexts;

/** NewKey makes a key with scopes that its maker holds. */
export function NewKey({ created, close }: { created: (secret: string) => void; close: () => void }) {
  const scopes = useQuery(me).data?.scopes;
  const form = useForm({
    initialValues: {
      name: '',
      environment: 'live' as APIKey['environment'],
      all: 'chosen',
      scopes: ['calls:read', 'calls:write'].filter((s) => mayGrant(scopes, s)),
      rate_limit: 600 as number | string,
    },
  });
  const save = useSave(form, {
    send: (v) => {
      const body = {
        name: v.name.trim(),
        environment: v.environment,
        scopes: v.all === 'all' ? ['*'] : v.scopes,
        rate_limit: v.rate_limit === '' ? undefined : Number(v.rate_limit),
      };
      return result(api.POST('/api/v1/auth/api-keys', { body }));
    },
    refresh: [apiKeys.queryKey],
    done: (made) => {
      close();
      created(made.key);
    },
  });
  const v = form.values;
  return (
    <FormModal
      title={t.newTitle}
      submit={texts.resource.create}
      saving={save.isPending}
      error={save.error}
      fields={['name', 'environment', 'scopes', 'rate_limit']}
      onSubmit={() => save.mutate(form.getValues())}
      onClose={close}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t.name}
          placeholder={t.namePlaceholder}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <NumberInput label={t.rateLimit} min={1} clampBehavior="none" {...form.getInputProps('rate_limit')} />
      </SimpleGrid>
      <Radio.Group label={t.environment} {...form.getInputProps('environment')}>
        <Stack gap={10} mt={8}>
          <Radio value="live" label={t.live} description={t.liveHint} />
          <Radio value="test" label={t.test} description={t.testHint} />
        </Stack>
      </Radio.Group>
      <Radio.Group
        label={t.scopes}
        description={t.scopesHint}
        {...form.getInputProps('all')}
        error={errorAt(form.errors, 'scopes')}
      >
        <Stack gap={10} mt={8}>
          <Radio value="chosen" label={scopesTexts.chosen} />
          {mayGrant(scopes, '*') && <Radio value="all" label={scopesTexts.full} description={scopesTexts.fullHint} />}
        </Stack>
      </Radio.Group>
      {v.all === 'chosen' && (
        <ScopeChoice label={t.scopes} value={v.scopes} onChange={(chosen) => form.setFieldValue('scopes', chosen)} />
      )}
    </FormModal>
  );
}

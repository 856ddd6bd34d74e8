import { NumberInput, Select, SimpleGrid, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { type PublicToken, publicTokens } from './api';
import { api, result } from '../../api/client';
import { agents } from '../agents/api';
import { workflows } from '../workflows/api';
import { FormModal } from '../../ui/resource/FormModal';
import { errorAt, useSave } from '../../ui/resource/save';
import { texts } from '../../ui/texts';
import { embedTexts } from './texts';

const t = embedTexts;

/** NewToken makes the public token of a web site. */
export function NewToken({ made, close }: { made: (token: PublicToken) => void; close: () => void }) {
  const flows = useQuery(workflows).data ?? [];
  const names = useQuery(agents).data ?? [];
  const form = useForm({
    initialValues: {
      target: '',
      origins: [location.origin],
      per_minute: 6 as number | string,
      per_day: 1000 as number | string,
      max_seconds: 300 as number | string,
      user_context_keys: [] as string[],
    },
  });
  const number = (value: number | string) => (value === '' ? undefined : Number(value));
  const save = useSave(form, {
    send: ({ target, ...v }) => {
      const [kind, name] = [target.slice(0, 1), target.slice(1)];
      const body = {
        ...v,
        workflow_slug: kind === 'w' ? name : null,
        agent_name: kind === 'a' ? name : null,
        per_minute: number(v.per_minute),
        per_day: number(v.per_day),
        max_seconds: number(v.max_seconds),
      };
      return result(api.POST('/api/v1/public-tokens', { body }));
    },
    refresh: [publicTokens.queryKey],
    done: (token) => {
      close();
      made(token);
    },
  });
  const problem = errorAt(form.errors, 'workflow_slug') ?? errorAt(form.errors, 'agent_name');
  return (
    <FormModal
      title={t.newTitle}
      submit={texts.resource.create}
      saving={save.isPending}
      error={save.error}
      fields={['workflow_slug', 'agent_name', 'origins', 'per_minute', 'per_day', 'max_seconds', 'user_context_keys']}
      onSubmit={() => save.mutate(form.getValues())}
      onClose={close}
    >
      <Select
        label={t.target}
        required
        searchable
        data-autofocus
        data={[
          { group: t.workflow, items: flows.map((f) => ({ value: `w${f.slug}`, label: f.name })) },
          { group: t.agent, items: names.map((a) => ({ value: `a${a.name}`, label: a.display_name || a.name })) },
        ]}
        {...form.getInputProps('target')}
        error={problem}
      />
      <TagsInput
        label={t.origins}
        description={t.originsHint}
        required
        {...form.getInputProps('origins')}
        error={errorAt(form.errors, 'origins')}
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <NumberInput label={t.perMinute} min={1} clampBehavior="none" {...form.getInputProps('per_minute')} />
        <NumberInput label={t.perDay} min={1} clampBehavior="none" {...form.getInputProps('per_day')} />
        <NumberInput label={t.maxSeconds} min={10} clampBehavior="none" {...form.getInputProps('max_seconds')} />
      </SimpleGrid>
      <TagsInput
        label={t.contextKeys}
        {...form.getInputProps('user_context_keys')}
        error={errorAt(form.errors, 'user_context_keys')}
      />
    </FormModal>
  );
}

import { Autocomplete, Fieldset, MultiSelect, NumberInput, Select, SimpleGrid, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { prompts } from '../api/admin';
import { agents, may, me, providers, tools } from '../api/queries';
import type { Draft } from '../config';
import { templateCompletions, templatePaths } from '../template';
import { texts } from '../texts';
import { CompletedText } from './CompletedText';

const t = texts.editor;

/** AgentForm has the fields of an agent, with the choices of the catalogue. */
export function AgentForm({ form, isNew, readOnly }: { form: UseFormReturnType<Draft>; isNew: boolean; readOnly: boolean }) {
  const scopes = useQuery(me).data?.scopes;
  const catalogue = useQuery(providers).data?.items ?? [];
  const others = useQuery(agents).data ?? [];
  const known = useQuery({ ...tools, enabled: may(scopes, 'tools:read') }).data ?? [];
  const { config, name } = form.values;
  const field = (path: string) => {
    const props = form.getInputProps(path);
    return { ...props, value: props.value ?? '', readOnly };
  };
  const slugs = (useQuery({ ...prompts, enabled: may(scopes, 'prompts:read') }).data ?? []).map((p) => `prompt.${p.slug}`);
  const paths = templatePaths([config.prompt.system ?? '', config.prompt.greeting ?? '']);
  const complete = (text: string, caret: number) => templateCompletions(text, caret, [...paths, ...slugs]);
  const choices = (kind: string, now: string) => {
    const data = catalogue.filter((p) => p.kind === kind).map((p) => ({ value: p.name, label: p.label }));
    return now && !data.some((d) => d.value === now) ? [...data, { value: now, label: now }] : data;
  };
  const chosen = (kind: string, provider: string) => catalogue.find((p) => p.kind === kind && p.name === provider);
  const provider = (kind: 'stt' | 'tts' | 'llm') => ({
    label: t.provider,
    data: choices(kind, config[kind].provider),
    value: config[kind].provider,
    error: form.errors[`config.${kind}.provider`],
    allowDeselect: false,
    readOnly,
    onChange: (value: string | null) => {
      const found = chosen(kind, value ?? '');
      form.setFieldValue(`config.${kind}.provider`, value ?? '');
      if (kind === 'tts') {
        form.setFieldValue('config.tts.voice_id', found?.voices?.[0] ?? '');
        form.setFieldValue('config.tts.model', '');
      }
      else form.setFieldValue(`config.${kind}.model`, found?.models?.[0] ?? '');
    },
  });
  const handoffs = config.handoffs ?? [];
  const names = [...new Set([...others.map((a) => a.name).filter((n) => n !== name), ...handoffs.map((h) => h.target_agent)])];
  const handoffError = Object.entries(form.errors).find(([path]) => path.startsWith('config.handoffs'))?.[1];
  return (
    <Stack gap="md">
      <Fieldset className="panel" p="lg">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {isNew && <TextInput label={t.name} description={t.nameHint} required {...field('name')} />}
          <TextInput label={t.displayName} {...field('display_name')} styles={isNew ? { root: { alignSelf: 'end' } } : undefined} />
        </SimpleGrid>
      </Fieldset>
      <Fieldset className="panel" p="lg">
        <Text component="h2" fw={600} mb="sm">{t.prompt}</Text>
        <Stack>
          <CompletedText label={t.system} description={t.systemHint} required autosize minRows={8} maxRows={24} {...field('config.prompt.system')} complete={complete} />
          <CompletedText label={t.greeting} description={t.greetingHint} autosize minRows={2} maxRows={8} {...field('config.prompt.greeting')} complete={complete} />
        </Stack>
      </Fieldset>
      <Fieldset className="panel" p="lg">
        <Text component="h2" fw={600} mb="sm">{t.providers}</Text>
        <Stack gap="lg">
          <div role="group" aria-label={t.stt}>
            <Text size="sm" c="dimmed" mb={6}>{t.stt}</Text>
            <SimpleGrid cols={{ base: 1, xs: 3 }}>
              <Select {...provider('stt')} />
              <Autocomplete label={t.model} data={chosen('stt', config.stt.provider)?.models ?? []} {...field('config.stt.model')} />
              <TextInput label={t.language} placeholder="en" {...field('config.stt.language')} />
            </SimpleGrid>
          </div>
          <div role="group" aria-label={t.tts}>
            <Text size="sm" c="dimmed" mb={6}>{t.tts}</Text>
            <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
              <Select {...provider('tts')} />
              <Autocomplete label={t.model} data={chosen('tts', config.tts.provider)?.models ?? []} placeholder={chosen('tts', config.tts.provider)?.models?.[0]} {...field('config.tts.model')} />
              <Autocomplete label={t.voice} data={chosen('tts', config.tts.provider)?.voices ?? []} {...field('config.tts.voice_id')} />
              <NumberInput label={t.speed} placeholder="1" min={0.25} max={4} step={0.05} clampBehavior="none" {...field('config.tts.speed')} />
            </SimpleGrid>
          </div>
          <div role="group" aria-label={t.llm}>
            <Text size="sm" c="dimmed" mb={6}>{t.llm}</Text>
            <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
              <Select {...provider('llm')} />
              <Autocomplete label={t.model} data={chosen('llm', config.llm.provider)?.models ?? []} {...field('config.llm.model')} />
              <NumberInput label={t.temperature} min={0} max={2} step={0.1} clampBehavior="none" {...field('config.llm.temperature')} />
              <NumberInput label={t.maxTokens} min={1} step={50} clampBehavior="none" {...field('config.llm.max_tokens')} />
            </SimpleGrid>
          </div>
        </Stack>
      </Fieldset>
      <Fieldset className="panel" p="lg">
        <Stack>
          <MultiSelect
            label={t.handoffs} description={t.handoffsHint} data={names} searchable readOnly={readOnly} value={handoffs.map((h) => h.target_agent)} error={handoffError} placeholder={handoffs.length ? undefined : texts.common.none}
            onChange={(targets) => form.setFieldValue('config.handoffs', targets.map((target) => handoffs.find((h) => h.target_agent === target) ?? { target_agent: target }))}
          />
          <TagsInput
            label={t.tools} description={t.toolsHint} data={known.map((k) => k.name)} readOnly={readOnly} value={config.tools ?? []} error={form.errors['config.tools'] ?? form.errors['config.tools.0']} placeholder={config.tools?.length ? undefined : texts.common.none}
            onChange={(value) => form.setFieldValue('config.tools', value)}
          />
          <Switch
            label={t.recording} description={t.recordingHint} disabled={readOnly} checked={config.recording ?? false}
            onChange={(e) => form.setFieldValue('config.recording', e.currentTarget.checked || (undefined as never))}
          />
        </Stack>
      </Fieldset>
      <Fieldset className="panel" p="lg">
        <Text component="h2" fw={600}>{t.turn}</Text>
        <Text size="sm" c="dimmed" mb="sm">{t.turnHint}</Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {Object.entries(texts.turn).map(([key, [label, description]]) => (
            <NumberInput key={key} label={label} description={description} suffix=" ms" step={50} min={0} clampBehavior="none" placeholder={`${defaults[key]} ms`} styles={{ root: { display: 'flex', flexDirection: 'column', justifyContent: 'flex-end' } }} {...field(`config.turn.${key}`)} />
          ))}
        </SimpleGrid>
      </Fieldset>
    </Stack>
  );
}

/** Defaults of turn-taking, as docs/turn-taking.md has them. */
const defaults: Record<string, number> = {
  endpoint_complete_ms: 300,
  endpoint_default_ms: 600,
  endpoint_unfinished_ms: 1200,
  pause_after_ms: 160,
  interrupt_after_ms: 500,
  resume_after_ms: 400,
  silence_prompt_after_ms: 10_000,
  budget_ms: 2500,
};

import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { chosen, modelOf, type Parameter, parameterOf, type Provider } from './catalogue';
import { editorTexts } from './texts';
import { texts } from '../../ui/texts';
import { fromPairs, type Pair, Pairs, toPairs } from '../../ui/resource/Pairs';
import { errorAt } from '../../ui/resource/save';

const t = editorTexts;
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** ProviderForm is what the fields of a provider need of a form, whatever else it holds. */
export interface ProviderForm {
  getInputProps: UseFormReturnType<Record<string, unknown>>['getInputProps'];
  setFieldValue: (path: string, value: unknown) => void;
  errors: Record<string, ReactNode>;
}

export interface FormProps {
  form: ProviderForm;
  catalogue: Provider[];
  readOnly: boolean;
}

/** choices are the providers of a kind, and the one that an agent has though the catalogue does not. */
export function choices(catalogue: Provider[], kind: string, now: string) {
  const data = catalogue.filter((p) => p.kind === kind).map((p) => ({ value: p.name, label: p.label }));
  return now && !data.some((d) => d.value === now) ? [...data, { value: now, label: now }] : data;
}

/** ModelNotes says what stands in the way of a provider or a model. */
export function ModelNotes({ provider, model }: { provider?: Provider; model: string }) {
  const known = modelOf(provider, model);
  const off = known?.shutdown_date ?? '';
  const notes = [
    provider?.lacks && provider.lacks[0].toUpperCase() + provider.lacks.slice(1) + '.',
    known?.status === 'deprecated' && t.modelEnds(off),
    known?.status === 'shut_down' && t.modelEnded,
  ].filter(Boolean);
  return notes.map((note) => (
    <Text key={String(note)} size="xs" c="dimmed" mt={6}>
      {note}
    </Text>
  ));
}

/**
 * ProviderFields has the settings of one kind of provider at a path of the form, those that the chosen model takes, and the fallback's.
 * With basic, it has none of those that only the provider of an agent has, and not its fallback.
 */
export function ProviderFields({
  kind,
  path,
  form,
  catalogue,
  readOnly,
  clearable,
  basic = false,
}: FormProps & { kind: 'stt' | 'tts' | 'llm'; path: string; clearable: boolean; basic?: boolean }) {
  const field = (name: string) => {
    const props = form.getInputProps(`${path}.${name}`);
    return { ...props, value: props.value ?? '', readOnly };
  };
  const name: string = field('provider').value;
  const model: string = field('model').value;
  const provider = chosen(catalogue, kind, name);
  /** setting has the properties of a field for a setting; undefined if the model does not take it and the agent does not have it. */
  const setting = (key: Parameter['name']) => {
    const props = field(key);
    const parameter = parameterOf(provider, model, key);
    if (!parameter && (props.value === '' || props.value.length === 0)) return undefined;
    return { parameter: parameter || undefined, props: { ...props, description: parameter ? undefined : t.notTaken } };
  };
  const pick = (value: string | null) => {
    const found = chosen(catalogue, kind, value ?? '');
    if (!value) form.setFieldValue(path, kind === 'tts' ? { provider: '', voice_id: '' } : { provider: '', model: '' });
    else {
      form.setFieldValue(`${path}.provider`, value);
      form.setFieldValue(`${path}.model`, kind === 'tts' ? '' : (found?.models?.[0] ?? ''));
      if (kind === 'tts') form.setFieldValue(`${path}.voice_id`, found?.voices?.[0] ?? '');
    }
  };
  const number = (
    key: 'temperature' | 'max_tokens' | 'speed',
    label: string,
    least: number,
    most: number | undefined,
    step: number,
    placeholder?: string,
  ) => {
    const found = setting(key);
    return (
      found && (
        <NumberInput
          label={label}
          min={found.parameter?.minimum ?? least}
          max={found.parameter?.maximum ?? most}
          step={step}
          clampBehavior="none"
          placeholder={placeholder}
          {...found.props}
        />
      )
    );
  };
  const [effort, emotion, terms] = (['reasoning_effort', 'emotion', 'key_terms'] as const).map(setting);
  const normalization = field('text_normalization');
  const optional = { placeholder: t.default, clearable: !readOnly };
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: kind === 'stt' ? 3 : 4 }} style={{ alignItems: 'end' }}>
        <Select
          label={t.provider}
          data={choices(catalogue, kind, name)}
          {...field('provider')}
          value={name || null}
          placeholder={texts.common.none}
          clearable={clearable && !readOnly}
          allowDeselect={false}
          onChange={pick}
        />
        <Autocomplete
          label={t.model}
          data={provider?.models ?? []}
          placeholder={kind === 'tts' ? provider?.models?.[0] : undefined}
          {...field('model')}
        />
        {kind === 'stt' && (
          <Autocomplete
            label={t.language}
            placeholder="en"
            data={modelOf(provider, model)?.languages ?? []}
            limit={100}
            {...field('language')}
          />
        )}
        {kind === 'tts' && <Autocomplete label={t.voice} data={provider?.voices ?? []} {...field('voice_id')} />}
        {kind === 'tts' && number('speed', t.speed, 0.25, 4, 0.05, '1')}
        {kind === 'tts' && emotion && (
          <Autocomplete label={t.emotion} data={emotion.parameter?.values ?? []} {...optional} {...emotion.props} />
        )}
        {kind === 'tts' && (
          <Select
            label={t.normalization}
            data={['auto', 'on', 'off'].map((value) => ({ value, label: t.normalizations[value] }))}
            {...optional}
            {...normalization}
            value={normalization.value || null}
          />
        )}
        {kind === 'llm' && number('temperature', t.temperature, 0, 2, 0.1)}
        {kind === 'llm' && number('max_tokens', t.maxTokens, 1, undefined, 50)}
        {kind === 'llm' && effort && (
          <Select
            label={t.effort}
            data={effort.parameter?.values ?? efforts}
            {...optional}
            {...effort.props}
            value={effort.props.value || null}
          />
        )}
        {kind === 'llm' && !basic && (
          <NumberInput
            label={t.firstToken}
            suffix=" ms"
            min={500}
            max={60_000}
            step={500}
            clampBehavior="none"
            placeholder={field('fallback').value ? '8000 ms' : '10000 ms'}
            {...field('first_token_timeout_ms')}
          />
        )}
      </SimpleGrid>
      {kind === 'stt' && !basic && terms && (
        <TagsInput
          mt="sm"
          label={t.keyTerms}
          maxTags={terms.parameter?.max_items ?? 100}
          {...terms.props}
          value={terms.props.value || []}
          description={terms.props.description ?? t.keyTermsHint}
          placeholder={terms.props.value.length ? undefined : texts.common.none}
        />
      )}
      {kind === 'tts' && !basic && name !== '' && (
        <Pronunciations path={`${path}.pronunciations`} form={form} readOnly={readOnly} />
      )}
      <ModelNotes provider={provider} model={model} />
      {!basic && name !== '' && (
        <Fallback kind={kind} path={`${path}.fallback`} form={form} catalogue={catalogue} readOnly={readOnly} />
      )}
    </>
  );
}

/** Pronunciations are words and how the voice speaks them. Rows without a word are kept while they are edited. */
function Pronunciations({ path, form, readOnly }: Pick<FormProps, 'form' | 'readOnly'> & { path: string }) {
  const words: Record<string, string> = form.getInputProps(path).value ?? {};
  const [rows, setRows] = useState<Pair[]>(toPairs(words));
  const value = JSON.stringify(fromPairs(rows)) === JSON.stringify(words) ? rows : toPairs(words);
  const change = (pairs: Pair[]) => {
    setRows(pairs);
    form.getInputProps(path).onChange(fromPairs(pairs));
  };
  return (
    <div style={{ marginTop: 12 }}>
      <Pairs
        label={t.pronunciations}
        description={t.pronunciationsHint}
        error={errorAt(form.errors, path)}
        value={value}
        onChange={change}
        readOnly={readOnly}
      />
    </div>
  );
}

/** Fallback is the provider that takes over, or a button to add one. */
function Fallback({
  kind,
  path,
  form,
  catalogue,
  readOnly,
}: FormProps & { kind: 'stt' | 'tts' | 'llm'; path: string }) {
  const label = `${t.fallback}: ${t[kind]}`;
  if (!form.getInputProps(path).value) {
    if (readOnly) return null;
    const add = () => {
      const first = catalogue.find((p) => p.kind === kind);
      form.setFieldValue(
        path,
        kind === 'tts'
          ? { provider: first?.name ?? '', voice_id: first?.voices?.[0] ?? '' }
          : { provider: first?.name ?? '', model: first?.models?.[0] ?? '' },
      );
    };
    return (
      <Button
        variant="subtle"
        size="compact-sm"
        mt="xs"
        ml={-8}
        leftSection={<Plus size={14} />}
        aria-label={`${t.addFallback}: ${t[kind]}`}
        onClick={add}
      >
        {t.addFallback}
      </Button>
    );
  }
  return (
    <div className="part" role="group" aria-label={label} style={{ marginTop: 14 }}>
      <Group justify="space-between" mb={6} wrap="nowrap">
        <Stack gap={0}>
          <Text size="sm" fw={500}>
            {t.fallback}
          </Text>
          <Text size="xs" c="dimmed">
            {t.fallbackHint}
          </Text>
        </Stack>
        {!readOnly && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`${t.removeFallback}: ${t[kind]}`}
            onClick={() => form.setFieldValue(path, undefined)}
          >
            <Trash2 size={16} />
          </ActionIcon>
        )}
      </Group>
      <ProviderFields
        kind={kind}
        path={path}
        form={form}
        catalogue={catalogue}
        readOnly={readOnly}
        clearable={false}
        basic
      />
    </div>
  );
}

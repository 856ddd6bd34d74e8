import {
  Autocomplete,
  Fieldset,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { prompts } from '../prompts/api';
import { agents, providers } from './api';
import { may, me } from '../../api/me';
import { analyses } from '../analyses/api';
import { sounds } from '../sounds/api';
import { tools } from '../tools/api';
import { chosen } from './catalogue';
import type { Draft } from './draft';
import { templateCompletions, templatePaths } from './template';
import { editorTexts } from './texts';
import { texts } from '../../ui/texts';
import { AnswerFields } from './AnswerFields';
import { KeyFields } from './KeyFields';
import { choices, ModelNotes, ProviderFields } from './ProviderFields';
import { ServerFields } from './ServerFields';
import { SoundFields } from './SoundFields';
import { TurnFields } from './TurnFields';
import { CallHookFields } from '../../ui/resource/CallHookFields';
import { errorAt } from '../../ui/resource/save';
import { CompletedText } from '../../ui/CompletedText';

const t = editorTexts;

/** AgentForm has the fields of an agent, with the choices of the catalogue. */
export function AgentForm({
  form,
  isNew,
  readOnly,
}: {
  form: UseFormReturnType<Draft>;
  isNew: boolean;
  readOnly: boolean;
}) {
  const scopes = useQuery(me).data?.scopes;
  const catalogue = useQuery(providers).data?.items ?? [];
  const others = useQuery(agents).data ?? [];
  const known = useQuery({ ...tools, enabled: may(scopes, 'tools:read') }).data ?? [];
  const analysesKnown = useQuery({ ...analyses, enabled: may(scopes, 'analyses:read') }).data ?? [];
  const soundsKnown = useQuery({ ...sounds, enabled: may(scopes, 'sounds:read') }).data ?? [];
  const { config, name } = form.values;
  const field = (path: string) => {
    const props = form.getInputProps(path);
    return { ...props, value: props.value ?? '', readOnly };
  };
  const slugs = (useQuery({ ...prompts, enabled: may(scopes, 'prompts:read') }).data ?? []).map(
    (p) => `prompt.${p.slug}`,
  );
  const paths = templatePaths([config.prompt.system ?? '', config.prompt.greeting ?? '']);
  const complete = (text: string, caret: number) => templateCompletions(text, caret, [...paths, ...slugs]);
  const realtime = chosen(catalogue, 'realtime', config.realtime?.provider ?? '');
  const handoffs = config.handoffs ?? [];
  const names = [
    ...new Set([...others.map((a) => a.name).filter((n) => n !== name), ...handoffs.map((h) => h.target_agent)]),
  ];
  const handoffError = Object.entries(form.errors).find(([path]) =>
    /^config\.handoffs(\.\d+(\.target_agent)?)?$/.test(path),
  )?.[1];
  return (
    <Stack gap="md">
      <Fieldset className="panel" p="lg">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {isNew && <TextInput label={t.name} description={t.nameHint} required {...field('name')} />}
          <TextInput
            label={t.displayName}
            {...field('display_name')}
            styles={isNew ? { root: { alignSelf: 'end' } } : undefined}
          />
        </SimpleGrid>
      </Fieldset>
      <Fieldset className="panel" p="lg">
        <Text component="h2" fw={600} mb="sm">
          {t.prompt}
        </Text>
        <Stack>
          <CompletedText
            label={t.system}
            description={t.systemHint}
            required
            autosize
            minRows={8}
            maxRows={24}
            {...field('config.prompt.system')}
            complete={complete}
          />
          <CompletedText
            label={t.greeting}
            description={t.greetingHint}
            autosize
            minRows={2}
            maxRows={8}
            {...field('config.prompt.greeting')}
            complete={complete}
          />
        </Stack>
      </Fieldset>
      <Fieldset className="panel" p="lg">
        <Text component="h2" fw={600} mb="sm">
          {t.providers}
        </Text>
        <Stack gap="lg">
          {(['stt', 'tts', 'llm'] as const).map((kind) => (
            <div key={kind} role="group" aria-label={t[kind]}>
              <Text size="sm" c="dimmed" mb={6}>
                {t[kind]}
              </Text>
              <ProviderFields
                kind={kind}
                path={`config.${kind}`}
                form={form}
                catalogue={catalogue}
                readOnly={readOnly}
                clearable={Boolean(config.realtime)}
              />
            </div>
          ))}
          <div role="group" aria-label={t.realtime}>
            <Text size="sm" c="dimmed" mb={6}>
              {t.realtime}
            </Text>
            <SimpleGrid cols={{ base: 1, xs: 3 }}>
              <Select
                label={t.provider}
                placeholder={texts.common.none}
                clearable={!readOnly}
                readOnly={readOnly}
                data={choices(catalogue, 'realtime', config.realtime?.provider ?? '')}
                value={config.realtime?.provider ?? null}
                error={form.errors['config.realtime.provider']}
                onChange={(value) =>
                  form.setFieldValue(
                    'config.realtime',
                    value
                      ? { provider: value, model: chosen(catalogue, 'realtime', value)?.models?.[0] ?? '' }
                      : undefined,
                  )
                }
              />
              {config.realtime && (
                <Autocomplete label={t.model} data={realtime?.models ?? []} {...field('config.realtime.model')} />
              )}
              {config.realtime && (
                <Autocomplete
                  label={t.voice}
                  data={realtime?.voices ?? []}
                  placeholder={t.default}
                  {...field('config.realtime.voice')}
                />
              )}
            </SimpleGrid>
            {config.realtime && (
              <Text size="xs" c="dimmed" mt={6}>
                {t.realtimeHint}
              </Text>
            )}
            {config.realtime && <ModelNotes provider={realtime} model={config.realtime.model} />}
          </div>
          <div role="group" aria-label={t.languages}>
            <Text size="sm" c="dimmed" mb={6}>
              {t.languages}
            </Text>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <TextInput
                label={t.defaultLanguage}
                description={t.defaultLanguageHint}
                placeholder="en"
                {...field('config.default_language')}
              />
              <TagsInput
                label={t.otherLanguages}
                description={t.otherLanguagesHint}
                {...field('config.languages')}
                value={config.languages ?? []}
                placeholder={config.languages?.length ? undefined : texts.common.none}
              />
              <TextInput
                label={t.timezone}
                description={t.timezoneHint}
                placeholder="Europe/Berlin"
                {...field('config.timezone')}
              />
            </SimpleGrid>
            <Switch
              mt="sm"
              label={t.languagesAuto}
              description={t.languagesAutoHint}
              disabled={readOnly || (!config.languages_auto && (config.languages?.length ?? 0) < 2)}
              checked={config.languages_auto ?? false}
              error={errorAt(form.errors, 'config.languages_auto')}
              onChange={(e) => form.setFieldValue('config.languages_auto', e.currentTarget.checked || undefined)}
            />
          </div>
        </Stack>
      </Fieldset>
      <Fieldset className="panel" p="lg">
        <Stack>
          <MultiSelect
            label={t.handoffs}
            description={t.handoffsHint}
            data={names}
            searchable
            readOnly={readOnly}
            value={handoffs.map((h) => h.target_agent)}
            error={handoffError}
            placeholder={handoffs.length ? undefined : texts.common.none}
            onChange={(targets) =>
              form.setFieldValue(
                'config.handoffs',
                targets.map((target) => handoffs.find((h) => h.target_agent === target) ?? { target_agent: target }),
              )
            }
          />
          {handoffs.map((h, i) => (
            <div key={h.target_agent} className="part" role="group" aria-label={t.handoffTo(h.target_agent)}>
              <Text size="sm" fw={500} mb={6}>
                {t.handoffTo(h.target_agent)}
              </Text>
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <TextInput
                  label={t.condition}
                  description={t.conditionHint}
                  placeholder="{{flags.verified}}"
                  {...field(`config.handoffs.${i}.condition`)}
                />
                <TagsInput
                  label={t.contextPass}
                  description={t.contextPassHint}
                  {...field(`config.handoffs.${i}.context_pass`)}
                  value={h.context_pass ?? []}
                  placeholder={h.context_pass?.length ? undefined : texts.common.none}
                />
              </SimpleGrid>
            </div>
          ))}
          <TagsInput
            label={t.tools}
            description={t.toolsHint}
            data={known.map((k) => k.name)}
            readOnly={readOnly}
            value={config.tools ?? []}
            error={form.errors['config.tools'] ?? form.errors['config.tools.0']}
            placeholder={config.tools?.length ? undefined : texts.common.none}
            onChange={(value) => form.setFieldValue('config.tools', value)}
          />
          <TagsInput
            label={t.analyses}
            description={t.analysesHint}
            data={analysesKnown.map((a) => a.name)}
            readOnly={readOnly}
            value={config.analyses ?? []}
            error={errorAt(form.errors, 'config.analyses')}
            placeholder={config.analyses?.length ? undefined : texts.common.none}
            onChange={(value) => form.setFieldValue('config.analyses', value)}
          />
          <Autocomplete
            label={t.holdSound}
            description={t.holdSoundHint}
            data={soundsKnown.map((s) => s.name)}
            placeholder={t.holdSoundDefault}
            {...field('config.hold_sound')}
          />
          <SoundFields form={form} sounds={soundsKnown.map((s) => s.name)} readOnly={readOnly} />
          <TextInput
            label={t.maxCost}
            description={t.maxCostHint}
            inputMode="decimal"
            placeholder={texts.common.none}
            {...field('config.max_cost')}
          />
          <Switch
            label={t.recording}
            description={t.recordingHint}
            disabled={readOnly}
            checked={config.recording ?? false}
            onChange={(e) => form.setFieldValue('config.recording', e.currentTarget.checked || undefined)}
          />
          <Switch
            label={t.beforeModel}
            description={t.beforeModelHint}
            disabled={readOnly}
            checked={config.redaction?.before_model ?? false}
            onChange={(e) =>
              form.setFieldValue('config.redaction', {
                ...config.redaction,
                before_model: e.currentTarget.checked || undefined,
              })
            }
          />
          <Switch
            label={t.redactRecordings}
            description={t.redactRecordingsHint}
            disabled={readOnly}
            checked={config.redaction?.recordings ?? false}
            onChange={(e) =>
              form.setFieldValue('config.redaction', {
                ...config.redaction,
                recordings: e.currentTarget.checked || undefined,
              })
            }
          />
          <Switch
            label={t.noise}
            description={t.noiseHint}
            disabled={readOnly}
            checked={config.audio?.noise_suppression === 'on'}
            onChange={(e) =>
              form.setFieldValue(
                'config.audio',
                e.currentTarget.checked
                  ? { ...config.audio, noise_suppression: 'on' }
                  : { ...config.audio, noise_suppression: undefined },
              )
            }
          />
        </Stack>
      </Fieldset>
      <ServerFields form={form} field={field} readOnly={readOnly} />
      <TurnFields form={form} field={field} readOnly={readOnly} />
      <Fieldset className="panel" p="lg">
        <CallHookFields
          value={config.call_hook}
          error={errorAt(form.errors, 'config.call_hook')}
          readOnly={readOnly}
          onChange={(hook) => form.setFieldValue('config.call_hook', hook)}
        />
      </Fieldset>
      <KeyFields form={form} field={field} readOnly={readOnly} />
      <AnswerFields form={form} field={field} complete={complete} readOnly={readOnly} />
    </Stack>
  );
}

import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { ChevronDown, ChevronRight, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import {
  type AnswerAction,
  type AnswerDetection,
  isOutside,
  type Limits,
  type PhraseRow,
  phraseRows,
  phrasesOf,
  withAction,
} from './answerDetection';
import { answerTexts } from './answerTexts';
import type { Draft } from './draft';
import { isObject } from '../../api/patch';
import { oneOf } from '../../choice';
import { answerDetectionOnTimeout } from '../../generated/enums';
import { answerAction as ofAction, answerDetection as ofDetection } from '../../generated/limits';
import { classTexts } from '../calls/answered';
import { CompletedText, type Completions } from '../../ui/CompletedText';
import { errorAt } from '../../ui/resource/save';

const t = answerTexts;

/** root is where the settings are in the form. */
const root = 'config.answer_detection';

type Field = (path: string) => ReturnType<UseFormReturnType<Draft>['getInputProps']> & { value: unknown };

interface Props {
  form: UseFormReturnType<Draft>;
  field: Field;
  complete: (text: string, caret: number) => Completions;
  readOnly: boolean;
}

const options = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }));

/** withOthers are choices, and those beside them that an agent has though this version does not know them. */
const withOthers = (labels: Record<string, string>, others: string[]) => ({
  ...labels,
  ...Object.fromEntries(others.filter((o) => !(o in labels)).map((o) => [o, o])),
});

/** bounded are the properties of a field for a number, with its error while it is beyond its limits. */
function bounded(props: ReturnType<Field>, limits: Limits, unit: string) {
  const { minimum, maximum } = limits;
  const outside = isOutside(props.value, limits) ? t.outside(minimum, maximum, unit) : undefined;
  return {
    suffix: unit,
    min: minimum,
    max: maximum,
    clampBehavior: 'none',
    ...props,
    error: props.error ?? outside,
  } as const;
}

/** AnswerFields has the settings of who answers a phone call that is dialled; the placeholders are the defaults. */
export function AnswerFields({ form, field, complete, readOnly }: Props) {
  const detection: AnswerDetection = form.values.config.answer_detection;
  const [opened, setOpened] = useState(detection.enabled === true);
  const shown = opened || errorAt(form.errors, root) !== undefined;
  return (
    <Fieldset className="panel" p="lg">
      <Text component="h2" fw={600}>
        {t.title}
      </Text>
      <Text size="sm" c="dimmed" mb="sm">
        {t.hint}
      </Text>
      <Switch
        label={t.enabled}
        description={t.enabledHint}
        disabled={readOnly}
        checked={detection.enabled ?? false}
        onChange={(e) => {
          form.setFieldValue(`${root}.enabled`, e.currentTarget.checked || undefined);
          setOpened(e.currentTarget.checked);
        }}
      />
      <Button
        mt="sm"
        size="compact-sm"
        variant="subtle"
        aria-expanded={shown}
        leftSection={shown ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
        onClick={() => setOpened(!opened)}
      >
        {t.settings}
      </Button>
      {shown && (
        <Stack mt="sm">
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NumberInput
              label={t.window}
              description={t.windowHint}
              step={500}
              placeholder="6000 ms"
              {...bounded(field(`${root}.window_ms`), ofDetection.window_ms, ' ms')}
            />
            <Select
              label={t.onTimeout}
              description={t.onTimeoutHint}
              data={answerDetectionOnTimeout.map((value) => ({ value, label: classTexts[value] }))}
              placeholder={classTexts.human}
              clearable={!readOnly}
              readOnly={readOnly}
              value={detection.on_timeout ?? null}
              error={form.errors[`${root}.on_timeout`]}
              onChange={(value) => form.setFieldValue(`${root}.on_timeout`, oneOf(answerDetectionOnTimeout, value))}
            />
            <NumberInput
              label={t.noSpeech}
              description={t.noSpeechHint}
              step={500}
              placeholder="5000 ms"
              {...bounded(field(`${root}.no_speech_ms`), ofDetection.no_speech_ms, ' ms')}
            />
          </SimpleGrid>
          <Switch
            label={t.llm}
            description={t.llmHint}
            disabled={readOnly}
            checked={detection.llm ?? false}
            onChange={(e) => form.setFieldValue(`${root}.llm`, e.currentTarget.checked || undefined)}
          />
          <Actions form={form} field={field} complete={complete} readOnly={readOnly} />
          <Phrases form={form} readOnly={readOnly} />
        </Stack>
      )}
    </Fieldset>
  );
}

/** Actions has what the agent does by class. */
function Actions({ form, field, complete, readOnly }: Props) {
  const given = form.values.config.answer_detection.actions;
  const actions = isObject(given) ? given : {};
  const path = `${root}.actions`;
  return (
    <Stack gap="sm" role="group" aria-label={t.actions}>
      <div>
        <Text size="sm" fw={500}>
          {t.actions}
        </Text>
        <Text size="xs" c="dimmed">
          {t.actionsHint}
        </Text>
      </div>
      {Object.entries(withOthers(classTexts, Object.keys(actions))).map(([of, name]) => {
        const action = isObject(actions[of]) ? (actions[of] as AnswerAction) : undefined;
        const chosen = action?.do ?? 'continue';
        return (
          <div key={of} role="group" aria-label={name}>
            <Group wrap="nowrap" gap="sm">
              <Text size="sm" w={120} style={{ flex: 'none' }}>
                {name}
              </Text>
              <Select
                className="grow"
                aria-label={t.does}
                allowDeselect={false}
                readOnly={readOnly}
                data={options(withOthers(t.kinds, [chosen]))}
                value={chosen}
                error={form.errors[`${path}.${of}`] ?? form.errors[`${path}.${of}.do`]}
                onChange={(to) => {
                  forget(form, `${path}.${of}`);
                  form.setFieldValue(path, withAction(actions, of, to as AnswerAction['do']));
                }}
              />
            </Group>
            {action && (
              <ActionFields
                path={`${path}.${of}`}
                action={action}
                form={form}
                field={field}
                complete={complete}
                readOnly={readOnly}
              />
            )}
          </div>
        );
      })}
    </Stack>
  );
}

/** ActionFields has the fields of the chosen action. */
function ActionFields({
  path,
  action,
  form,
  field,
  complete,
  readOnly,
}: Props & { path: string; action: AnswerAction }) {
  const text = (name: 'text' | 'name' | 'purpose' | 'goal', label: string, description?: string) => (
    <CompletedText
      label={label}
      description={description}
      required
      autosize
      minRows={name === 'text' ? 2 : 1}
      maxRows={10}
      maxLength={ofAction[name].maxLength}
      {...field(`${path}.${name}`)}
      complete={complete}
    />
  );
  const number = (name: 'max_wait_ms' | 'max_presses' | 'max_s', label: string, otherwise: number, unit: string) => (
    <NumberInput
      label={label}
      placeholder={`${otherwise}${unit}`}
      {...bounded(field(`${path}.${name}`), ofAction[name], unit)}
    />
  );
  switch (action.do) {
    case 'leave_message':
      return (
        <Stack className="part" gap="sm" mt="xs">
          {text('text', t.message, t.messageHint)}
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <Select
              label={t.after}
              data={options(t.afters)}
              placeholder={t.afters.beep}
              clearable={!readOnly}
              readOnly={readOnly}
              value={action.after ?? null}
              error={form.errors[`${path}.after`]}
              onChange={(value) => form.setFieldValue(`${path}.after`, value ?? undefined)}
            />
            {number('max_wait_ms', t.maxWait, 30_000, ' ms')}
          </SimpleGrid>
        </Stack>
      );
    case 'identify':
      return (
        <Stack className="part" gap="sm" mt="xs">
          {text('name', t.caller)}
          {text('purpose', t.purpose)}
        </Stack>
      );
    case 'navigate':
      return (
        <Stack className="part" gap="sm" mt="xs">
          {text('goal', t.goal)}
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {number('max_presses', t.maxPresses, 10, '')}
            {number('max_s', t.maxTime, 120, ' s')}
          </SimpleGrid>
        </Stack>
      );
    default:
      return null;
  }
}

/** Phrases has the own phrases, a row for each class in each language. */
function Phrases({ form, readOnly }: { form: UseFormReturnType<Draft>; readOnly: boolean }) {
  const path = `${root}.phrases`;
  const held = form.values.config.answer_detection.phrases;
  const [edited, setEdited] = useState<PhraseRow[]>();
  // The rows as they were edited, for two of them may have the same language and class; after saving, those that were saved.
  const rows = edited && JSON.stringify(phrasesOf(edited)) === JSON.stringify(held) ? edited : phraseRows(held);
  const change = (to: PhraseRow[]) => {
    forget(form, path);
    setEdited(to);
    form.setFieldValue(path, phrasesOf(to));
  };
  const set = (at: number, part: Partial<PhraseRow>) =>
    change(rows.map((row, i) => (i === at ? { ...row, ...part } : row)));
  return (
    <Stack gap="sm" role="group" aria-label={t.phrases}>
      <div>
        <Text size="sm" fw={500}>
          {t.phrases}
        </Text>
        <Text size="xs" c="dimmed">
          {t.phrasesHint}
        </Text>
        {form.errors[path] && (
          <Text size="xs" c="var(--mantine-color-error)">
            {form.errors[path]}
          </Text>
        )}
      </div>
      {rows.map((row, i) => {
        const of = `${path}.${row.language}.${row.of}`;
        return (
          <Stack key={i} className="part" gap="sm" role="group" aria-label={t.row(i + 1)}>
            <Group gap="sm" align="flex-start" wrap="nowrap">
              <TextInput
                className="grow"
                label={t.language}
                placeholder="en"
                value={row.language}
                readOnly={readOnly}
                error={form.errors[`${path}.${row.language}`]}
                onChange={(e) => set(i, { language: e.currentTarget.value.trim() })}
              />
              <Select
                className="grow"
                label={t.of}
                allowDeselect={false}
                readOnly={readOnly}
                data={options(withOthers(classTexts, [row.of]))}
                value={row.of}
                onChange={(value) => set(i, { of: value ?? row.of })}
              />
              {!readOnly && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={34}
                  mt={25}
                  aria-label={t.remove(i + 1)}
                  onClick={() => change(rows.filter((_, at) => at !== i))}
                >
                  <Trash2 size={16} />
                </ActionIcon>
              )}
            </Group>
            <Textarea
              label={t.list}
              autosize
              minRows={2}
              maxRows={12}
              value={row.phrases.join('\n')}
              readOnly={readOnly}
              error={phraseError(form.errors, of)}
              onChange={(e) => set(i, { phrases: e.currentTarget.value.split('\n') })}
            />
          </Stack>
        );
      })}
      {!readOnly && (
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<Plus size={14} />}
            onClick={() => change([...rows, { language: '', of: 'voicemail', phrases: [] }])}
          >
            {t.add}
          </Button>
        </div>
      )}
    </Stack>
  );
}

/** phraseError is what is wrong with the phrases of a class in a language, with the number of the first that is. */
function phraseError(errors: Record<string, unknown>, path: string): string | undefined {
  const at = Object.keys(errors).find((key) => key === path || key.startsWith(`${path}.`));
  if (at === undefined) return undefined;
  const problem = String(errors[at]);
  return at === path ? problem : t.phrase(Number(at.slice(path.length + 1)) + 1, problem);
}

/** forget removes the errors at a path, and below it, as the form does for a field that is changed. */
function forget(form: UseFormReturnType<Draft>, path: string) {
  for (const key of Object.keys(form.errors)) {
    if (key === path || key.startsWith(`${path}.`)) form.clearFieldError(key);
  }
}

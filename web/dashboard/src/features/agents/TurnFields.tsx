import { Fieldset, NumberInput, SimpleGrid, Switch, Text, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Draft } from './draft';
import { editorTexts, turnTexts } from './texts';

const t = editorTexts;

/** Defaults of turn-taking in milliseconds, as docs/turn-taking.md has them. */
const defaults: Record<string, number> = {
  endpoint_complete_ms: 300,
  endpoint_default_ms: 600,
  endpoint_unfinished_ms: 1200,
  endpoint_max_ms: 1200,
  pause_after_ms: 160,
  interrupt_after_ms: 500,
  duck_ms: 240,
  pause_limit_ms: 1000,
  resume_after_ms: 400,
  transcript_wait_ms: 3000,
  filler_after_ms: 1200,
  answer_deadline_ms: 6000,
  silence_prompt_after_ms: 10_000,
  budget_ms: 2500,
};

// Fields of a row stand on one line, however long what is said about them.
const atBottom = { root: { display: 'flex', flexDirection: 'column', justifyContent: 'flex-end' } } as const;

/** TurnFields has the settings of turn-taking; the placeholders are the defaults. */
export function TurnFields({
  form,
  field,
  readOnly,
}: {
  form: UseFormReturnType<Draft>;
  field: (path: string) => object;
  readOnly: boolean;
}) {
  const turn = form.values.config.turn as { greeting_interruptible?: boolean };
  return (
    <Fieldset className="panel" p="lg">
      <Text component="h2" fw={600}>
        {t.turn}
      </Text>
      <Text size="sm" c="dimmed" mb="sm">
        {t.turnHint}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {Object.entries(turnTexts).map(([key, [label, description]]) => (
          <NumberInput
            key={key}
            label={label}
            description={description}
            suffix=" ms"
            step={50}
            min={0}
            clampBehavior="none"
            placeholder={`${defaults[key]} ms`}
            styles={atBottom}
            {...field(`config.turn.${key}`)}
          />
        ))}
        <NumberInput
          label={t.silencePrompts}
          description={t.silencePromptsHint}
          min={0}
          max={10}
          clampBehavior="none"
          placeholder="2"
          styles={atBottom}
          {...field('config.turn.silence_prompts')}
        />
      </SimpleGrid>
      <Switch
        mt="md"
        label={t.greetingInterruptible}
        description={t.greetingInterruptibleHint}
        disabled={readOnly}
        checked={turn.greeting_interruptible ?? true}
        onChange={(e) =>
          form.setFieldValue('config.turn.greeting_interruptible', e.currentTarget.checked ? undefined : false)
        }
      />
      <Textarea
        mt="md"
        label={t.silencePrompt}
        description={t.silencePromptHint}
        autosize
        minRows={1}
        maxRows={6}
        {...field('config.turn.silence_prompt')}
      />
    </Fieldset>
  );
}

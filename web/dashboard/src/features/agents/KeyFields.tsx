import { Fieldset, NumberInput, Select, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Draft } from './draft';
import { editorTexts } from './texts';
import { texts } from '../../ui/texts';

const t = editorTexts.keys;

/** noEnd is the choice of no end key, which a configuration has as "". */
const noEnd = 'none';
const ends = [
  { value: noEnd, label: texts.common.none },
  ...['#', '*', ...'0123456789', ...'ABCD'].map((key) => ({ value: key, label: key })),
];

/** KeyFields has the settings of keys that a caller presses on the phone; the placeholders are the defaults. */
export function KeyFields({
  form,
  field,
  readOnly,
}: {
  form: UseFormReturnType<Draft>;
  field: (path: string) => object;
  readOnly: boolean;
}) {
  const { dtmf } = form.values.config;
  const off = dtmf.enabled === false;
  const onByDefault = (name: 'enabled' | 'interrupts', label: string, description: string, disabled: boolean) => (
    <Switch
      label={label}
      description={description}
      disabled={readOnly || disabled}
      checked={dtmf[name] ?? true}
      onChange={(e) => form.setFieldValue(`config.dtmf.${name}`, e.currentTarget.checked ? undefined : false)}
    />
  );
  return (
    <Fieldset className="panel" p="lg">
      <Text component="h2" fw={600}>
        {t.title}
      </Text>
      <Text size="sm" c="dimmed" mb="sm">
        {t.hint}
      </Text>
      <Stack>
        {onByDefault('enabled', t.enabled, t.enabledHint, false)}
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <NumberInput
            label={t.maxDigits}
            min={1}
            max={64}
            clampBehavior="none"
            placeholder="32"
            disabled={off}
            {...field('config.dtmf.max_digits')}
          />
          <Select
            label={t.end}
            data={ends}
            placeholder="#"
            clearable={!readOnly}
            readOnly={readOnly}
            disabled={off}
            error={form.errors['config.dtmf.end']}
            value={dtmf.end === '' ? noEnd : (dtmf.end ?? null)}
            onChange={(value) => form.setFieldValue('config.dtmf.end', value === noEnd ? '' : (value ?? undefined))}
          />
          <NumberInput
            label={t.timeout}
            suffix=" ms"
            step={500}
            min={0}
            max={60_000}
            clampBehavior="none"
            placeholder="2000 ms"
            disabled={off}
            {...field('config.dtmf.timeout_ms')}
          />
        </SimpleGrid>
        {onByDefault('interrupts', t.interrupts, t.interruptsHint, off)}
      </Stack>
    </Fieldset>
  );
}

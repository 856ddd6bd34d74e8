import { NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import type { components } from '../../generated/schema';
import { texts } from '../texts';

const t = texts.callHook;

export type CallHook = components['schemas']['CallHook'];

/** CallHookFields switches the call hook of an agent or workflow on, and has its settings. */
export function CallHookFields({
  value,
  error,
  readOnly,
  onChange,
}: {
  value?: CallHook | null;
  error?: string;
  readOnly: boolean;
  onChange: (hook: CallHook | undefined) => void;
}) {
  return (
    <Stack gap="sm">
      <Switch
        label={t.title}
        description={t.hint}
        disabled={readOnly}
        checked={Boolean(value)}
        onChange={(e) => onChange(e.currentTarget.checked ? ({ url: '' } as CallHook) : undefined)}
      />
      {value && (
        <>
          <TextInput
            label={t.url}
            type="url"
            required
            placeholder="https://"
            value={value.url}
            error={error}
            readOnly={readOnly}
            onChange={(e) => onChange({ ...value, url: e.currentTarget.value })}
          />
          <NumberInput
            label={t.timeout}
            placeholder="1500"
            min={100}
            max={4000}
            clampBehavior="none"
            value={value.timeout_ms ?? ''}
            readOnly={readOnly}
            onChange={(ms) => onChange({ ...value, timeout_ms: ms === '' ? undefined : Number(ms) })}
          />
          <Switch
            label={t.rejects}
            disabled={readOnly}
            checked={value.on_failure === 'reject'}
            onChange={(e) => onChange({ ...value, on_failure: e.currentTarget.checked ? 'reject' : 'default' })}
          />
        </>
      )}
    </Stack>
  );
}

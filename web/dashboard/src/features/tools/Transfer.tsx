import { Group, NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { Action } from './api';
import { toolsTexts } from './texts';

const t = toolsTexts;

interface Props {
  action: Action;
  set: (part: Partial<Action>) => void;
  error: (field: string) => string | undefined;
  readOnly: boolean;
}

/** Transfer edits whom an action transfers the caller to, and how. */
export function Transfer({ action: a, set, error, readOnly }: Props) {
  const mode = a.mode ?? 'refer';
  const seconds = (field: 'ring_seconds' | 'accept_seconds', label: string) => (
    <NumberInput
      label={label}
      suffix=" s"
      min={5}
      max={120}
      placeholder="30 s"
      flex="1 1 160px"
      value={a[field] ?? ''}
      readOnly={readOnly}
      error={error(field)}
      onChange={(value) => set({ [field]: value === '' ? undefined : Number(value) })}
    />
  );
  const how = (
    <Select
      label={t.transferMode}
      allowDeselect={false}
      data={Object.entries(t.transferModes).map(([value, label]) => ({ value, label }))}
      value={mode}
      readOnly={readOnly}
      error={error('mode')}
      onChange={(chosen) => set(chosenMode(a, (chosen ?? 'refer') as NonNullable<Action['mode']>))}
    />
  );
  if (mode === 'refer') {
    return (
      <>
        {how}
        <TextInput
          label={t.number}
          value={a.phone_number ?? ''}
          readOnly={readOnly}
          error={error('phone_number')}
          onChange={(e) => set({ phone_number: e.currentTarget.value })}
        />
      </>
    );
  }
  return (
    <>
      {how}
      <TagsInput
        label={t.targets}
        description={t.targetsHint}
        maxTags={5}
        value={a.to ?? (a.phone_number ? [a.phone_number] : [])}
        readOnly={readOnly}
        error={error('to') ?? error('phone_number')}
        onChange={(to) => set({ to, phone_number: undefined })}
      />
      <Group gap="sm" align="flex-start">
        {seconds('ring_seconds', t.ring)}
        {mode === 'consult' && seconds('accept_seconds', t.accept)}
        <Select
          label={t.shownNumber}
          allowDeselect={false}
          data={Object.entries(t.shownNumbers).map(([value, label]) => ({ value, label }))}
          flex="1 1 200px"
          value={a.caller_id ?? 'own'}
          readOnly={readOnly}
          error={error('caller_id')}
          onChange={(shown) => set({ caller_id: shown === 'caller' ? 'caller' : undefined })}
        />
      </Group>
      <Select
        label={t.afterTransfer}
        allowDeselect={false}
        data={Object.entries(t.afterTransfers).map(([value, label]) => ({ value, label }))}
        value={a.after ?? 'leave'}
        readOnly={readOnly}
        error={error('after')}
        onChange={(after) => set({ after: after === 'listen' ? 'listen' : undefined })}
      />
      <Switch
        label={t.page}
        description={t.pageHint}
        checked={a.page ?? false}
        disabled={readOnly}
        error={error('page')}
        onChange={(e) => {
          const page = e.currentTarget.checked || undefined;
          set({ page, summary: mode === 'bridge' && !page ? undefined : a.summary });
        }}
      />
      {(mode !== 'bridge' || a.page) && (
        <Textarea
          label={t.summary}
          description={mode === 'bridge' ? t.pageSummaryHint : t.summaryHint}
          autosize
          placeholder="auto"
          value={a.summary ?? ''}
          readOnly={readOnly}
          error={error('summary')}
          onChange={(e) => set({ summary: e.currentTarget.value || undefined })}
        />
      )}
    </>
  );
}

/** chosenMode returns what changes with the mode: fields that it does not have are removed. */
function chosenMode(a: Action, mode: NonNullable<Action['mode']>): Partial<Action> {
  if (mode === 'refer') {
    return {
      mode: undefined,
      phone_number: a.phone_number ?? a.to?.[0],
      to: undefined,
      ring_seconds: undefined,
      accept_seconds: undefined,
      caller_id: undefined,
      after: undefined,
      summary: undefined,
      page: undefined,
      headers: undefined,
    };
  }
  return {
    mode,
    accept_seconds: mode === 'consult' ? a.accept_seconds : undefined,
    summary: mode === 'bridge' && !a.page ? undefined : a.summary,
  };
}

import { JsonInput, Text, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, CircleCheck, CircleSlash } from 'lucide-react';
import { useState } from 'react';
import { api, Problem, result } from '../../api/client';
import { CompletedText } from '../../ui/CompletedText';
import { message } from '../../ui/Trouble';
import { workflowTexts } from './texts';
import { completions } from './paths';

const t = workflowTexts;

interface Props {
  label: string;
  description: string;
  value: string;
  error?: string;
  known: string[];
  sample: string;
  readOnly: boolean;
  onChange: (value: string) => void;
  onSample: (sample: string) => void;
}

/** parsedSample is the sample context, if it is an object. */
export function parsedSample(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** ConditionField completes context paths as they are typed, and has the server evaluate the condition with a sample. */
export function ConditionField({
  label,
  description,
  value,
  error,
  known,
  sample,
  readOnly,
  onChange,
  onSample,
}: Props) {
  const [trying, setTrying] = useState(false);
  return (
    <div>
      <CompletedText
        label={label}
        description={description}
        autosize
        minRows={1}
        maxRows={6}
        value={value}
        error={error}
        readOnly={readOnly}
        spellCheck={false}
        maxLength={2000}
        placeholder="user.age >= 18"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        onChange={onChange}
        complete={(text, caret) => completions(text, caret, known)}
      />
      {value.trim() !== '' && (
        <>
          <UnstyledButton
            onClick={() => setTrying(!trying)}
            aria-expanded={trying}
            mt={6}
            style={{ display: 'inline-flex', alignItems: 'center', gap: 4, fontSize: 13, color: 'var(--quiet)' }}
          >
            {trying ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />} {t.trial}
          </UnstyledButton>
          {trying && <Trial condition={value} sample={sample} onSample={onSample} />}
        </>
      )}
    </div>
  );
}

function Trial({
  condition,
  sample,
  onSample,
}: {
  condition: string;
  sample: string;
  onSample: (sample: string) => void;
}) {
  const context = parsedSample(sample);
  const [asked] = useDebouncedValue({ condition, sample }, 250);
  const found = useQuery({
    queryKey: ['condition', asked.condition, asked.sample],
    queryFn: ({ signal }) =>
      result(
        api.POST('/api/v1/workflows/evaluate-condition', {
          body: { condition: asked.condition, context: parsedSample(asked.sample) },
          signal,
        }),
      ),
    enabled: parsedSample(asked.sample) !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const why =
    found.error instanceof Problem
      ? (found.error.details[0]?.message ?? found.error.message)
      : found.error && message(found.error);
  return (
    <div style={{ marginTop: 8 }}>
      <JsonInput
        label={t.sample}
        size="xs"
        autosize
        minRows={3}
        maxRows={10}
        value={sample}
        onChange={onSample}
        error={context ? undefined : t.sampleWrong}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <Text component="div" size="sm" mt={6} role="status" style={{ display: 'flex', gap: 6, alignItems: 'center' }}>
        {why ? (
          <Text span size="sm" style={{ color: 'var(--mantine-color-error)' }}>
            {why}
          </Text>
        ) : (
          found.data &&
          context && (
            <>
              {found.data.holds ? (
                <CircleCheck size={15} aria-hidden color="var(--stt)" />
              ) : (
                <CircleSlash size={15} aria-hidden color="var(--quiet)" />
              )}
              {found.data.holds ? t.holds : t.holdsNot}
            </>
          )
        )}
      </Text>
      {!why &&
        found.data?.warnings?.map((w) => (
          <Text key={w} size="xs" c="dimmed">
            {w}
          </Text>
        ))}
    </div>
  );
}

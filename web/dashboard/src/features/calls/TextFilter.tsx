import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

/** TextFilter is a filter of free text; it applies when nothing has been typed for a moment. */
export function TextFilter({
  label,
  hint,
  value,
  error,
  change,
}: {
  label: string;
  hint?: string;
  value?: string;
  error?: string;
  change: (value?: string) => void;
}) {
  const [text, setText] = useState(value ?? '');
  const apply = useDebouncedCallback((typed: string) => change(typed.trim() || undefined), 300);
  return (
    <TextInput
      label={label}
      placeholder={hint}
      value={text}
      error={error}
      w={{ base: '100%', xs: 140 }}
      onChange={(e) => {
        setText(e.currentTarget.value);
        apply(e.currentTarget.value);
      }}
    />
  );
}

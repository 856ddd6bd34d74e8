import { ActionIcon, Autocomplete, Button, Group, Input, Text, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { workflowTexts } from './texts';
import { texts } from '../../ui/texts';

const t = workflowTexts;

/** MappingFields edits the inputs that a node's agent gets from context paths. Rows without a name are not kept. */
export function MappingFields({
  mapping,
  known,
  readOnly,
  error,
  onChange,
}: {
  mapping: Record<string, string>;
  known: string[];
  readOnly: boolean;
  error?: string;
  onChange: (mapping: Record<string, string>) => void;
}) {
  const [rows, setRows] = useState(Object.entries(mapping));
  const kept = Object.fromEntries(rows.filter(([input]) => input !== ''));
  const shown = JSON.stringify(kept) === JSON.stringify(mapping) ? rows : Object.entries(mapping); // undone meanwhile
  const set = (next: [string, string][]) => {
    setRows(next);
    onChange(Object.fromEntries(next.filter(([input]) => input !== '')));
  };
  const replace = (at: number, row: [string, string]) => set(shown.map((r, i) => (i === at ? row : r)));
  return (
    <Input.Wrapper label={t.mapping} description={t.mappingHint} error={error} labelElement="div">
      {shown.map(([input, source], i) => (
        <Group key={i} gap={6} mt={6} wrap="nowrap" align="center">
          <TextInput
            size="xs"
            aria-label={t.input}
            placeholder={t.input}
            value={input}
            readOnly={readOnly}
            onChange={(e) => replace(i, [e.currentTarget.value, source])}
          />
          <Text size="xs" c="dimmed" aria-hidden>
            ←
          </Text>
          <Autocomplete
            size="xs"
            aria-label={t.source}
            placeholder="workflow.order"
            data={known}
            value={source}
            readOnly={readOnly}
            onChange={(value) => replace(i, [input, value])}
          />
          {!readOnly && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.removeMapping(input)}
              onClick={() => set(shown.filter((_, at) => at !== i))}
            >
              <X size={14} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!readOnly && (
        <Button
          mt={6}
          size="compact-xs"
          variant="default"
          leftSection={<Plus size={13} />}
          onClick={() => setRows([...shown, ['', '']])}
        >
          {t.addMapping}
        </Button>
      )}
      {readOnly && shown.length === 0 && (
        <Text size="sm" c="dimmed">
          {texts.common.none}
        </Text>
      )}
    </Input.Wrapper>
  );
}

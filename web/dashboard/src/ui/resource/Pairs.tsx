import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import { texts } from '../texts';

const t = texts.resource;

export type Pair = [string, string];

/** toPairs makes rows of names and values of an object. */
export const toPairs = (of: Record<string, string> | null | undefined): Pair[] => Object.entries(of ?? {});

/** fromPairs is the object of the rows that have a name. */
export const fromPairs = (pairs: Pair[]): Record<string, string> =>
  Object.fromEntries(pairs.filter(([name]) => name.trim() !== '').map(([name, value]) => [name.trim(), value]));

/** Pairs edits names with a value each, such as headers. */
export function Pairs({
  label,
  description,
  error,
  value,
  onChange,
  readOnly,
}: {
  label: string;
  description?: string;
  error?: string;
  value: Pair[];
  onChange: (pairs: Pair[]) => void;
  readOnly?: boolean;
}) {
  const set = (at: number, pair: Pair) => onChange(value.map((p, i) => (i === at ? pair : p)));
  return (
    <Input.Wrapper
      label={label}
      description={description}
      error={error}
      labelElement="div"
      role="group"
      aria-label={label}
    >
      <Stack gap={6} mt={6}>
        {value.map(([name, text], i) => (
          <Group key={i} gap={6} wrap="nowrap">
            <TextInput
              className="grow"
              aria-label={`${label}: ${t.key} ${i + 1}`}
              placeholder={t.key}
              value={name}
              readOnly={readOnly}
              onChange={(e) => set(i, [e.currentTarget.value, text])}
            />
            <TextInput
              className="grow"
              aria-label={`${label}: ${t.value} ${i + 1}`}
              placeholder={t.value}
              value={text}
              readOnly={readOnly}
              onChange={(e) => set(i, [name, e.currentTarget.value])}
            />
            {!readOnly && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size={34}
                aria-label={`${t.remove} ${name}`}
                onClick={() => onChange(value.filter((_, at) => at !== i))}
              >
                <Trash2 size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
        {!readOnly && (
          <div>
            <Button
              size="xs"
              variant="default"
              leftSection={<Plus size={14} />}
              onClick={() => onChange([...value, ['', '']])}
            >
              {t.add}
            </Button>
          </div>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

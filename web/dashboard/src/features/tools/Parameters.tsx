import { ActionIcon, Button, Group, Select, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import type { Parameter } from './api';
import { toolsTexts } from './texts';
import { texts } from '../../ui/texts';
import { errorAt } from '../../ui/resource/save';
import { Within } from './Within';

const t = toolsTexts;
const types = ['string', 'number', 'integer', 'boolean', 'object', 'array'];

/** typed makes values of a parameter's type of texts, as far as they are. */
function typed(type: string, values: string[]): unknown[] | undefined {
  if (values.length === 0) return undefined;
  return type === 'string'
    ? values
    : values.map((v) => {
        try {
          return JSON.parse(v) as unknown;
        } catch {
          return v;
        }
      });
}

/** Parameters edits what the language model gives a tool. */
export function Parameters({
  value,
  onChange,
  errors,
  readOnly,
}: {
  value: Parameter[];
  onChange: (p: Parameter[]) => void;
  errors: Record<string, unknown>;
  readOnly: boolean;
}) {
  const set = (at: number, part: Partial<Parameter>) =>
    onChange(value.map((p, i) => (i === at ? { ...p, ...part } : p)));
  return (
    <Stack gap="md">
      {value.map((p, i) => {
        const error = (field: string) => errorAt(errors, `config.parameters.${i}.${field}`);
        return (
          <Stack key={i} gap={8} role="group" aria-label={t.parameter(i + 1)} className="part">
            <Group gap="sm" align="flex-start" wrap="wrap">
              <TextInput
                label={t.name}
                value={p.name}
                readOnly={readOnly}
                error={error('name')}
                flex="1 1 150px"
                onChange={(e) => set(i, { name: e.currentTarget.value })}
              />
              <Select
                label={t.type}
                data={types}
                allowDeselect={false}
                value={p.type}
                readOnly={readOnly}
                error={error('type')}
                w={120}
                onChange={(type) =>
                  set(i, {
                    type: (type ?? 'string') as Parameter['type'],
                    items: undefined,
                    properties: undefined,
                    required_properties: undefined,
                  })
                }
              />
              <Switch
                label={t.required}
                checked={p.required ?? false}
                disabled={readOnly}
                mt={32}
                onChange={(e) => set(i, { required: e.currentTarget.checked })}
              />
              {!readOnly && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={34}
                  mt={25}
                  ml="auto"
                  aria-label={`${texts.resource.remove} ${p.name}`}
                  onClick={() => onChange(value.filter((_, at) => at !== i))}
                >
                  <Trash2 size={16} />
                </ActionIcon>
              )}
            </Group>
            <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
              <TextInput
                label={t.description}
                value={p.description ?? ''}
                readOnly={readOnly}
                error={error('description')}
                miw={180}
                onChange={(e) => set(i, { description: e.currentTarget.value })}
              />
              <TagsInput
                label={t.choices}
                placeholder={p.enum?.length ? undefined : t.choicesHint}
                value={(p.enum ?? []).map((v) => (typeof v === 'string' ? v : JSON.stringify(v)))}
                readOnly={readOnly}
                error={error('enum')}
                miw={180}
                onChange={(values) => set(i, { enum: typed(p.type, values) })}
              />
            </Group>
            {(p.type === 'array' || p.type === 'object') && (
              <Within
                key={p.type}
                of={p}
                readOnly={readOnly}
                error={error('items') ?? error('properties') ?? error('required_properties')}
                onChange={(part) => set(i, part)}
              />
            )}
          </Stack>
        );
      })}
      {!readOnly && (
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<Plus size={14} />}
            onClick={() => onChange([...value, { name: '', type: 'string', required: true } as Parameter])}
          >
            {t.addParameter}
          </Button>
        </div>
      )}
    </Stack>
  );
}

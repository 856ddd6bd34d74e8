import { ActionIcon, Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import type { Criterion } from './api';
import { errorAt } from '../../ui/resource/save';
import { analysesTexts } from './texts';

const t = analysesTexts;
const options = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }));

/** CriteriaFields edits the criteria of an analysis. */
export function CriteriaFields({
  value,
  errors,
  readOnly,
  onChange,
}: {
  value: Criterion[];
  errors: Record<string, unknown>;
  readOnly: boolean;
  onChange: (criteria: Criterion[]) => void;
}) {
  const set = (at: number, part: Partial<Criterion>) =>
    onChange(value.map((c, i) => (i === at ? { ...c, ...part } : c)));
  return (
    <Stack gap="md">
      {value.map((c, i) => {
        const field = (name: keyof Criterion) => ({
          readOnly,
          error: errorAt(errors, `criteria.${i}.${name}`),
        });
        return (
          <Stack key={i} gap={8} role="group" aria-label={t.criterion(i + 1)} className="part">
            <Group gap="sm" align="flex-start">
              <TextInput
                label={t.criterionName}
                required
                flex="1 1 150px"
                value={c.name}
                {...field('name')}
                onChange={(e) => set(i, { name: e.currentTarget.value })}
              />
              <Select
                label={t.kind}
                data={options(t.kinds)}
                allowDeselect={false}
                w={150}
                value={c.kind ?? 'yes_no'}
                {...field('kind')}
                onChange={(kind) => set(i, { kind: kind as Criterion['kind'] })}
              />
              <Select
                label={t.evidence}
                data={options(t.evidences)}
                allowDeselect={false}
                w={160}
                value={c.evidence ?? 'agent'}
                {...field('evidence')}
                onChange={(evidence) => set(i, { evidence: evidence as Criterion['evidence'] })}
              />
              {!readOnly && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={34}
                  mt={25}
                  ml="auto"
                  aria-label={t.removeCriterion(c.name || String(i + 1))}
                  onClick={() => onChange(value.filter((_, at) => at !== i))}
                >
                  <Trash2 size={16} />
                </ActionIcon>
              )}
            </Group>
            <Textarea
              label={t.question}
              required
              autosize
              maxRows={8}
              value={c.question}
              {...field('question')}
              onChange={(e) => set(i, { question: e.currentTarget.value })}
            />
          </Stack>
        );
      })}
      {errors.criteria !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {String(errors.criteria)}
        </Text>
      )}
      {!readOnly && (
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<Plus size={14} />}
            onClick={() => onChange([...value, { name: '', question: '' }])}
          >
            {t.addCriterion}
          </Button>
        </div>
      )}
    </Stack>
  );
}

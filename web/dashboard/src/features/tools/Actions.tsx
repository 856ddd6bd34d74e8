import {
  ActionIcon,
  Button,
  Group,
  NumberInput,
  Select,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Action } from './api';
import { agents } from '../agents/api';
import { may, me } from '../../api/me';
import { toolsTexts } from './texts';
import { Transfer } from './Transfer';
import { texts } from '../../ui/texts';
import { fromPairs, type Pair, Pairs, toPairs } from '../../ui/resource/Pairs';
import { errorAt } from '../../ui/resource/save';

const t = toolsTexts;

interface Props {
  /** Where the list is in the configuration, such as config.actions. */
  path: string;
  value: Action[];
  onChange: (actions: Action[]) => void;
  errors: Record<string, unknown>;
  readOnly: boolean;
  depth?: number;
}

/** Lists within each other that the API takes. */
const deepest = 4;

/** Actions edits what a tool does, in order; requests have lists of their own for what follows. */
export function Actions({ path, value, onChange, errors, readOnly, depth = 1 }: Props) {
  const set = (at: number, action: Action) => onChange(value.map((a, i) => (i === at ? action : a)));
  return (
    <Stack gap="md">
      {value.map((a, i) => (
        <Stack key={i} gap="sm" role="group" aria-label={t.action(`${i + 1}`)} className="part">
          <Group gap="sm" wrap="nowrap">
            <Select
              aria-label={t.action(`${i + 1}`)}
              className="grow"
              maw={280}
              allowDeselect={false}
              readOnly={readOnly}
              value={a.type}
              error={errorAt(errors, `${path}.${i}.type`)}
              data={Object.entries(t.kinds).map(([value, label]) => ({ value, label }))}
              onChange={(type) => set(i, { type } as Action)}
            />
            {!readOnly && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size={34}
                ml="auto"
                aria-label={`${texts.resource.remove} ${t.action(`${i + 1}`)}`}
                onClick={() => onChange(value.filter((_, at) => at !== i))}
              >
                <Trash2 size={16} />
              </ActionIcon>
            )}
          </Group>
          <Fields
            path={`${path}.${i}`}
            action={a}
            set={(part) => set(i, { ...a, ...part })}
            errors={errors}
            readOnly={readOnly}
            depth={depth}
          />
        </Stack>
      ))}
      {!readOnly && (
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<Plus size={14} />}
            onClick={() => onChange([...value, { type: depth === 1 ? 'api_call' : 'respond' } as Action])}
          >
            {t.addAction}
          </Button>
        </div>
      )}
    </Stack>
  );
}

function Fields({
  path,
  action: a,
  set,
  errors,
  readOnly,
  depth,
}: {
  path: string;
  action: Action;
  set: (part: Partial<Action>) => void;
  errors: Record<string, unknown>;
  readOnly: boolean;
  depth: number;
}) {
  const scopes = useQuery(me).data?.scopes;
  const known = useQuery({ ...agents, enabled: a.type === 'handoff' && may(scopes, 'agents:read') }).data ?? [];
  const [headers, setHeaders] = useState<Pair[]>(toPairs(a.headers));
  const error = (field: string) => errorAt(errors, `${path}.${field}`);
  const text = (
    field: 'url' | 'message' | 'key' | 'name' | 'phone_number' | 'digits',
    label: string,
    description?: string,
  ) => (
    <TextInput
      label={label}
      description={description}
      value={a[field] ?? ''}
      readOnly={readOnly}
      error={error(field)}
      onChange={(e) => set({ [field]: e.currentTarget.value })}
    />
  );
  switch (a.type) {
    case 'api_call':
      return (
        <>
          {text('url', t.url, t.urlHint)}
          <Group gap="sm" align="flex-start">
            <Select
              label={t.method}
              placeholder={t.methodDefault}
              clearable
              clearButtonProps={{ 'aria-label': texts.common.clear }}
              data={['GET', 'POST', 'PUT', 'PATCH', 'DELETE']}
              value={a.method ?? null}
              readOnly={readOnly}
              error={error('method')}
              flex="1 1 200px"
              onChange={(method) => set({ method: (method ?? undefined) as Action['method'] })}
            />
            <NumberInput
              label={t.timeout}
              suffix=" s"
              placeholder="15 s"
              min={1}
              max={60}
              clampBehavior="none"
              value={a.timeout ?? ''}
              readOnly={readOnly}
              error={error('timeout')}
              w={110}
              onChange={(timeout) => set({ timeout: timeout === '' ? undefined : Number(timeout) })}
            />
            <NumberInput
              label={t.retries}
              placeholder="0"
              min={0}
              max={5}
              clampBehavior="none"
              value={a.retry_count ?? ''}
              readOnly={readOnly}
              error={error('retry_count')}
              w={90}
              onChange={(n) => set({ retry_count: n === '' ? undefined : Number(n) })}
            />
          </Group>
          <Pairs
            label={t.headers}
            error={error('headers')}
            readOnly={readOnly}
            value={headers}
            onChange={(pairs) => {
              setHeaders(pairs);
              set({ headers: fromPairs(pairs) });
            }}
          />
          <JSONText
            label={t.body}
            description={t.bodyHint}
            value={a.body}
            readOnly={readOnly}
            error={error('body')}
            onChange={(body) => set({ body } as Partial<Action>)}
          />
          {depth < deepest && (
            <>
              <div>
                <Text size="sm" fw={500}>
                  {t.success}
                </Text>
                <Text size="xs" c="dimmed" mb={8}>
                  {t.successHint}
                </Text>
                <Actions
                  path={`${path}.on_success`}
                  value={a.on_success ?? []}
                  errors={errors}
                  readOnly={readOnly}
                  depth={depth + 1}
                  onChange={(on_success) => set({ on_success })}
                />
              </div>
              <div>
                <Text size="sm" fw={500} mb={8}>
                  {t.failure}
                </Text>
                <Actions
                  path={`${path}.on_failure`}
                  value={a.on_failure ?? []}
                  errors={errors}
                  readOnly={readOnly}
                  depth={depth + 1}
                  onChange={(on_failure) => set({ on_failure })}
                />
              </div>
            </>
          )}
        </>
      );
    case 'set_context':
      return (
        <>
          {text('key', t.key, t.keyHint)}
          <JSONText
            label={t.value}
            description={t.valueHint}
            value={a.value}
            readOnly={readOnly}
            error={error('value')}
            onChange={(value) => set({ value } as Partial<Action>)}
          />
        </>
      );
    case 'set_flag':
      return (
        <>
          {text('name', t.flag, t.flagHint)}
          <JSONText
            label={t.value}
            description={t.valueHint}
            value={a.value}
            readOnly={readOnly}
            error={error('value')}
            onChange={(value) => set({ value } as Partial<Action>)}
          />
        </>
      );
    case 'handoff':
      return (
        <Select
          label={t.agent}
          searchable
          data={[...new Set([...known.map((k) => k.name), ...(a.target_agent ? [a.target_agent] : [])])]}
          value={a.target_agent ?? null}
          readOnly={readOnly}
          error={error('target_agent')}
          onChange={(agent) => set({ target_agent: agent ?? undefined })}
        />
      );
    case 'transfer_call':
      return (
        <>
          <Transfer action={a} set={set} error={error} readOnly={readOnly} />
          <TagsInput
            label={t.allowed}
            description={t.allowedHint}
            value={a.allowed_numbers ?? []}
            readOnly={readOnly}
            error={error('allowed_numbers')}
            onChange={(allowed_numbers) =>
              set({ allowed_numbers: allowed_numbers.length ? allowed_numbers : undefined })
            }
          />
          {text('message', t.message)}
        </>
      );
    case 'send_dtmf':
      return text('digits', t.digits);
    default:
      return (
        <Textarea
          label={t.message}
          autosize
          minRows={2}
          value={a.message ?? ''}
          readOnly={readOnly}
          error={error('message')}
          onChange={(e) => set({ message: e.currentTarget.value })}
        />
      );
  }
}

/** JSONText edits a JSON value as text; what is no JSON is a text itself. */
function JSONText({
  label,
  description,
  value,
  onChange,
  error,
  readOnly,
}: {
  label: string;
  description: string;
  value: unknown;
  onChange: (value: unknown) => void;
  error?: string;
  readOnly: boolean;
}) {
  const [text, setText] = useState(
    value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2),
  );
  const change = (now: string) => {
    setText(now);
    try {
      onChange(now.trim() === '' ? undefined : JSON.parse(now));
    } catch {
      onChange(now);
    }
  };
  return (
    <Textarea
      label={label}
      description={description}
      value={text}
      onChange={(e) => change(e.currentTarget.value)}
      autosize
      minRows={2}
      maxRows={14}
      spellCheck={false}
      readOnly={readOnly}
      error={error}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
    />
  );
}

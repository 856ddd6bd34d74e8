import { Alert, Badge, Button, Group, JsonInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { Parameter, Tool } from './api';
import { api, result } from '../../api/client';
import { milliseconds } from '../../format';
import { toolsTexts } from './texts';
import { message } from '../../ui/Trouble';
import { texts } from '../../ui/texts';

const t = toolsTexts.trial;

/** valueOf is what a text stands for, as a parameter's type has it; what is no JSON stays a text, which the server refuses. */
function valueOf({ type }: Parameter, text: string): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Trial runs the saved tool with values of one's own, and shows its requests and their answers. */
export function Trial({ tool, dirty }: { tool: Tool; dirty: boolean }) {
  const parameters = tool.config.parameters ?? [];
  const [values, setValues] = useState<Record<string, string>>({});
  const [context, setContext] = useState('');
  const run = useMutation({
    mutationFn: () => {
      const given = Object.fromEntries(
        parameters.filter((p) => values[p.name]).map((p) => [p.name, valueOf(p, values[p.name])]),
      );
      return result(
        api.POST('/api/v1/tools/{name}/try', {
          params: { path: { name: tool.name } },
          body: { arguments: given, ...(context.trim() && { context: JSON.parse(context) }) },
        }),
      );
    },
  });
  const came = run.data;
  return (
    <Stack gap="md">
      {parameters.length > 0 && (
        <Group gap="sm" align="flex-start">
          {parameters.map((p) => (
            <TextInput
              key={p.name}
              label={p.name}
              description={p.description}
              required={p.required}
              withAsterisk={p.required}
              placeholder={p.type}
              flex="1 1 180px"
              value={values[p.name] ?? ''}
              onChange={(e) => setValues({ ...values, [p.name]: e.currentTarget.value })}
            />
          ))}
        </Group>
      )}
      <JsonInput
        label={t.context}
        description={t.contextHint}
        placeholder='{"user": {"name": "Ada"}}'
        validationError={t.contextWrong}
        autosize
        minRows={2}
        maxRows={10}
        value={context}
        onChange={setContext}
      />
      <Group>
        <Button
          variant="default"
          leftSection={<Play size={16} />}
          loading={run.isPending}
          disabled={dirty || !parses(context)}
          onClick={() => run.mutate()}
        >
          {t.run}
        </Button>
        {dirty && (
          <Text size="sm" c="dimmed">
            {t.saveFirst}
          </Text>
        )}
      </Group>
      {run.error && (
        <Alert color="red" variant="light">
          {message(run.error)}
        </Alert>
      )}
      {came && !run.isPending && (
        <Stack gap="sm" role="region" aria-label={t.outcome}>
          {came.requests.map((r, i) => (
            <div key={i} className="part">
              <Group gap={8} mb={8}>
                <Badge variant="light" color={r.status == null || r.status >= 300 ? 'red' : 'teal'}>
                  {r.status ?? t.noAnswer}
                </Badge>
                <Text size="xs" c="dimmed">
                  {milliseconds(r.duration_ms)}
                  {r.attempts > 1 ? `, ${t.attempts(r.attempts)}` : ''}
                </Text>
              </Group>
              <Text size="xs" c="dimmed" mb={2}>
                {t.request}
              </Text>
              <pre className="code" tabIndex={0}>
                {[
                  `${r.method} ${r.url}`,
                  ...Object.entries(r.headers ?? {}).map(([name, value]) => `${name}: ${String(value)}`),
                  ...(r.body ? ['', pretty(r.body)] : []),
                ].join('\n')}
              </pre>
              <Text size="xs" c="dimmed" mt={8} mb={2}>
                {t.answer}
              </Text>
              <pre className="code" tabIndex={0}>
                {r.error || prettyText(r.answer) || '–'}
              </pre>
            </div>
          ))}
          {came.requests.length === 0 && (
            <Text size="sm" c="dimmed">
              {t.noRequests}
            </Text>
          )}
          <dl style={{ margin: 0 }}>
            <div className="fact">
              <dt>{t.told}</dt>
              <dd style={{ whiteSpace: 'pre-wrap' }}>{came.answer}</dd>
            </div>
            {came.changes.map((c, i) => (
              <div key={i} className="fact">
                <dt className="mono">{c.path}</dt>
                <dd className="mono">{JSON.stringify(c.value)}</dd>
              </div>
            ))}
            {came.next && (
              <div className="fact">
                <dt>{t.next}</dt>
                <dd>
                  {[came.next.action.replaceAll('_', ' '), came.next.agent, came.next.number, came.next.message]
                    .filter(Boolean)
                    .join(', ')}
                </dd>
              </div>
            )}
            {came.problems.map((p, i) => (
              <div key={i} className="fact">
                <dt>{p.level === 'error' ? texts.common.error : texts.common.warning}</dt>
                <dd>{p.message}</dd>
              </div>
            ))}
          </dl>
        </Stack>
      )}
    </Stack>
  );
}

/** parses reports whether a text is JSON, or empty. */
function parses(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

/** prettyText is JSON with line breaks, and any other text as it is. */
function prettyText(text: string): string {
  return text.trim() !== '' && parses(text) ? pretty(JSON.parse(text)) : text;
}

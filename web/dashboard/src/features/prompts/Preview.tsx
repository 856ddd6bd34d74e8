import { Alert, Button, JsonInput, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Prompt } from './api';
import { isObject } from '../../api/patch';
import { api, result } from '../../api/client';
import { promptsTexts } from './texts';
import { message } from '../../ui/Trouble';

const t = promptsTexts;

const asObject = (value: unknown) => (isObject(value) ? value : undefined);

/** Preview fills a prompt in with a sample context, as a call would. */
export function Preview({ of: p, unsaved }: { of: Prompt; unsaved: boolean }) {
  const languages = Object.keys(p.content);
  const [language, setLanguage] = useState(languages.includes('en') ? 'en' : (languages[0] ?? 'en'));
  const [context, setContext] = useState('{\n  "user": { "name": "Ada" }\n}');
  let parsed: Record<string, unknown> | undefined;
  try {
    parsed = context.trim() === '' ? {} : asObject(JSON.parse(context));
  } catch {
    parsed = undefined;
  }
  const valid = parsed !== undefined;
  const show = useMutation({
    mutationFn: () =>
      result(
        api.POST('/api/v1/prompts/{slug}/preview', {
          params: { path: { slug: p.slug } },
          body: { language, context: parsed },
        }),
      ),
  });
  const missing = show.data?.missing ?? [];
  return (
    <section aria-label={t.preview} className="panel" style={{ padding: 16 }}>
      <Stack gap="sm">
        <div>
          <Text component="h2" fw={600}>
            {t.preview}
          </Text>
          <Text size="sm" c="dimmed">
            {unsaved ? t.previewUnsaved : t.previewHint}
          </Text>
        </div>
        <Select
          label={t.language}
          data={languages}
          value={language}
          allowDeselect={false}
          onChange={(l) => setLanguage(l ?? 'en')}
        />
        <JsonInput
          label={t.context}
          autosize
          minRows={4}
          maxRows={12}
          value={context}
          onChange={setContext}
          error={valid ? undefined : t.contextWrong}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        />
        <div>
          <Button size="xs" variant="default" loading={show.isPending} disabled={!valid} onClick={() => show.mutate()}>
            {t.run}
          </Button>
        </div>
        {show.error && (
          <Alert color="red" role="alert">
            {message(show.error)}
          </Alert>
        )}
        {show.data && (
          <div role="status">
            <Text size="xs" c="dimmed" mb={4}>
              {t.previewOf(show.data.language)}
            </Text>
            <pre className="code" tabIndex={0} style={{ fontFamily: 'inherit', fontSize: 14 }}>
              {show.data.text}
            </pre>
            {missing.length > 0 && (
              <Text size="sm" mt={6}>
                {t.missing(missing.join(', '))}
              </Text>
            )}
          </div>
        )}
      </Stack>
    </section>
  );
}

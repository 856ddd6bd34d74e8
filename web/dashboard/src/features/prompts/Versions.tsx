import { Badge, Button, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Prompt, prompt, type PromptVersion, prompts, promptVersions } from './api';
import { api, result } from '../../api/client';
import { diffLines } from './diff';
import { moment } from '../../format';
import { promptsTexts } from './texts';
import { Confirm } from '../../ui/resource/Confirm';
import { Loaded } from '../../ui/Trouble';
import { useAction } from '../../ui/resource/save';

const t = promptsTexts;

/** Versions lists a prompt's earlier versions, with their differences to the current one, and restores them. */
export function Versions({ of: now, writes }: { of: Prompt; writes: boolean }) {
  const [open, setOpen] = useState<number>();
  const [going, setGoing] = useState<number>();
  const rollback = useAction({
    send: (version: number) =>
      result(
        api.POST('/api/v1/prompts/{slug}/rollback', {
          params: { path: { slug: now.slug } },
          body: { version },
        }),
      ),
    refresh: [prompts.queryKey, prompt(now.slug).queryKey],
    said: t.rolledBack,
    done: () => setGoing(undefined),
  });
  return (
    <section aria-label={t.versions}>
      <Text component="h2" fw={600} mb="xs">
        {t.versions}
      </Text>
      <Loaded query={useQuery(promptVersions(now.slug))}>
        {(versions) => (
          <div className="panel" style={{ overflow: 'hidden' }}>
            {versions.map((v) => (
              <div key={v.version} style={{ borderBottom: '1px solid var(--line)' }}>
                <UnstyledButton
                  className="row"
                  style={{ borderBottom: 0 }}
                  aria-expanded={open === v.version}
                  disabled={v.version === now.version}
                  onClick={() => setOpen(open === v.version ? undefined : v.version)}
                >
                  <Text size="sm" fw={550} className="grow">
                    {t.version(v.version)}
                  </Text>
                  {v.version === now.version && (
                    <Badge size="sm" variant="default">
                      {t.present}
                    </Badge>
                  )}
                  <Text size="xs" c="dimmed" className="numbers">
                    {moment(v.created_at)}
                  </Text>
                </UnstyledButton>
                {open === v.version && (
                  <Stack gap="sm" p="md" pt={0}>
                    <Differences before={v} now={now} />
                    {writes && (
                      <div>
                        <Button size="xs" variant="default" onClick={() => setGoing(v.version)}>
                          {t.rollback}
                        </Button>
                      </div>
                    )}
                  </Stack>
                )}
              </div>
            ))}
          </div>
        )}
      </Loaded>
      {going !== undefined && (
        <Confirm
          title={t.rollbackTitle(going)}
          confirm={t.rollback}
          busy={rollback.isPending}
          onConfirm={() => rollback.mutate(going)}
          onClose={() => setGoing(undefined)}
        >
          {t.rollbackText}
        </Confirm>
      )}
    </section>
  );
}

const marks = { same: ' ', added: '+', removed: '−' };

function Differences({ before, now }: { before: PromptVersion; now: Prompt }) {
  const languages = [...new Set([...Object.keys(before.content), ...Object.keys(now.content)])].filter(
    (l) => before.content[l] !== now.content[l],
  );
  return (
    <div>
      <Text size="sm" c="dimmed" mb={6}>
        {languages.length === 0 ? t.same : t.compare(before.version)}
      </Text>
      {languages.map((l) => (
        <div key={l}>
          <Group gap={6} mb={4}>
            <Text size="xs" c="dimmed">
              {l}
            </Text>
          </Group>
          <pre className="code" tabIndex={0}>
            {diffLines(before.content[l] ?? '', now.content[l] ?? '').map((line, i) => (
              <span key={i} className={`line ${line.kind}`}>
                {line.kind !== 'same' && <span className="skip">{line.kind === 'added' ? t.added : t.removed}: </span>}
                {marks[line.kind]} {line.text}
                {'\n'}
              </span>
            ))}
          </pre>
        </div>
      ))}
    </div>
  );
}

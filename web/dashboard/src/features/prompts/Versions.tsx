import { useQuery } from '@tanstack/react-query';
import { type Prompt, prompt, prompts, promptVersions } from './api';
import { api, result } from '../../api/client';
import { promptsTexts } from './texts';
import { useAction } from '../../ui/resource/save';
import { Versions as List } from '../../ui/resource/Versions';

const t = promptsTexts;

/** Versions lists a prompt's versions, whose parts are its texts by language. */
export function Versions({ of: now, writes }: { of: Prompt; writes: boolean }) {
  const rollback = useAction({
    send: (version: number) =>
      result(api.POST('/api/v1/prompts/{slug}/rollback', { params: { path: { slug: now.slug } }, body: { version } })),
    refresh: [prompts.queryKey, prompt(now.slug).queryKey],
    said: t.rolledBack,
  });
  return (
    <List
      query={useQuery(promptVersions(now.slug))}
      current={now.version}
      parts={(before) =>
        [...new Set([...Object.keys(before.content), ...Object.keys(now.content)])].map((language) => ({
          label: language,
          before: before.content[language] ?? '',
          now: now.content[language] ?? '',
        }))
      }
      same={t.same}
      rollbackText={t.rollbackText}
      rollback={writes ? rollback : undefined}
    />
  );
}

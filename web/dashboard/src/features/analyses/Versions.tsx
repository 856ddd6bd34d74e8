import { useQuery } from '@tanstack/react-query';
import { type Analysis, analyses, analysis, analysisVersions } from './api';
import { api, result } from '../../api/client';
import { parts } from './draft';
import { analysesTexts } from './texts';
import { useAction } from '../../ui/resource/save';
import { Versions as List } from '../../ui/resource/Versions';

const t = analysesTexts;

/** Versions lists an analysis's versions, whose parts are its fields. */
export function Versions({ of: now, writes }: { of: Analysis; writes: boolean }) {
  const rollback = useAction({
    send: (version: number) =>
      result(api.POST('/api/v1/analyses/{name}/rollback', { params: { path: { name: now.name } }, body: { version } })),
    refresh: [analyses.queryKey, analysis(now.name).queryKey],
    said: t.rolledBack,
  });
  const current = parts(now);
  return (
    <List
      query={useQuery(analysisVersions(now.name))}
      current={now.version}
      parts={(version) => {
        const before = parts(version);
        return (Object.keys(current) as (keyof typeof current)[]).map((field) => ({
          label: t[field],
          before: before[field],
          now: current[field],
        }));
      }}
      same={t.same}
      rollbackText={t.rollbackText}
      rollback={writes ? rollback : undefined}
    />
  );
}

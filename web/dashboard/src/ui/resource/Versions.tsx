import { Badge, Button, Stack, Text, UnstyledButton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { moment } from '../../format';
import { Loaded } from '../Trouble';
import { Confirm } from './Confirm';
import { diffLines } from './diff';
import { versionTexts } from './versionTexts';

const t = versionTexts;

/** Part is a text of a resource, in an earlier version and in the current one. */
export interface Part {
  label: string;
  before: string;
  now: string;
}

interface Props<V> {
  query: UseQueryResult<V[]>;
  /** The number of the current version. */
  current: number;
  parts: (version: V) => Part[];
  /** What is said of a version whose parts are those of the current one. */
  same: string;
  rollbackText: string;
  /** Restores a version; undefined for those who may not. */
  rollback?: { mutate: (version: number, options: { onSuccess: () => void }) => void; isPending: boolean };
}

/** Versions lists a resource's versions, with their differences to the current one, and restores them. */
export function Versions<V extends { version: number; created_at: string }>({
  query,
  current,
  parts,
  same,
  rollbackText,
  rollback,
}: Props<V>) {
  const [open, setOpen] = useState<number>();
  const [going, setGoing] = useState<number>();
  return (
    <section aria-label={t.title}>
      <Text component="h2" fw={600} mb="xs">
        {t.title}
      </Text>
      <Loaded query={query}>
        {(versions) => (
          <div className="panel" style={{ overflow: 'hidden' }}>
            {versions.map((v) => (
              <div key={v.version} style={{ borderBottom: '1px solid var(--line)' }}>
                <UnstyledButton
                  className="row"
                  style={{ borderBottom: 0 }}
                  aria-expanded={open === v.version}
                  disabled={v.version === current}
                  onClick={() => setOpen(open === v.version ? undefined : v.version)}
                >
                  <Text size="sm" fw={550} className="grow">
                    {t.version(v.version)}
                  </Text>
                  {v.version === current && (
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
                    <Differences version={v.version} parts={parts(v)} same={same} />
                    {rollback && (
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
      {going !== undefined && rollback && (
        <Confirm
          title={t.rollbackTitle(going)}
          confirm={t.rollback}
          busy={rollback.isPending}
          onConfirm={() => rollback.mutate(going, { onSuccess: () => setGoing(undefined) })}
          onClose={() => setGoing(undefined)}
        >
          {rollbackText}
        </Confirm>
      )}
    </section>
  );
}

const marks = { same: ' ', added: '+', removed: '−' };

function Differences({ version, parts, same }: { version: number; parts: Part[]; same: string }) {
  const changed = parts.filter((p) => p.before !== p.now);
  return (
    <div>
      <Text size="sm" c="dimmed" mb={6}>
        {changed.length === 0 ? same : t.compare(version)}
      </Text>
      {changed.map((p) => (
        <div key={p.label}>
          <Text size="xs" c="dimmed" mb={4}>
            {p.label}
          </Text>
          <pre className="code" tabIndex={0}>
            {diffLines(p.before, p.now).map((line, i) => (
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

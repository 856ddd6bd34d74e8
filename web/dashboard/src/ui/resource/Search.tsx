import { Button, TextInput } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { texts } from '../texts';
import { Empty } from '../Page';
import { Loaded } from '../Trouble';

const t = texts.resource;
const step = 100;

/** Searched is a list whose rows are found by their words. */
export function Searched<T>({
  query,
  words,
  empty,
  children,
}: {
  query: UseQueryResult<T[]>;
  words: (item: T) => (string | null)[];
  empty: ReactNode;
  children: (item: T) => ReactNode;
}) {
  const [search, setSearch] = useState('');
  const [limit, setLimit] = useState(step);
  const needle = search.trim().toLowerCase();
  return (
    <Loaded query={query}>
      {(items) => {
        if (items.length === 0) return <div className="panel">{empty}</div>;
        const found = items.filter((item) => words(item).some((w) => w?.toLowerCase().includes(needle)));
        return (
          <>
            <TextInput
              mb="sm"
              leftSection={<Search size={16} />}
              placeholder={t.search}
              aria-label={t.search}
              value={search}
              onChange={(e) => setSearch(e.currentTarget.value)}
            />
            <div className="panel" style={{ overflow: 'hidden' }}>
              {found.length === 0 ? <Empty>{t.noMatch}</Empty> : found.slice(0, limit).map(children)}
            </div>
            {found.length > limit && (
              <Button mt="md" variant="default" onClick={() => setLimit(limit + step)}>
                {t.more}
              </Button>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

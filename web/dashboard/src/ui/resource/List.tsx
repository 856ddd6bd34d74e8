import { Button, Group, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { pageSize } from '../../api/pages';
import { texts } from '../texts';
import { Loaded } from '../Trouble';

/** List is a panel of what a query brought, a row each. */
export function List<T>({
  query,
  empty,
  children,
}: {
  query: UseQueryResult<T[]>;
  empty: ReactNode;
  children: (item: T) => ReactNode;
}) {
  return (
    <Loaded query={query}>
      {(items) => (
        <div className="panel" style={{ overflow: 'hidden' }}>
          {items.length === 0 ? empty : items.map(children)}
        </div>
      )}
    </Loaded>
  );
}

/** Pager goes through the pages of a list that is answered in pages of pageSize. */
export function Pager({ page, total, go }: { page: number; total: number; go: (page: number) => void }) {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  if (total === 0) return null;
  return (
    <Group justify="space-between" mt="md">
      <Text size="sm" c="dimmed" className="numbers">
        {texts.resource.page(page, pages, total)}
      </Text>
      {pages > 1 && (
        <Group gap="xs">
          <Button variant="default" size="xs" disabled={page <= 1} onClick={() => go(page - 1)}>
            {texts.common.previous}
          </Button>
          <Button variant="default" size="xs" disabled={page >= pages} onClick={() => go(page + 1)}>
            {texts.common.next}
          </Button>
        </Group>
      )}
    </Group>
  );
}

/** Fact is a line of a list of facts: what it is, and its value. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

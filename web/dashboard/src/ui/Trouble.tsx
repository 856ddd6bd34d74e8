import { Alert, Button, Center, Loader, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem, Unreachable } from '../api/client';
import { texts } from './texts';
import { NotFound } from './NotFound';

/** message is what an error says to a person. */
export function message(error: unknown): string {
  if (error instanceof Unreachable) return texts.connection.unreachable;
  return error instanceof Error && error.message ? error.message : texts.common.failed;
}

export function Loading() {
  return (
    <Center py={64}>
      <Loader size="sm" type="dots" aria-label={texts.common.loading} role="status" />
    </Center>
  );
}

/** Trouble is in the place of what could not be loaded. */
export function Trouble({ error, retry }: { error: unknown; retry: () => void }) {
  if (error instanceof Problem && (error.status === 404 || error.status === 422)) return <NotFound />;
  return (
    <Alert color="red" title={texts.common.failed} my="md">
      <Text size="sm" mb="sm">
        {message(error)}
      </Text>
      <Button size="xs" variant="default" onClick={retry}>
        {texts.common.retry}
      </Button>
    </Alert>
  );
}

/** Loaded shows what a query brought, or why it brought nothing. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <Trouble error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}

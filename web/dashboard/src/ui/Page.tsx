import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { texts } from './texts';

/** Page is the head of a page, and what follows it. */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · ${texts.product}`;
  }, [title]);
  return (
    <>
      <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
        <div style={{ minWidth: 0 }}>
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {lead && (
            <Text component="div" c="dimmed" size="sm" mt={4}>
              {lead}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </>
  );
}

/** Empty says what to do where there is nothing yet. */
export function Empty({ title, children, action }: { title?: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div style={{ padding: '48px 16px', textAlign: 'center' }}>
      {title && (
        <Text fw={600} mb={4}>
          {title}
        </Text>
      )}
      <Text c="dimmed" size="sm" maw={420} mx="auto">
        {children}
      </Text>
      {action && <div style={{ marginTop: 16 }}>{action}</div>}
    </div>
  );
}

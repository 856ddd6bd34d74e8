import { Group, Text } from '@mantine/core';
import { texts } from '../texts';

/** Status is a call's status, with its colour. */
export function Status({ status }: { status: string }) {
  return (
    <Group gap={8} wrap="nowrap">
      <span className={`dot ${status}`} />
      <Text size="sm" span>{texts.status[status] ?? status}</Text>
    </Group>
  );
}

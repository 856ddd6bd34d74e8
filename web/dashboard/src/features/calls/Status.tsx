import { Group, Text } from '@mantine/core';
import { callTexts, statusTexts } from './texts';

/** statusText is a call's status, or that it is on hold. */
export const statusText = (status: string, held = false) => (held ? callTexts.onHold : (statusTexts[status] ?? status));

/** Status is a call's status, with its colour. */
export function Status({ status, held = false }: { status: string; held?: boolean }) {
  return (
    <Group gap={8} wrap="nowrap">
      <span className={held ? 'dot held' : `dot ${status}`} />
      <Text size="sm" span>
        {statusText(status, held)}
      </Text>
    </Group>
  );
}

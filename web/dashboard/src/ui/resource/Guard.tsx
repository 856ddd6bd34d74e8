import { Button, Group, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { texts } from '../texts';

const t = texts.resource;

/** Guard asks before a page with unsaved changes is left. */
export function Guard({ dirty }: { dirty: boolean }) {
  const blocker = useBlocker({ shouldBlockFn: () => dirty, enableBeforeUnload: () => dirty, withResolver: true });
  return (
    <Modal
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title={t.leaveTitle}
      centered
      closeButtonProps={{ 'aria-label': t.stay }}
    >
      <Text size="sm" mb="lg">
        {t.leave}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => blocker.reset?.()} data-autofocus>
          {t.stay}
        </Button>
        <Button color="red.9" onClick={() => blocker.proceed?.()}>
          {t.leaveConfirm}
        </Button>
      </Group>
    </Modal>
  );
}

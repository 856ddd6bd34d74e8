import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../texts';

interface Props {
  title: string;
  confirm: string;
  /** What closes it; Cancel by default. */
  dismiss?: string;
  busy: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Confirm asks before what cannot be taken back. */
export function Confirm({ title, confirm, dismiss = texts.common.cancel, busy, onConfirm, onClose, children }: Props) {
  return (
    <Modal opened onClose={onClose} title={title} centered closeButtonProps={{ 'aria-label': texts.common.cancel }}>
      <Text size="sm" mb="lg" component="div">
        {children}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {dismiss}
        </Button>
        <Button color="red.9" loading={busy} onClick={onConfirm}>
          {confirm}
        </Button>
      </Group>
    </Modal>
  );
}

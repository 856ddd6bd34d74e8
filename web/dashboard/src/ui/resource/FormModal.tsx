import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { texts } from '../texts';
import { unplaced } from './save';

const t = texts.resource;

/** Faults says what of an error no field shows. */
export function Faults({ error, fields }: { error: unknown; fields: string[] }) {
  if (!error) return null;
  const rest = unplaced(error, fields);
  return (
    <Alert color="red" role="alert">
      {rest.length === 0
        ? t.faults
        : rest.map((line) => (
            <Text key={line} size="sm">
              {line}
            </Text>
          ))}
    </Alert>
  );
}

interface Props {
  title: string;
  lead?: ReactNode;
  submit?: string;
  saving: boolean;
  /** Whether it cannot be submitted yet. */
  disabled?: boolean;
  error: unknown;
  /** The fields that show their errors themselves. */
  fields: string[];
  size?: string;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** FormModal is a form over the page. */
export function FormModal({
  title,
  lead,
  submit = t.save,
  saving,
  disabled,
  error,
  fields,
  size = 'lg',
  onSubmit,
  onClose,
  children,
}: Props) {
  const send = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (!disabled) onSubmit();
  };
  return (
    <Modal opened onClose={onClose} title={title} size={size} closeButtonProps={{ 'aria-label': t.close }}>
      <form onSubmit={send} noValidate>
        <Stack gap="md">
          {lead && (
            <Text size="sm" c="dimmed" component="div">
              {lead}
            </Text>
          )}
          {children}
          <Faults error={error} fields={fields} />
          <Group justify="flex-end" className="modal-foot">
            <Button variant="default" onClick={onClose}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" loading={saving} disabled={disabled}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

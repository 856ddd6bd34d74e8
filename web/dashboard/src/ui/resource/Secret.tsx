import { Alert, Button, CopyButton, Group, Modal, Stack, TextInput } from '@mantine/core';
import { Check, Copy, KeyRound } from 'lucide-react';
import { texts } from '../texts';

/** Secret shows what the server tells once. It stays until the user has said that it is stored. */
export function Secret({
  title,
  label,
  hint,
  value,
  onClose,
}: {
  title: string;
  label: string;
  hint: string;
  value: string;
  onClose: () => void;
}) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      centered
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert variant="default" icon={<KeyRound size={18} />}>
          {hint}
        </Alert>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={label}
            readOnly
            value={value}
            className="grow"
            onFocus={(e) => e.currentTarget.select()}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          />
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                onClick={copy}
                leftSection={copied ? <Check size={16} /> : <Copy size={16} />}
                data-autofocus
                style={{ flex: 'none' }}
              >
                {copied ? texts.common.copied : texts.common.copy}
              </Button>
            )}
          </CopyButton>
        </Group>
        <Group justify="flex-end">
          <Button onClick={onClose}>{texts.resource.secretStored}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

import { Alert, Button, Checkbox, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { createElement, useEffect, useState } from 'react';
import { policy, type PublicToken, snippet, widgetScript } from './api';
import { texts } from '../../ui/texts';
import { embedTexts } from './texts';

const t = embedTexts;

/** Made shows the lines of a new token, which are shown once, and the agent as a page has it. */
export function Made({ token, onClose }: { token: PublicToken; onClose: () => void }) {
  const script = useQuery(widgetScript).data;
  const [pinned, setPinned] = useState(false);
  useEffect(() => {
    if (script) void import(/* @vite-ignore */ script.script);
  }, [script]);
  if (!script) return null;
  const lines = snippet(pinned ? script : undefined, token.token ?? '');
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.madeTitle}
      size="lg"
      centered
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert variant="default" icon={<KeyRound size={18} />}>
          {t.madeHint}
        </Alert>
        <Code block aria-label={t.snippet} tabIndex={0}>
          {lines}
        </Code>
        <Checkbox
          label={t.pin}
          description={t.pinHint}
          checked={pinned}
          onChange={(e) => setPinned(e.currentTarget.checked)}
        />
        <Text size="xs" c="dimmed">
          {t.policy}: <Code>{policy()}</Code>
        </Text>
        {token.origins.includes(location.origin) && (
          <section aria-label={t.preview}>{createElement('parley-agent', { token: token.token })}</section>
        )}
        <Group justify="flex-end">
          <CopyButton value={lines}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? texts.common.copied : texts.common.copy}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>{texts.resource.secretStored}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

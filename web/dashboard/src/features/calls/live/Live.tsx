import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Ear, EarOff, Mic, MicOff, PhoneForwarded, Undo2 } from 'lucide-react';
import { useEffect } from 'react';
import { message } from '../../../ui/Trouble';
import { type Trouble, useRoom } from './room';
import { liveTexts as t } from './texts';

const refreshInterval = 1500; // milliseconds

/** Live lets a person hear a live call, or speak with its caller in place of the agent. It keeps what is shown of the call up to date. */
export function Live({ id }: { id: string }) {
  const room = useRoom(id);
  const queries = useQueryClient();
  useEffect(() => {
    const timer = setInterval(
      () => void queries.invalidateQueries({ queryKey: ['calls', id] }, { cancelRefetch: false }),
      refreshInterval,
    );
    return () => clearInterval(timer);
  }, [queries, id]);
  const operates = room.part === 'take-over';
  return (
    <section className="panel" style={{ padding: 20 }}>
      <Text component="h2" fw={600}>
        {t.title}
      </Text>
      <Text size="sm" c="dimmed" mb="sm">
        {t.hint}
      </Text>
      <Stack gap="sm">
        <Group gap="sm">
          {!room.part && (
            <>
              <Button variant="default" leftSection={<Ear size={16} />} onClick={() => void room.begin('listen')}>
                {t.listen}
              </Button>
              <Button leftSection={<PhoneForwarded size={16} />} onClick={() => void room.begin('take-over')}>
                {t.takeOver}
              </Button>
            </>
          )}
          {room.part === 'listen' && (
            <>
              <Button variant="default" leftSection={<EarOff size={16} />} onClick={room.end}>
                {t.stopListening}
              </Button>
              <Button leftSection={<PhoneForwarded size={16} />} onClick={() => void room.begin('take-over')}>
                {t.takeOver}
              </Button>
            </>
          )}
          {operates && (
            <>
              <Button leftSection={<Undo2 size={16} />} onClick={room.end}>
                {t.giveBack}
              </Button>
              <Button
                variant="default"
                disabled={room.phase !== 'connected'}
                leftSection={room.muted ? <MicOff size={16} /> : <Mic size={16} />}
                onClick={() => void room.mute()}
              >
                {room.muted ? t.unmute : t.mute}
              </Button>
            </>
          )}
        </Group>
        <Text size="sm" role="status">
          {room.phase === 'connecting' && t.connecting}
          {room.phase === 'reconnecting' && t.reconnecting}
          {room.phase === 'connected' && (operates ? t.operating : t.listening)}
          {room.phase === 'idle' && room.givenBack && t.givenBack}
        </Text>
        {room.trouble && (
          <Alert color="red" variant="light">
            {troubleText(room.trouble)}
          </Alert>
        )}
      </Stack>
    </section>
  );
}

function troubleText(trouble: Trouble): string {
  switch (trouble.kind) {
    case 'microphone':
      return window.isSecureContext ? t.noMicrophone : t.insecure;
    case 'media':
      return t.lost(trouble.url);
    case 'other':
      return message(trouble.error);
  }
}

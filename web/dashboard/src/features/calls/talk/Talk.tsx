import { ActionIcon, Alert, Button, Group, JsonInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { createAudioAnalyser, type LocalAudioTrack } from 'livekit-client';
import { Keyboard, Mic, MicOff, PhoneOff, SendHorizontal } from 'lucide-react';
import { type FormEvent, Fragment, useEffect, useRef, useState } from 'react';
import { Problem } from '../../../api/client';
import { type AgentConfig } from '../../agents/api';
import { may, me } from '../../../api/me';
import { type MediaServer, mediaServer } from '../api';
import { talkTexts } from '../texts';
import { answerEnds, turnsBegun } from './transcript';
import { type Target, type Trouble, type UserContext, useCall } from './call';
import { message } from '../../../ui/Trouble';
import { TurnNotes, useTurnNotes } from './TurnNotes';

const t = talkTexts;

interface Props {
  target: Target;
  /** unsaved says that what is saved is not what the page shows. */
  unsaved?: boolean;
  /** draft returns the configuration to talk to where it is not the saved one; it throws where it is not valid. */
  draft?: () => AgentConfig;
  /** refused is told what the server finds wrong with the draft. */
  refused?: (problem: Problem) => void;
}

/** sampleContext is the user_context in a text, false for an empty text, undefined for a text that is no JSON object. */
export function sampleContext(text: string): UserContext | false | undefined {
  if (!text.trim()) return false;
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as UserContext) : undefined;
  } catch {
    return undefined;
  }
}

/** Talk holds a call with an agent or a saved workflow, by voice or in writing. */
export function Talk({ target, unsaved, draft, refused }: Props) {
  const call = useCall(target);
  const agent = 'agent' in target ? target.agent : t.agent;
  const calls = may(useQuery(me).data?.scopes, 'calls:write');
  const [microphones, setMicrophones] = useState<MediaDeviceInfo[]>([]);
  const [device, setDevice] = useState<string | null>(null);
  const [text, setText] = useState('');
  const [sample, setSample] = useState('');
  const context = sampleContext(sample);
  const begin = (microphone: boolean) =>
    void call.begin(microphone, microphone ? (device ?? undefined) : undefined, draft?.(), context || undefined);
  const bottom = useRef<HTMLDivElement>(null);
  useEffect(() => {
    bottom.current?.scrollTo({ top: bottom.current.scrollHeight });
  }, [call.lines]);
  useEffect(() => {
    const devices = navigator.mediaDevices;
    if (!devices?.enumerateDevices) return;
    const look = () =>
      void devices
        .enumerateDevices()
        .then((all) => setMicrophones(all.filter((d) => d.kind === 'audioinput' && d.deviceId && d.label)));
    look();
    devices.addEventListener('devicechange', look);
    return () => devices.removeEventListener('devicechange', look);
  }, [call.hasMicrophone]);
  const problem =
    call.trouble?.kind === 'other' && call.trouble.error instanceof Problem ? call.trouble.error : undefined;
  useEffect(() => {
    if (problem?.status === 422) refused?.(problem);
  }, [problem]);
  const ports = useQuery({ ...mediaServer, enabled: call.trouble?.kind === 'media' }).data;
  const live = call.phase !== 'idle' && call.phase !== 'ended';
  const ready = call.phase === 'talking' || call.phase === 'waiting';
  const notes = useTurnNotes(call.callID, live, call.lines);
  const ends = answerEnds(call.lines);
  const begun = turnsBegun(call.lines);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const said = text.trim();
    if (!said) return;
    setText('');
    await call.send(said);
  };
  return (
    <div className="panel" style={{ padding: 16 }}>
      <Group justify="space-between" mb={4} wrap="nowrap">
        <Text component="h2" fw={600}>
          {t.title}
        </Text>
        {live && (
          <Group gap={6} wrap="nowrap" role="status">
            <span className={call.phase === 'talking' ? 'dot active' : 'dot connecting'} />
            <Text size="xs" c="dimmed">
              {stateText(call.phase, call.agentState)}
            </Text>
          </Group>
        )}
      </Group>
      {!live && (
        <Text size="sm" c="dimmed" mb="sm">
          {calls ? t.lead : t.noCalls}
        </Text>
      )}
      {!live && unsaved && calls && (
        <Text size="sm" mb="sm">
          {t.saveFirst}
        </Text>
      )}
      {!live && draft && calls && (
        <Text size="sm" mb="sm">
          {t.unsavedHint}
        </Text>
      )}
      {call.trouble && (
        <Alert color={call.trouble.kind === 'microphone' ? 'yellow' : 'red'} mb="sm" role="alert">
          {troubleText(call.trouble, ports)}
        </Alert>
      )}
      {call.phase === 'reconnecting' && (
        <Alert color="orange" mb="sm" role="status">
          {t.reconnecting}
        </Alert>
      )}
      {(live || call.lines.length > 0) && (
        <div
          ref={bottom}
          style={{ height: 320, overflowY: 'auto', padding: '8px 0' }}
          tabIndex={0}
          role="log"
          aria-label={t.transcript}
        >
          {call.lines.length === 0 && (
            <Text size="sm" c="dimmed" ta="center" pt={120}>
              {t.empty}
            </Text>
          )}
          <div className="bubbles">
            {call.lines.map((line) => (
              <Fragment key={line.segment}>
                <div className={`bubble ${line.mine ? 'mine' : 'agent'} ${line.final ? '' : 'open'}`}>
                  <div className="who">{line.mine ? t.you : (line.agent ?? agent)}</div>
                  {line.text}
                </div>
                {ends.has(line.segment) && <TurnNotes notes={notes.get(ends.get(line.segment) as number)} />}
              </Fragment>
            ))}
            {begun > ends.size && <TurnNotes notes={notes.get(begun)} />}
          </div>
        </div>
      )}
      {call.phase === 'ended' && (
        <Group justify="space-between" mb="sm">
          <Text size="sm" c="dimmed" role="status">
            {t.ended}
          </Text>
          {call.callID && (
            <Link to="/calls/$id" params={{ id: call.callID }} style={{ fontSize: 14, textDecoration: 'underline' }}>
              {t.openCall}
            </Link>
          )}
        </Group>
      )}
      {live ? (
        <Stack gap="sm" mt="xs">
          {call.track && <Level track={call.track} muted={call.muted} />}
          <form onSubmit={send}>
            <TextInput
              value={text}
              onChange={(e) => setText(e.currentTarget.value)}
              placeholder={t.write}
              aria-label={t.write}
              disabled={!ready}
              maxLength={4000}
              autoComplete="off"
              rightSection={
                <ActionIcon type="submit" variant="subtle" disabled={!ready || !text.trim()} aria-label={t.send}>
                  <SendHorizontal size={16} />
                </ActionIcon>
              }
            />
          </form>
          <Group gap="xs" grow>
            {call.hasMicrophone ? (
              <Button
                variant="default"
                leftSection={call.muted ? <Mic size={16} /> : <MicOff size={16} />}
                onClick={() => void call.mute()}
                aria-pressed={call.muted}
              >
                {call.muted ? t.unmute : t.mute}
              </Button>
            ) : (
              <Button
                variant="default"
                leftSection={<Mic size={16} />}
                disabled={!ready}
                onClick={() => void call.speak(device ?? undefined)}
              >
                {t.useMicrophone}
              </Button>
            )}
            <Button color="red.9" leftSection={<PhoneOff size={16} />} onClick={call.end}>
              {t.end}
            </Button>
          </Group>
        </Stack>
      ) : (
        calls && (
          <Stack gap="sm">
            {microphones.length > 1 && (
              <Select
                label={t.microphone}
                placeholder={t.defaultMicrophone}
                clearable
                value={device}
                onChange={setDevice}
                data={[
                  ...new Map(microphones.map((m) => [m.deviceId, { value: m.deviceId, label: m.label }])).values(),
                ]}
              />
            )}
            <JsonInput
              label={t.sample}
              description={t.sampleHint}
              placeholder={'{"name": "Ada"}'}
              autosize
              minRows={1}
              maxRows={8}
              value={sample}
              onChange={setSample}
              error={context === undefined ? t.sampleFault : undefined}
            />
            <Button leftSection={<Mic size={16} />} disabled={context === undefined} onClick={() => begin(true)}>
              {call.phase === 'ended' ? t.again : t.start}
            </Button>
            <Button
              variant="default"
              leftSection={<Keyboard size={16} />}
              disabled={context === undefined}
              onClick={() => begin(false)}
            >
              {t.startText}
            </Button>
          </Stack>
        )
      )}
    </div>
  );
}

function stateText(phase: string, agentState?: string): string {
  if (phase === 'connecting') return t.connecting;
  if (phase === 'waiting') return t.waiting;
  return { listening: t.listening, thinking: t.thinking, speaking: t.speaking }[agentState ?? ''] ?? t.waiting;
}

function troubleText(trouble: Trouble, ports?: MediaServer): string {
  switch (trouble.kind) {
    case 'media':
      return [
        t.mediaUnreachable(trouble.url),
        ports?.udp_port && ports.tcp_port ? t.mediaPorts(ports.udp_port, ports.tcp_port) : t.mediaOutside,
      ].join(' ');
    case 'microphone':
      if (!window.isSecureContext) return t.insecure;
      return trouble.name === 'NotFoundError' || trouble.name === 'DevicesNotFoundError' ? t.noMicrophone : t.refused;
    default:
      return trouble.error instanceof Problem && trouble.error.status === 422 ? t.invalid : message(trouble.error);
  }
}

/** Level shows how loud the microphone is. */
function Level({ track, muted }: { track: LocalAudioTrack; muted: boolean }) {
  const bar = useRef<HTMLDivElement>(null);
  const meter = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const analyser = createAudioAnalyser(track, { cloneTrack: true, smoothingTimeConstant: 0.5 });
    const timer = setInterval(() => {
      const level = muted ? 0 : Math.min(1, analyser.calculateVolume() * 2.5);
      if (bar.current) bar.current.style.transform = `scaleX(${level})`;
      meter.current?.setAttribute('aria-valuenow', String(Math.round(level * 100)));
    }, 80);
    return () => {
      clearInterval(timer);
      void analyser.cleanup();
    };
  }, [track, muted]);
  return (
    <div
      className="level"
      ref={meter}
      role="meter"
      aria-label={t.level}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={0}
    >
      <div ref={bar} style={{ transform: 'scaleX(0)' }} />
    </div>
  );
}

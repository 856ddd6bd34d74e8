import {
  ConnectionState,
  createLocalAudioTrack,
  DisconnectReason,
  type LocalAudioTrack,
  ParticipantKind,
  Room,
  RoomEvent,
  Track,
} from 'livekit-client';
import { useEffect, useRef, useState } from 'react';
import { api, result } from '../../../api/client';
import type { AgentConfig } from '../../agents/api';
import { type Line, withLine } from './transcript';

export type Phase = 'idle' | 'connecting' | 'waiting' | 'talking' | 'reconnecting' | 'ended';
export type Trouble =
  { kind: 'microphone'; name: string } | { kind: 'media'; url: string } | { kind: 'other'; error: unknown };

interface State {
  phase: Phase;
  agentState?: string;
  lines: Line[];
  callID?: string;
  trouble?: Trouble;
  muted: boolean;
  hasMicrophone: boolean;
}

const idle: State = { phase: 'idle', lines: [], muted: false, hasMicrophone: false };

/** Target is whom a call is with: an agent alone, or a workflow. */
export type Target = { agent: string } | { workflow: string };

export type UserContext = Record<string, unknown>;

const start = (target: Target, draft?: AgentConfig, context?: UserContext) =>
  'agent' in target
    ? result(
        api.POST('/api/v1/calls/test-agent', {
          body: { agent_name: target.agent, config: draft, user_context: context },
        }),
      )
    : result(
        api.POST('/api/v1/calls', {
          body: { workflow_slug: target.workflow, call_type: 'voip', user_context: context },
        }),
      );

/** useCall holds one call at a time, until the component goes. */
export function useCall(target: Target) {
  const [state, setState] = useState<State>(idle);
  const [track, setTrack] = useState<LocalAudioTrack>();
  const room = useRef<Room>(undefined);
  const sounds = useRef(new Set<HTMLMediaElement>());
  const change = (part: Partial<State>) => setState((s) => ({ ...s, ...part }));
  const addLine = (line: Line) => setState((s) => ({ ...s, lines: withLine(s.lines, line) }));

  const close = () => {
    const current = room.current;
    room.current = undefined;
    void current?.disconnect();
    for (const element of sounds.current) element.remove();
    sounds.current.clear();
    setTrack(undefined);
  };
  useEffect(() => close, []);

  const speak = async (deviceId?: string) => {
    const current = room.current;
    if (!current) return;
    try {
      const made = await createLocalAudioTrack({
        deviceId: deviceId || undefined,
        echoCancellation: true,
        noiseSuppression: true,
        autoGainControl: true,
      });
      if (room.current !== current) return made.stop();
      await current.localParticipant.publishTrack(made, { source: Track.Source.Microphone });
      setTrack(made);
      change({ hasMicrophone: true, muted: false, trouble: undefined });
    } catch (error) {
      change({
        trouble: {
          kind: 'microphone',
          name: error instanceof DOMException || error instanceof Error ? error.name : '',
        },
      });
    }
  };

  /** begin starts a call; with a draft, the agent has that configuration in it; with a context, the call has that user_context. */
  const begin = async (microphone: boolean, deviceId?: string, draft?: AgentConfig, context?: UserContext) => {
    close();
    setState({ ...idle, phase: 'connecting' });
    const current = new Room({ disconnectOnPageLeave: true });
    room.current = current;
    let url = '';
    current
      .on(RoomEvent.TrackSubscribed, (remote) => {
        if (remote.kind !== Track.Kind.Audio) return;
        const element = remote.attach();
        element.hidden = true;
        document.body.append(element);
        sounds.current.add(element);
      })
      .on(RoomEvent.ParticipantAttributesChanged, (_, participant) => {
        if (participant.kind === ParticipantKind.AGENT)
          change({ phase: 'talking', agentState: participant.attributes['lk.agent.state'] });
      })
      .on(RoomEvent.Reconnecting, () => change({ phase: 'reconnecting' }))
      .on(RoomEvent.Reconnected, () => change({ phase: 'talking' }))
      .on(RoomEvent.Disconnected, (reason) => {
        if (room.current !== current) return;
        close();
        const lost = reason === DisconnectReason.SIGNAL_CLOSE || reason === DisconnectReason.UNKNOWN_REASON;
        setState((s) => ({ ...s, phase: 'ended', trouble: lost ? { kind: 'media', url } : s.trouble }));
      });
    current.registerTextStreamHandler('lk.transcription', async (reader, from) => {
      const segment = reader.info.attributes?.['lk.segment_id'] ?? reader.info.id;
      const agent = current.getParticipantByIdentity(from.identity)?.attributes['parley.agent'];
      const mine = from.identity === current.localParticipant.identity;
      let text = '';
      try {
        for await (const chunk of reader) {
          text += chunk;
          addLine({ segment, mine, agent, text, final: false });
        }
      } catch {
        return; // the room is gone; what came stays
      }
      addLine({
        segment,
        mine,
        agent,
        text,
        final: !mine || reader.info.attributes?.['lk.transcription_final'] === 'true',
      });
    });
    try {
      const started = await start(target, draft, context);
      if (room.current !== current) return;
      url = started.url ?? '';
      change({ callID: started.call_id });
      try {
        await current.connect(url, started.token ?? '');
      } catch {
        if (room.current === current) {
          close();
          change({ phase: 'ended', trouble: { kind: 'media', url } });
        }
        return;
      }
      setState((s) => (s.phase === 'connecting' ? { ...s, phase: 'waiting' } : s));
      const there = [...current.remoteParticipants.values()].find((p) => p.kind === ParticipantKind.AGENT);
      if (there?.attributes['lk.agent.state'])
        change({ phase: 'talking', agentState: there.attributes['lk.agent.state'] });
      if (microphone) await speak(deviceId);
    } catch (error) {
      if (room.current !== current) return;
      close();
      change({ phase: 'ended', trouble: { kind: 'other', error } });
    }
  };

  const end = () => {
    close();
    change({ phase: 'ended' });
  };
  const mute = async () => {
    if (!track) return;
    const muted = !state.muted;
    await (muted ? track.mute() : track.unmute());
    change({ muted });
  };
  const send = async (text: string) => {
    const current = room.current;
    if (current?.state === ConnectionState.Connected)
      await current.localParticipant.sendText(text, { topic: 'lk.chat' });
  };
  return { ...state, track, begin, end, mute, send, speak };
}

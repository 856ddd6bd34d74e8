import { createLocalAudioTrack, DisconnectReason, type LocalAudioTrack, Room, RoomEvent, Track } from 'livekit-client';
import { useEffect, useRef, useState } from 'react';
import { api, result } from '../../../api/client';

export type Part = 'listen' | 'take-over';
export type Trouble = { kind: 'microphone' } | { kind: 'media'; url: string } | { kind: 'other'; error: unknown };

interface State {
  part?: Part;
  phase: 'idle' | 'connecting' | 'connected' | 'reconnecting';
  trouble?: Trouble;
  muted: boolean;
  /** givenBack says that a take-over has ended. */
  givenBack: boolean;
}

const idle: State = { phase: 'idle', muted: false, givenBack: false };

const access = (part: Part, id: string) => {
  const params = { path: { id } };
  return part === 'listen'
    ? result(api.POST('/api/v1/calls/{id}/listen', { params }))
    : result(api.POST('/api/v1/calls/{id}/take-over', { params }));
};

/** useRoom hears a live call, or takes it over, until the component goes. */
export function useRoom(id: string) {
  const [state, setState] = useState<State>(idle);
  const room = useRef<Room>(undefined);
  const microphone = useRef<LocalAudioTrack>(undefined);
  const sounds = useRef(new Set<HTMLMediaElement>());
  const change = (part: Partial<State>) => setState((s) => ({ ...s, ...part }));

  const close = () => {
    const current = room.current;
    room.current = undefined;
    void current?.disconnect();
    microphone.current?.stop();
    microphone.current = undefined;
    for (const element of sounds.current) element.remove();
    sounds.current.clear();
  };
  useEffect(() => close, []);

  const begin = async (part: Part) => {
    close();
    const current = new Room({ disconnectOnPageLeave: true });
    room.current = current;
    setState({ ...idle, part, phase: 'connecting' });
    const fail = (trouble: Trouble) => {
      if (room.current !== current) return;
      close();
      setState({ ...idle, trouble });
    };
    let url = '';
    current
      .on(RoomEvent.TrackSubscribed, (remote) => {
        if (remote.kind !== Track.Kind.Audio) return;
        const element = remote.attach();
        element.hidden = true;
        document.body.append(element);
        sounds.current.add(element);
      })
      .on(RoomEvent.Reconnecting, () => change({ phase: 'reconnecting' }))
      .on(RoomEvent.Reconnected, () => change({ phase: 'connected' }))
      // The agent's side alone is in an operator's room: without it, the call is with the agent again.
      .on(RoomEvent.ParticipantDisconnected, () => {
        if (room.current === current && part === 'take-over') end(part);
      })
      .on(RoomEvent.Disconnected, (reason) => {
        if (room.current !== current) return;
        const lost = reason === DisconnectReason.SIGNAL_CLOSE || reason === DisconnectReason.UNKNOWN_REASON;
        if (lost) fail({ kind: 'media', url });
        else end(part);
      });
    if (part === 'take-over') {
      try {
        const made = await createLocalAudioTrack({
          echoCancellation: true,
          noiseSuppression: true,
          autoGainControl: true,
        });
        if (room.current !== current) return made.stop();
        microphone.current = made;
      } catch {
        return fail({ kind: 'microphone' });
      }
    }
    try {
      const allowed = await access(part, id);
      if (room.current !== current) return;
      url = allowed.url ?? '';
      await current.connect(url, allowed.token ?? '').catch(() => {
        throw undefined;
      });
      if (microphone.current)
        await current.localParticipant.publishTrack(microphone.current, { source: Track.Source.Microphone });
      if (room.current === current) change({ phase: 'connected' });
    } catch (error) {
      fail(error === undefined ? { kind: 'media', url } : { kind: 'other', error });
    }
  };
  const end = (part: Part | undefined) => {
    close();
    setState({ ...idle, givenBack: part === 'take-over' });
  };
  const mute = async () => {
    const muted = !state.muted;
    await (muted ? microphone.current?.mute() : microphone.current?.unmute());
    change({ muted });
  };
  return { ...state, begin, end: () => end(state.part), mute };
}

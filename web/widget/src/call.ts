import type { Room } from 'livekit-client';

/** State is that of a call. */
export type State =
  'idle' | 'connecting' | 'waiting' | 'listening' | 'thinking' | 'speaking' | 'reconnecting' | 'ended';

/** Trouble is why a call cannot begin, or has less than it should. */
export type Trouble = 'microphone' | 'refused' | 'busy' | 'unavailable' | 'lost';

/** Line is a turn of the transcript. A segment is sent again while it grows. */
export interface Line {
  segment: string;
  mine: boolean;
  text: string;
  final: boolean;
}

export interface Options {
  server: string;
  token: string;
  context: Record<string, unknown>;
  microphone: boolean;
  sound: boolean;
}

export interface Listener {
  state(state: State): void;
  line(line: Line): void;
  trouble(trouble: Trouble): void;
  microphone(has: boolean): void;
}

interface Started {
  url: string;
  token: string;
  call_id: string;
}

/** Failure is a request that was answered with an error. */
class Failure extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble);
  }
}

const agentStates: Record<string, State> = { listening: 'listening', thinking: 'thinking', speaking: 'speaking' };

/** Call is one call, from its start to its end. */
export class Call {
  private room?: Room;
  private over = false;
  /** the agent's last state, which is shown again after a reconnection */
  private agent: State = 'waiting';
  private readonly sounds = new Set<HTMLMediaElement>();
  id = '';

  constructor(
    private readonly options: Options,
    private readonly listener: Listener,
    /** where the agent's voice is attached */
    private readonly root: ShadowRoot,
  ) {}

  async begin(): Promise<void> {
    this.listener.state('connecting');
    try {
      const livekit = await import('livekit-client');
      const started = await this.start();
      if (this.over) return;
      this.id = started.call_id;
      const room = new livekit.Room({ disconnectOnPageLeave: true });
      this.room = room;
      this.listen(room, livekit);
      await room.connect(started.url, started.token);
      if (this.over) return this.close();
      this.listener.state(this.agent);
      for (const p of room.remoteParticipants.values()) this.follow(p.attributes);
      if (this.options.microphone) await this.speak();
    } catch (error) {
      if (this.over) return;
      this.listener.trouble(error instanceof Failure ? error.trouble : 'unavailable');
      this.close();
    }
  }

  /** speak publishes the microphone; without permission the call goes on in writing. */
  async speak(): Promise<void> {
    try {
      await this.room?.localParticipant.setMicrophoneEnabled(true, {
        echoCancellation: true,
        noiseSuppression: true,
        autoGainControl: true,
      });
      if (!this.over) this.listener.microphone(true);
    } catch {
      if (this.over) return;
      this.listener.microphone(false);
      this.listener.trouble('microphone');
    }
  }

  async mute(muted: boolean): Promise<void> {
    await this.room?.localParticipant.setMicrophoneEnabled(!muted);
  }

  async send(text: string): Promise<void> {
    await this.room?.localParticipant.sendText(text, { topic: 'lk.chat' });
  }

  end(): void {
    if (!this.over) this.close();
  }

  private async start(): Promise<Started> {
    let answer: Response;
    try {
      answer = await fetch(new URL('/api/v1/public-calls', this.options.server), {
        method: 'POST',
        headers: { Authorization: `Bearer ${this.options.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ user_context: this.options.context, microphone: this.options.microphone }),
        credentials: 'omit',
      });
    } catch {
      throw new Failure('unavailable');
    }
    if (answer.ok) return (await answer.json()) as Started;
    if (answer.status === 429 || answer.status === 503) throw new Failure('busy');
    throw new Failure(answer.status < 500 ? 'refused' : 'unavailable');
  }

  private listen(room: Room, { RoomEvent, Track, DisconnectReason }: typeof import('livekit-client')): void {
    const reconnecting = () => this.listener.state('reconnecting');
    room
      .on(RoomEvent.TrackSubscribed, (track) => {
        if (track.kind !== Track.Kind.Audio || !this.options.sound) return;
        const element = track.attach();
        element.hidden = true;
        this.root.append(element);
        this.sounds.add(element);
      })
      .on(RoomEvent.ParticipantAttributesChanged, (_, participant) => {
        if (participant !== room.localParticipant) this.follow(participant.attributes);
      })
      .on(RoomEvent.SignalReconnecting, reconnecting) // the session is resumed
      .on(RoomEvent.Reconnecting, reconnecting) // it is not: the room is joined again
      .on(RoomEvent.Reconnected, () => this.listener.state(this.agent))
      .on(RoomEvent.Disconnected, (reason) => {
        if (this.over) return;
        if (reason === DisconnectReason.SIGNAL_CLOSE || reason === DisconnectReason.UNKNOWN_REASON || !reason)
          this.listener.trouble('lost');
        this.close();
      });
    room.registerTextStreamHandler('lk.transcription', async (reader, from) => {
      const segment = reader.info.attributes?.['lk.segment_id'] ?? reader.info.id;
      const mine = from.identity === room.localParticipant.identity;
      let text = '';
      try {
        for await (const chunk of reader) this.listener.line({ segment, mine, text: (text += chunk), final: false });
      } catch {
        return; // the room is gone; what came stays
      }
      const final = !mine || reader.info.attributes?.['lk.transcription_final'] === 'true';
      this.listener.line({ segment, mine, text, final });
    });
  }

  /** follow reports the agent's state, which is an attribute of its participant. */
  private follow(attributes: Readonly<Record<string, string>>): void {
    const state = agentStates[attributes['lk.agent.state'] ?? ''];
    if (state) this.listener.state((this.agent = state));
  }

  private close(): void {
    this.over = true;
    void this.room?.disconnect();
    for (const element of this.sounds) element.remove();
    this.sounds.clear();
    this.listener.state('ended');
  }
}

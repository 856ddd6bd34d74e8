import { oggStreams, type Stream } from './ogg';

/** step is what one value of a waveform stands for, in seconds: an Opus packet of a recording. */
export const step = 0.02;

/** Part is a stretch of a recording: the loudness of both sides, from 0 to 1, for every step of it. */
export interface Part {
  caller: Float32Array;
  agent: Float32Array;
  /** Seconds that players drop at the beginning. */
  skipped: number;
}

/** canDecode reports whether this browser decodes Opus packets. Browsers do on https and on localhost. */
export const canDecode = () => typeof AudioDecoder !== 'undefined';

const atOnce = 256;

/** loudness decodes a recording and keeps the peak of every packet and side. Memory stays small, however long the recording is. */
export async function loudness(file: Uint8Array, signal: AbortSignal): Promise<Part[]> {
  const parts: Part[] = [];
  for (const stream of oggStreams(file)) parts.push(await decode(stream, signal));
  return parts;
}

async function decode({ packets, preSkip }: Stream, signal: AbortSignal): Promise<Part> {
  const part: Part = {
    caller: new Float32Array(packets.length),
    agent: new Float32Array(packets.length),
    skipped: preSkip / 48000,
  };
  let failed: unknown;
  let samples = new Float32Array(0);
  const decoder = new AudioDecoder({
    output: (sound) => {
      const at = Math.round(sound.timestamp / (step * 1e6));
      if (samples.length < sound.numberOfFrames) samples = new Float32Array(sound.numberOfFrames);
      const of = samples.subarray(0, sound.numberOfFrames);
      for (const [channel, side] of [part.caller, part.agent].entries()) {
        if (channel >= sound.numberOfChannels || at >= side.length) continue;
        sound.copyTo(of, { planeIndex: channel, format: 'f32-planar' });
        side[at] = peak(of);
      }
      sound.close();
    },
    error: (error) => (failed = error),
  });
  try {
    decoder.configure({ codec: 'opus', sampleRate: 48000, numberOfChannels: 2 });
    for (const [i, data] of packets.entries()) {
      signal.throwIfAborted();
      decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp: i * step * 1e6, duration: step * 1e6, data }));
      if (decoder.decodeQueueSize > atOnce)
        await new Promise((taken) => decoder.addEventListener('dequeue', taken, { once: true }));
    }
    await decoder.flush();
    if (failed) throw failed;
    return part;
  } finally {
    if (decoder.state !== 'closed') decoder.close();
  }
}

function peak(samples: Float32Array): number {
  let most = 0;
  for (const s of samples) most = Math.max(most, Math.abs(s));
  return Math.min(1, most);
}

/** outline is the path of a waveform in a box that is as wide as columns and 2 high, each column with the loudest of its values. */
export function outline(values: Float32Array, columns: number): string {
  const wide = Math.max(1, Math.min(columns, values.length));
  const loudest = Math.max(
    0.05,
    values.reduce((a, b) => Math.max(a, b), 0),
  );
  const heights: number[] = [];
  for (let x = 0; x < wide; x++) {
    const end = Math.max(Math.floor((x * values.length) / wide) + 1, Math.floor(((x + 1) * values.length) / wide));
    let most = 0;
    for (let i = Math.floor((x * values.length) / wide); i < end; i++) most = Math.max(most, values[i] ?? 0);
    // The square root shows quiet speech beside loud speech.
    heights.push(Math.sqrt(most / loudest) * 0.96);
  }
  const at = (x: number) => ((x * columns) / wide).toFixed(1);
  const above = heights.map((h, x) => `L${at(x + 0.5)} ${(1 - h).toFixed(3)}`);
  const below = heights.map((h, x) => `L${at(x + 0.5)} ${(1 + h).toFixed(3)}`).reverse();
  return `M0 1${above.join('')}L${columns} 1${below.join('')}Z`;
}

/** begins finds when the speech begins that is heard at a time, in seconds: after the last pause before it. */
export function begins(values: Float32Array, until: number, pause = 0.7): number {
  const threshold = Math.max(0.02, 0.08 * values.reduce((a, b) => Math.max(a, b), 0));
  let first = Math.min(values.length - 1, Math.round(until / step));
  let silent = 0;
  for (let i = first; i >= 0 && silent * step < pause; i--) {
    if (values[i] < threshold) silent++;
    else {
      silent = 0;
      first = i;
    }
  }
  return Math.max(0, first * step);
}

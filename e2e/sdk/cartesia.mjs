// Cartesia's own client against the emulator: it speaks two texts in one context, cancels one, and is refused with another key.
// node cartesia.mjs URL KEY prints a JSON object.
import { createRequire } from 'node:module';

// The package's ES modules find no WebSocket in node: they call require.
const { Cartesia } = createRequire(import.meta.url)('@cartesia/cartesia-js');

const [, , url, key] = process.argv;
const options = { model_id: 'sonic-3.5', voice: { mode: 'id', id: 'ada' }, output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24000 }, language: 'en', add_timestamps: true };

async function speak(apiKey) {
  const socket = await new Cartesia({ apiKey, baseURL: url }).tts.websocket();
  const context = socket.context({ ...options, contextId: 'c1' });
  await context.push({ transcript: 'Hello there. ' });
  await context.push({ transcript: 'Goodbye.' });
  await context.no_more_inputs();
  let bytes = 0;
  const types = new Set();
  for await (const event of context.receive()) {
    types.add(event.type);
    if (event.type === 'chunk') bytes += event.audio?.length ?? Buffer.from(event.data, 'base64').length;
  }
  socket.close();
  return { bytes, types: [...types].sort() };
}

/** cancel cancels a context after its first audio, and returns how many pieces it received. */
async function cancel() {
  const socket = await new Cartesia({ apiKey: key, baseURL: url }).tts.websocket();
  const context = socket.context({ ...options, contextId: 'c2' });
  await context.push({ transcript: 'This sentence is long enough to be cancelled before all of it was spoken. ' });
  let chunks = 0;
  for await (const event of context.receive()) {
    if (event.type === 'chunk' && ++chunks === 1) await context.cancel();
  }
  socket.close();
  return chunks;
}

const spoken = await speak(key);
const cancelledAfter = await cancel();
const refused = await speak('another').then(() => 'spoke', (e) => String(e.message));
console.log(JSON.stringify({ spoken, cancelledAfter, refused }));
process.exit(0);

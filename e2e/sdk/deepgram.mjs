// Deepgram's own client against the emulator: it recognises with Nova and with Flux, speaks with Aura, leaves each of them midway, and
// is refused with another key.
// node deepgram.mjs URL KEY AUDIO prints a JSON object; AUDIO is a file of 16 kHz linear PCM.
import { readFileSync } from 'node:fs';
import { DeepgramClient } from '@deepgram/sdk';

const [, , url, key, file] = process.argv;
const audio = readFileSync(file);
const form = { encoding: 'linear16', sample_rate: 16000, reconnectAttempts: 0 };

async function recognise(api, options, isFinal, text) {
  const client = new DeepgramClient({ apiKey: key, baseUrl: url.replace(/^http/, 'ws') });
  const socket = await client.listen[api].connect({ ...options, ...form, Authorization: `Token ${key}` });
  const events = [];
  const heard = new Promise((resolve, reject) => {
    socket.on('message', (m) => {
      events.push(m.event ?? m.type);
      if (isFinal(m)) resolve(text(m));
    });
    socket.on('error', reject);
  });
  socket.connect();
  await socket.waitForOpen();
  for (let at = 0; at < audio.length; at += 2560) socket.sendMedia(audio.subarray(at, at + 2560));
  const said = await heard;
  socket.sendCloseStream({ type: 'CloseStream' });
  socket.close();
  return { said, events };
}

/** leave ends a stream within an utterance. Returns the words of Finalize, where there is one, the events after it and the close code. */
async function leave(api, options, finalize) {
  const client = new DeepgramClient({ apiKey: key, baseUrl: url.replace(/^http/, 'ws') });
  const socket = await client.listen[api].connect({ ...options, ...form, Authorization: `Token ${key}` });
  const events = [];
  let said = '';
  const finalized = new Promise((resolve) => socket.on('message', (m) => {
    events.push(m.event ?? m.type);
    if (m.from_finalize) said = m.channel.alternatives[0].transcript;
    if (!finalize || m.from_finalize) resolve();
  }));
  const closed = new Promise((resolve) => socket.on('close', (e) => resolve(e.code)));
  socket.connect();
  await socket.waitForOpen();
  for (let at = 0; at < 25600; at += 2560) socket.sendMedia(audio.subarray(at, at + 2560)); // 0.8 s, all of it sound
  if (finalize) socket.sendFinalize({ type: 'Finalize' });
  await finalized;
  socket.sendCloseStream({ type: 'CloseStream' });
  const code = await closed;
  return { said, events, code };
}

const refused = (await fetch(`${url}/v1/listen?model=nova-3&encoding=linear16&sample_rate=16000`, { headers: { Authorization: 'Token another' } })).status;
const nova = await recognise('v1', { model: 'nova-3', interim_results: 'true' }, (m) => m.type === 'Results' && m.speech_final, (m) => m.channel.alternatives[0].transcript);
const flux = await recognise('v2', { model: 'flux-general-en', eager_eot_threshold: 0.5, keyterm: ['Rome'] }, (m) => m.event === 'EndOfTurn', (m) => m.transcript);
const client = new DeepgramClient({ apiKey: key, baseUrl: url, environment: { base: url, production: url.replace(/^http/, 'ws'), agent: url } });
const speak = async (model) => (await client.speak.v1.audio.generate({ text: 'Hello there.', model, encoding: 'linear16', sample_rate: 24000, container: 'none' })).arrayBuffer();
const spoken = (await speak('aura-2-thalia-en')).byteLength;
const voiceless = await speak('aura-2-unknown-voice-en').then(() => 0, (error) => error.statusCode);
const leftNova = await leave('v1', { model: 'nova-3' }, true);
const leftFlux = await leave('v2', { model: 'flux-general-en' }, false);
const abort = new AbortController();
const long = await client.speak.v1.audio.generate({ text: 'A sentence that is longer. '.repeat(40), model: 'aura-2-thalia-en', encoding: 'linear16', sample_rate: 24000, container: 'none' }, { abortSignal: abort.signal });
const reader = long.stream().getReader();
const abortedAfter = (await reader.read()).value.length;
abort.abort();
const aborted = await (async () => { for (;;) if ((await reader.read()).done) return 'spoken to its end'; })().catch((e) => e.name);
console.log(JSON.stringify({ refused, nova, flux, spoken, voiceless, leftNova, leftFlux, abortedAfter, aborted }));
process.exit(0);

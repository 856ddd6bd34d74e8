// ElevenLabs' own client against the emulator: it recognises with Scribe v2 Realtime, by commits and by detection of silence, leaves within
// an utterance, lists models, and is refused with another key. Its voices speak over HTTP, which Parley does not use; LiveKit's plugin
// speaks with them here. node elevenlabs.mjs URL KEY AUDIO prints a JSON object; AUDIO is a file of 16 kHz linear PCM.
import { readFileSync } from 'node:fs';
import { AudioFormat, CommitStrategy, ElevenLabsClient, RealtimeEvents } from '@elevenlabs/elevenlabs-js';

const [, , baseUrl, key, file] = process.argv;
const audio = readFileSync(file);

const connect = (apiKey, commitStrategy) =>
  new ElevenLabsClient({ apiKey, baseUrl }).speechToText.realtime.connect({
    modelId: 'scribe_v2_realtime', audioFormat: AudioFormat.PCM_16000, sampleRate: 16000, commitStrategy, languageCode: 'en', keyterms: ['Rome'],
  });

async function recognise(commitStrategy) {
  const connection = await connect(key, commitStrategy);
  const types = new Set();
  const said = new Promise((resolve, reject) => {
    connection.on(RealtimeEvents.SESSION_STARTED, () => types.add('session_started'));
    connection.on(RealtimeEvents.PARTIAL_TRANSCRIPT, () => types.add('partial_transcript'));
    connection.on(RealtimeEvents.COMMITTED_TRANSCRIPT, (data) => resolve(data.text));
    connection.on(RealtimeEvents.ERROR, (data) => reject(new Error(JSON.stringify(data))));
  });
  await new Promise((resolve) => connection.on(RealtimeEvents.OPEN, resolve));
  for (let at = 0; at < audio.length; at += 3200) connection.send({ audioBase64: audio.subarray(at, at + 3200).toString('base64') });
  if (commitStrategy === CommitStrategy.MANUAL) connection.commit();
  const result = { said: await said, types: [...types] };
  connection.close();
  return result;
}

/** leave closes the connection once something of an utterance was recognised, and returns it. */
async function leave() {
  const connection = await connect(key, CommitStrategy.MANUAL);
  const partial = new Promise((resolve) => connection.on(RealtimeEvents.PARTIAL_TRANSCRIPT, (data) => resolve(data.text)));
  const closed = new Promise((resolve) => connection.on(RealtimeEvents.CLOSE, resolve));
  await new Promise((resolve) => connection.on(RealtimeEvents.OPEN, resolve));
  for (let at = 0; at < 32000; at += 3200) connection.send({ audioBase64: audio.subarray(at, at + 3200).toString('base64') }); // 1 s, all of it sound
  const said = await partial;
  connection.close();
  await closed;
  return said;
}

const models = (apiKey) => new ElevenLabsClient({ apiKey, baseUrl, maxRetries: 0 }).models.list();

async function refused() {
  const connection = await connect('another', CommitStrategy.MANUAL);
  connection.on(RealtimeEvents.ERROR, () => {}); // sent as well
  return new Promise((resolve) => connection.on(RealtimeEvents.AUTH_ERROR, (data) => resolve(data.message_type)));
}

console.log(JSON.stringify({ manual: await recognise(CommitStrategy.MANUAL), vad: await recognise(CommitStrategy.VAD), refused: await refused(),
  left: await leave(), models: (await models(key)).map((m) => m.modelId), modelsRefused: await models('another').then(() => 0, (e) => e.statusCode) }));
process.exit(0);

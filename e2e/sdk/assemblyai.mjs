// AssemblyAI's own client against the emulator: it recognises with two families, leaves within a turn, and is refused
// with another key.
// node assemblyai.mjs URL KEY AUDIO prints a JSON object; AUDIO is a file of 16 kHz linear PCM.
import { readFileSync } from 'node:fs';
import { StreamingTranscriber } from 'assemblyai';

const [, , url, key, file] = process.argv;
const audio = readFileSync(file);
const websocketBaseUrl = `${url.replace(/^http/, 'ws')}/v3/ws`;

async function recognise(speechModel) {
  const transcriber = new StreamingTranscriber({ apiKey: key, websocketBaseUrl, sampleRate: 16000, speechModel });
  const heard = new Promise((resolve, reject) => {
    transcriber.on('turn', (turn) => turn.end_of_turn && resolve({ said: turn.transcript, formatted: turn.turn_is_formatted }));
    transcriber.on('error', reject);
  });
  await transcriber.connect();
  for (let at = 0; at < audio.length; at += 3200) transcriber.sendAudio(audio.subarray(at, at + 3200));
  transcriber.forceEndpoint();
  const result = await heard;
  await transcriber.close();
  return result;
}

/** leave terminates the session within a turn. Returns its last message before the Termination, which the client waits for. */
async function leave() {
  const transcriber = new StreamingTranscriber({ apiKey: key, websocketBaseUrl, sampleRate: 16000, speechModel: 'u3-rt-pro' });
  const turns = [];
  const began = new Promise((resolve, reject) => {
    transcriber.on('turn', (turn) => { turns.push(turn); resolve(); });
    transcriber.on('error', reject);
  });
  await transcriber.connect();
  for (let at = 0; at < 32000; at += 3200) transcriber.sendAudio(audio.subarray(at, at + 3200)); // 1 s, all of it sound
  await began;
  await transcriber.close(true, 0);
  return { said: turns.at(-1).transcript, ended: turns.at(-1).end_of_turn };
}

async function refused() {
  const transcriber = new StreamingTranscriber({ apiKey: 'another', websocketBaseUrl, sampleRate: 16000, speechModel: 'u3-rt-pro' });
  transcriber.on('error', () => {});
  return transcriber.connect().then(() => 'connected', (error) => error.code);
}

console.log(JSON.stringify({ universal: await recognise('universal-streaming-english'), pro: await recognise('u3-rt-pro'), left: await leave(), refused: await refused() }));
process.exit(0);

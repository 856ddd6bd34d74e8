// OpenAI's own client against the emulators of OpenAI's and Groq's audio: it transcribes a recording, speaks, aborts speech, and is
// refused with another key. node openai-audio.mjs URLS KEY WAV prints a JSON object; URLS is a JSON object of addresses by vendor.
import { createReadStream } from 'node:fs';
import OpenAI from 'openai';

const [, , addresses, key, file] = process.argv;
const models = {
  openai: { stt: 'gpt-transcribe', tts: { model: 'gpt-4o-mini-tts', voice: 'ash', response_format: 'pcm' } },
  groq: { stt: 'whisper-large-v3-turbo', tts: { model: 'canopylabs/orpheus-v1-english', voice: 'hannah', response_format: 'wav' } },
};
const status = (request) => request.then(() => 0, (error) => error.status);

const results = {};
for (const [vendor, baseURL] of Object.entries(JSON.parse(addresses))) {
  const { stt, tts } = models[vendor];
  const clientOf = (apiKey) => new OpenAI({ apiKey, baseURL, maxRetries: 0 });
  const transcribe = (apiKey) => clientOf(apiKey).audio.transcriptions.create({ model: stt, file: createReadStream(file), response_format: 'json' });
  const speak = (apiKey, input, options) => clientOf(apiKey).audio.speech.create({ ...tts, input }, options);
  const spoken = (await (await speak(key, 'Hello there.')).arrayBuffer()).byteLength;
  const abort = new AbortController();
  const reader = (await speak(key, 'A sentence that is longer. '.repeat(20), { signal: abort.signal })).body.getReader();
  await reader.read();
  abort.abort();
  const aborted = await (async () => { for (;;) if ((await reader.read()).done) return 'spoken to its end'; })().catch((e) => e.name);
  results[vendor] = {
    said: (await transcribe(key)).text.trim(), spoken, aborted,
    refused: [await status(transcribe('another')), await status(speak('another', 'Hello.'))],
  };
}
console.log(JSON.stringify(results));
process.exit(0);

// LiveKit's plugins against the emulators: they recognise, speak, and are refused with another key.
// node livekit-speech.mjs URLS KEY AUDIO prints a JSON object; URLS is a JSON object of the emulators' addresses, AUDIO a file of
// 16 kHz linear PCM.
import { readFileSync } from 'node:fs';
import { AudioFrame } from '@livekit/rtc-node';
import { initializeLogger, stt, tts } from '@livekit/agents';
import * as cartesia from '@livekit/agents-plugin-cartesia';
import * as deepgram from '@livekit/agents-plugin-deepgram';
import * as elevenlabs from '@livekit/agents-plugin-elevenlabs';
import * as openai from '@livekit/agents-plugin-openai';

initializeLogger({ pretty: false, level: 'silent' });
const [, , addresses, key, file] = process.argv;
const urls = JSON.parse(addresses);
const bytes = readFileSync(file);
const pcm = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
const connOptions = { maxRetry: 0, retryIntervalMs: 100, timeoutMs: 10_000 };
const ws = (url) => url.replace(/^http/, 'ws');
const frames = function* () {
  for (let at = 0; at < pcm.length; at += 1600) yield new AudioFrame(pcm.slice(at, at + 1600), 16000, 1, Math.min(1600, pcm.length - at));
};
const nameOf = Object.fromEntries(Object.entries(stt.SpeechEventType).filter(([, v]) => typeof v === 'number').map(([k, v]) => [v, k]));

/** Streams the recording. Returns the first final transcript and the types of the events up to it. */
async function recognise(recogniser) {
  const failed = new Promise((_, reject) => recogniser.on('error', (e) => reject(e.error)));
  const stream = recogniser.stream({ connOptions });
  for (const frame of frames()) stream.pushFrame(frame);
  stream.flush();
  const events = [];
  const heard = (async () => {
    for await (const event of stream) {
      events.push(nameOf[event.type] ?? event.type);
      if (event.type === stt.SpeechEventType.FINAL_TRANSCRIPT) return event.alternatives[0].text;
    }
    return '';
  })();
  const said = await Promise.race([heard, failed]);
  stream.close();
  return { said, events };
}

/** Speaks two sentences. Returns the samples, the number of words with times, and whether the end was reported. */
async function speak(voice) {
  const failed = new Promise((_, reject) => voice.on('error', (e) => reject(e.error)));
  const stream = voice.stream({ connOptions });
  stream.pushText('Hello there, this is the garden restaurant. ');
  stream.pushText('What can I do for you?');
  stream.endInput();
  const spoken = (async () => {
    let [samples, words, ended] = [0, 0, false];
    for await (const audio of stream) {
      if (audio === tts.SynthesizeStream.END_OF_STREAM) { ended = true; break; }
      samples += audio.frame.samplesPerChannel;
      words += audio.timedTranscripts?.length ?? 0;
      if (audio.final) { ended = true; break; }
    }
    return { samples, words, ended };
  })();
  const result = await Promise.race([spoken, failed]);
  stream.close();
  return result;
}

const refusal = (request) => request.then(() => 0, (e) => e.statusCode ?? -1);

const recognisers = {
  nova: (apiKey) => new deepgram.STT({ apiKey, baseUrl: ws(urls.deepgram), model: 'nova-3', language: 'en', keyterm: ['Rome'] }),
  flux: (apiKey) => new deepgram.STTv2({ apiKey, endpointUrl: `${ws(urls.deepgram)}/v2/listen`, eagerEotThreshold: 0.4, keyterms: ['Rome'] }),
  scribe: (apiKey) => new elevenlabs.STT({ apiKey, baseURL: `${urls.elevenlabs}/v1`, model: 'scribe_v2_realtime', languageCode: 'en' }),
};
const voices = {
  cartesia: (apiKey) => new cartesia.TTS({ apiKey, baseUrl: urls.cartesia, model: 'sonic-3' }),
  elevenlabs: (apiKey) => new elevenlabs.TTS({ apiKey, baseURL: `${urls.elevenlabs}/v1`, model: 'eleven_flash_v2_5', voiceId: 'ada', encoding: 'pcm_24000' }),
};
const refused = {};
const recognised = {};
for (const [name, open] of Object.entries(recognisers)) {
  recognised[name] = await recognise(open(key));
  refused[name] = await refusal(recognise(open('another')));
}
const spoken = {};
for (const [name, open] of Object.entries(voices)) {
  spoken[name] = await speak(open(key));
  refused[name] = await refusal(speak(open('another')));
}
const groq = await openai.STT.withGroq({ apiKey: key, baseURL: urls.groq, language: 'en' }).recognize([...frames()]);
recognised.groq = { said: groq.alternatives[0].text, events: [] };
spoken.openai = { samples: 0, words: 0, ended: true };
const voice = new openai.TTS({ apiKey: key, baseURL: urls.openai, model: 'gpt-4o-mini-tts', voice: 'ash' });
for await (const audio of voice.synthesize('Hello there, this is the garden restaurant.')) spoken.openai.samples += audio.frame.samplesPerChannel;
console.log(JSON.stringify({ recognised, spoken, refused }));
process.exit(0);

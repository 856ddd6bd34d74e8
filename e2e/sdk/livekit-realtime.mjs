// LiveKit's plugins for speech to speech against the emulators: each hears the caller, has a tool called, speaks its result, and is
// refused with another key. node livekit-realtime.mjs URLS KEY AUDIO prints a JSON object; URLS is a JSON object of the emulators'
// addresses, AUDIO a file of 16 kHz linear PCM.
import { readFileSync } from 'node:fs';
import { AudioFrame } from '@livekit/rtc-node';
import { initializeLogger, llm } from '@livekit/agents';
import * as google from '@livekit/agents-plugin-google';
import * as openai from '@livekit/agents-plugin-openai';

initializeLogger({ pretty: false, level: 'silent' });
const [, , addresses, key, file] = process.argv;
const urls = JSON.parse(addresses);
const bytes = readFileSync(file);
const pcm = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
const connOptions = { maxRetry: 0, retryIntervalMs: 100, timeoutMs: 10_000 };
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
const toolCtx = new llm.ToolContext([llm.tool({ name: 'weather', description: 'The weather of a city.', parameters, execute: async () => 'sunny' })]);
const next = (emitter, event, wanted = () => true) => new Promise((resolve) => emitter.on(event, (e) => wanted(e) && resolve(e)));

/** Reads a generation: its text, its samples and its first call. */
async function readGeneration(generation) {
  let [text, samples, call] = ['', 0, undefined];
  const calls = (async () => { for await (const c of generation.functionStream) call ??= c; })();
  for await (const message of generation.messageStream) {
    await Promise.all([
      (async () => { for await (const part of message.textStream) text += part.text ?? part; })(),
      (async () => { for await (const frame of message.audioStream) samples += frame.samplesPerChannel; })(),
    ]);
  }
  await calls;
  return { text, samples, call: call && { id: call.callId, name: call.name, arguments: call.args }, made: call };
}

async function converse(model, commits) {
  const session = model.session();
  // Google's closes its connection without a code to change its tools, and reports the echo, 1005, as an error.
  const failed = new Promise((_, reject) => session.on('error', (e) => e.error?.statusCode !== 1005 && reject(e.error ?? e)));
  const run = async () => {
    await session.updateInstructions('Be brief.');
    await session.updateTools(toolCtx);
    const transcribed = next(session, 'input_audio_transcription_completed', (e) => e.isFinal ?? true);
    let generated = next(session, 'generation_created');
    if (!commits) session.startUserActivity();
    for (let at = 0; at < pcm.length; at += 1600) session.pushAudio(new AudioFrame(pcm.slice(at, at + 1600), 16000, 1, Math.min(1600, pcm.length - at)));
    if (commits) {
      await session.commitAudio();
      session.generateReply().catch(() => {});
    }
    const first = await readGeneration(await generated);
    const heard = (await transcribed).transcript;
    generated = next(session, 'generation_created');
    const context = session.chatCtx.copy();
    if (!context.items.some((item) => item.type === 'function_call')) context.insert(first.made);
    context.insert(llm.FunctionCallOutput.create({ callId: first.made.callId, name: 'weather', output: 'sunny', isError: false }));
    await session.updateChatCtx(context);
    if (commits) session.generateReply().catch(() => {});
    const second = await readGeneration(await generated);
    delete first.made;
    delete second.made;
    return { heard, first, second };
  };
  const result = await Promise.race([run(), failed]);
  await session.close();
  return result;
}

async function refusal(model) {
  const session = model.session();
  // OpenAI's reports a refused connection as an error that nobody handles.
  const error = await Promise.race([next(session, 'error'), next(process, 'uncaughtException')]);
  return String(error.error?.message ?? error.message ?? error);
}

const models = {
  openai: [(apiKey) => new openai.realtime.RealtimeModel({ apiKey, baseURL: `${urls.openai}/v1`, model: 'gpt-realtime', voice: 'marin', turnDetection: null, connOptions }), true],
  google: [(apiKey) => new google.beta.realtime.RealtimeModel({ apiKey, model: 'gemini-3.8-live', voice: 'Puck', httpOptions: { baseUrl: urls.google }, connOptions }), false],
};
const results = {};
for (const [name, [open, commits]] of Object.entries(models)) results[name] = { ...await converse(open(key), commits), refused: await refusal(open('another')) };
console.log(JSON.stringify(results));
process.exit(0);

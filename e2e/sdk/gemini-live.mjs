// Google's own client against the emulator of Gemini's Live API: it speaks, with activity detected and marked, has a function called
// and answers with its result, adds a turn, interrupts an answer, and is refused with another key. node gemini-live.mjs URL KEY PCM
// prints a JSON object; the file holds 16 kHz linear PCM.
import { readFileSync } from 'node:fs';
import { Behavior, GoogleGenAI, Modality } from '@google/genai';

const [, , baseUrl, key, file] = process.argv;
const audio = readFileSync(file);
const tools = [{ functionDeclarations: [{ name: 'weather', description: 'The weather of a city.', behavior: Behavior.BLOCKING, parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] } }] }];

async function open(apiKey, realtimeInputConfig) {
  const messages = [];
  const waiting = [];
  let closed;
  const ended = new Promise((resolve) => { closed = resolve; });
  const session = await Promise.race([
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl } }).live.connect({
      model: 'gemini-3.8-live',
      callbacks: {
        onmessage: (m) => { messages.push(m); for (const check of waiting) check(); },
        onclose: (e) => closed(e),
      },
      config: {
        responseModalities: [Modality.AUDIO], inputAudioTranscription: {}, outputAudioTranscription: {}, systemInstruction: 'Be brief.', tools, realtimeInputConfig,
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Puck' } } },
      },
    }),
    ended,
  ]);
  let seen = 0;
  // next returns the messages up to the first that is meant, which follow those that were returned before.
  const next = (is) => new Promise((resolve) => {
    const check = () => {
      const at = messages.findIndex((m, i) => i >= seen && is(m));
      if (at < 0) return;
      const part = messages.slice(seen, at + 1);
      seen = at + 1;
      waiting.length = 0;
      resolve(part);
    };
    waiting.push(check);
    check();
  });
  return { session, next, ended };
}

const pcm = (data) => ({ audio: { data: Buffer.from(data).toString('base64'), mimeType: 'audio/pcm;rate=16000' } });
const send = (session) => { for (let at = 0; at < audio.length; at += 3200) session.sendRealtimeInput(pcm(audio.subarray(at, at + 3200))); };
const texts = (list, field) => list.map((m) => m.serverContent?.[field]?.text ?? '').join('');
const bytes = (list) => list.flatMap((m) => m.serverContent?.modelTurn?.parts ?? []).reduce((n, p) => n + Buffer.from(p.inlineData.data, 'base64').length, 0);
const isComplete = (m) => m.serverContent?.turnComplete;

async function converse(realtimeInputConfig, marked) {
  const { session, next } = await open(key, realtimeInputConfig);
  if (marked) session.sendRealtimeInput({ activityStart: {} });
  send(session);
  if (marked) session.sendRealtimeInput({ activityEnd: {} });
  const asked = await next((m) => m.toolCall);
  const [call] = asked.at(-1).toolCall.functionCalls;
  session.sendToolResponse({ functionResponses: [{ id: call.id, name: call.name, response: { output: 'sunny' } }] });
  const answered = await next(isComplete);
  session.sendClientContent({ turns: [{ role: 'user', parts: [{ text: 'Tell me more.' }] }], turnComplete: true });
  await next((m) => m.serverContent?.modelTurn);
  if (marked) session.sendRealtimeInput({ activityStart: {} });
  else send(session);
  const cut = await next((m) => m.serverContent?.interrupted);
  session.close();
  return {
    heard: texts(asked, 'inputTranscription'), call: { id: call.id, name: call.name, arguments: JSON.stringify(call.args) }, text: texts(answered, 'outputTranscription'),
    bytes: bytes(answered), tokens: answered.at(-1).usageMetadata.responseTokenCount, generated: answered.some((m) => m.serverContent?.generationComplete), cut: cut.length > 0,
  };
}

const detected = await converse(undefined, false);
const marked = await converse({ automaticActivityDetection: { disabled: true } }, true);
const { ended } = await open('another', undefined).catch(() => ({ ended: Promise.resolve({ code: 1008 }) }));
const refused = ended ? (await ended).code : 1008;
console.log(JSON.stringify({ detected, marked, refused }));
process.exit(0);

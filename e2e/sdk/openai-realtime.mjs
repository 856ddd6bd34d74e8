// OpenAI's own client against the emulator of the Realtime API: it speaks, has a tool called and answers with its result,
// truncates the answer and cancels another, and is refused with another key. node openai-realtime.mjs URL KEY PCM prints a
// JSON object; the file holds 24 kHz linear PCM.
import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';

const [, , url, key, file] = process.argv;
const open = (apiKey) => new OpenAIRealtimeWS({ model: 'gpt-realtime' }, new OpenAI({ apiKey, baseURL: `${url}/v1` }));
const types = [];
const rt = open(key);
const errors = [];
rt.on('error', (error) => errors.push(error.message));
rt.on('event', (event) => types.push(event.type));
const next = (type) => new Promise((resolve) => rt.once(type, resolve));

await next('session.created');
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
let updated = next('session.updated');
rt.send({
  type: 'session.update',
  session: {
    type: 'realtime', output_modalities: ['audio'], instructions: 'Be brief.',
    tools: [{ type: 'function', name: 'weather', description: 'The weather of a city.', parameters }],
    audio: {
      input: { format: { type: 'audio/pcm', rate: 24000 }, transcription: { model: 'gpt-4o-mini-transcribe', language: 'en' }, turn_detection: null },
      output: { format: { type: 'audio/pcm', rate: 24000 }, voice: 'marin' },
    },
  },
});
const { session } = await updated;

const transcribed = next('conversation.item.input_audio_transcription.completed');
rt.send({ type: 'input_audio_buffer.append', audio: readFileSync(file).toString('base64') });
rt.send({ type: 'input_audio_buffer.commit' });
const heard = (await transcribed).transcript;

const respond = async () => {
  let text = '', bytes = 0;
  const onText = (event) => { text += event.delta; };
  const onAudio = (event) => { bytes += Buffer.from(event.delta, 'base64').length; };
  rt.on('response.output_audio_transcript.delta', onText);
  rt.on('response.output_audio.delta', onAudio);
  const done = next('response.done');
  rt.send({ type: 'response.create' });
  const { response } = await done;
  rt.off('response.output_audio_transcript.delta', onText);
  rt.off('response.output_audio.delta', onAudio);
  return { text, bytes, response };
};
const first = await respond();
const call = first.response.output.find((item) => item.type === 'function_call');
rt.send({ type: 'conversation.item.create', item: { type: 'function_call_output', call_id: call.call_id, output: 'sunny' } });
const second = await respond();
const truncated = next('conversation.item.truncated');
rt.send({ type: 'conversation.item.truncate', item_id: second.response.output[0].id, content_index: 0, audio_end_ms: 200 });
const end = (await truncated).audio_end_ms;

rt.once('response.output_audio.delta', () => rt.send({ type: 'response.cancel' }));
rt.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Tell me more.' }] } });
const third = await respond();
const problem = new Promise((resolve) => rt.once('error', resolve));
rt.send({ type: 'response.cancel' });
const inactive = (await problem).error?.code;
rt.close();

const other = open('another');
const refused = await new Promise((resolve) => other.on('error', (error) => resolve(error.message)));
console.log(JSON.stringify({
  heard, voice: session.audio.output.voice, types: [...new Set(types)], errors: errors.length, refused, end, inactive,
  first: { text: first.text, status: first.response.status, call: { id: call.call_id, name: call.name, arguments: call.arguments } },
  second: { text: second.text, status: second.response.status, tokens: second.response.usage.output_tokens }, bytes: second.bytes,
  third: third.response.status,
}));

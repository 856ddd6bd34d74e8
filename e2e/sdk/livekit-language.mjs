// LiveKit's plugins for language models against the emulators: each has a tool called, answers with its result, is cancelled, and is
// refused with another key. node livekit-language.mjs URLS KEY prints a JSON object; URLS is a JSON object of the emulators' addresses.
import { initializeLogger, llm } from '@livekit/agents';
import * as google from '@livekit/agents-plugin-google';
import * as openai from '@livekit/agents-plugin-openai';

initializeLogger({ pretty: false, level: 'silent' });
const [, , addresses, key] = process.argv;
const urls = JSON.parse(addresses);
const connOptions = { maxRetry: 0, retryIntervalMs: 100, timeoutMs: 10_000 };
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
const toolCtx = new llm.ToolContext([llm.tool({ name: 'weather', description: 'The weather of a city.', parameters, execute: async () => 'sunny' })]);

/** Reads an answer: its text, its first call, and its output tokens. */
async function answer(model, chatCtx) {
  const failed = new Promise((_, reject) => model.once('error', (e) => reject(e.error)));
  const stream = model.chat({ chatCtx, toolCtx, connOptions });
  const read = (async () => {
    let [text, call, tokens] = ['', undefined, 0];
    for await (const chunk of stream) {
      text += chunk.delta?.content ?? '';
      call ??= chunk.delta?.toolCalls?.[0];
      tokens = chunk.usage?.completionTokens ?? tokens;
    }
    return { text, tokens, call: call && { id: call.callId, name: call.name, arguments: call.args }, signature: call?.thoughtSignature };
  })();
  return Promise.race([read, failed]);
}

const asked = () => {
  const context = llm.ChatContext.empty();
  context.addMessage({ role: 'system', content: 'Be brief.' });
  context.addMessage({ role: 'user', content: 'What is the weather in Rome?' });
  return context;
};

async function converse(open) {
  const model = open(key);
  const first = await answer(model, asked());
  const context = asked();
  const { id: callId, name, arguments: args } = first.call;
  context.insert([llm.FunctionCall.create({ callId, name, args, thoughtSignature: first.signature }), llm.FunctionCallOutput.create({ callId, name, output: 'sunny', isError: false })]);
  const second = await answer(model, context);
  const long = asked();
  long.addMessage({ role: 'assistant', content: 'It is sunny.' });
  long.addMessage({ role: 'user', content: 'Tell me more.' });
  const stream = model.chat({ chatCtx: long, toolCtx, connOptions });
  let cancelled = '';
  for await (const chunk of stream) {
    cancelled += chunk.delta?.content ?? '';
    if (cancelled) break;
  }
  stream.close();
  const refused = await answer(open('another'), asked()).then(() => 0, (e) => e.statusCode ?? -1);
  return { first, second, cancelled, refused };
}

const models = {
  completions: (apiKey) => new openai.LLM({ apiKey, baseURL: urls.completions, model: 'gpt-4.1' }),
  responses: (apiKey) => new openai.responses.LLM({ apiKey, baseURL: urls.responses, model: 'gpt-4.1', useWebSocket: false, store: false }),
  groq: (apiKey) => openai.LLM.withGroq({ apiKey, baseURL: urls.groq }),
  google: (apiKey) => new google.LLM({ apiKey, model: 'gemini-3.8-flash', httpOptions: { baseUrl: urls.google } }),
};
const results = {};
for (const [name, open] of Object.entries(models)) results[name] = await converse(open);
console.log(JSON.stringify(results));
process.exit(0);

// Google's own client against the emulator of the Gemini API: it reads a streamed answer, has a tool called and answers with
// its result and the signature of the call, is refused with another key, and aborts an answer of the slow emulator. node google.mjs URL KEY SLOW prints
// a JSON object.
import { GoogleGenAI } from '@google/genai';

const [, , url, key, slow] = process.argv;
const clientOf = (apiKey, baseUrl = url) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
const tools = [{ functionDeclarations: [{ name: 'weather', description: 'The weather of a city.', parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }] }];
const config = { systemInstruction: 'Be brief.', tools, maxOutputTokens: 200, thinkingConfig: { thinkingLevel: 'low' } };

async function generate(contents, client = clientOf(key)) {
  let text = '', parts = [], status, tokens;
  for await (const chunk of await client.models.generateContentStream({ model: 'gemini-3.8-flash', contents, config })) {
    const candidate = chunk.candidates?.[0];
    for (const part of candidate?.content?.parts ?? []) {
      if (part.functionCall) parts.push(part);
      else text += part.text ?? '';
    }
    status = candidate?.finishReason ?? status;
    tokens = chunk.usageMetadata?.candidatesTokenCount ?? tokens;
  }
  const made = parts[0]?.functionCall;
  return { text, status, tokens, parts, call: made && { id: made.id, name: made.name, arguments: JSON.stringify(made.args) } };
}

const status = (request) => request.then(() => 0, (error) => error.status);
const asked = { role: 'user', parts: [{ text: 'What is the weather in Rome?' }] };
const first = await generate([asked]);
const answered = (parts) => [asked, { role: 'model', parts }, { role: 'user', parts: [{ functionResponse: { id: first.call.id, name: 'weather', response: { result: 'sunny' } } }] }];
const second = await generate(answered(first.parts));
const refused = await status(generate([asked], clientOf('another')));
const controller = new AbortController();
let aborted = 'none';
try {
  for await (const chunk of await clientOf(key, slow).models.generateContentStream({ model: 'gemini-3.8-flash', contents: [asked], config: { abortSignal: controller.signal } })) {
    if (chunk.text) controller.abort();
  }
} catch (error) {
  aborted = error.name;
}
console.log(JSON.stringify({ first, second, refused, aborted }));

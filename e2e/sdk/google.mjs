// Google's own client against the emulator of the Gemini API: it reads a streamed answer, has a tool called and answers with
// its result and the signature of the call, speaks, is refused with another key, and aborts an answer of the slow emulator and speech. node google.mjs
// URL KEY SLOW prints a JSON object.
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

/** speak speaks a text with a Gemini voice. Returns the bytes of its audio, and why it was aborted, after the first audio, if asked for. */
async function speak(apiKey, text, voiceName, abort) {
  const config = { responseModalities: ['AUDIO'], speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } }, abortSignal: abort?.signal };
  let bytes = 0, types = new Set(), aborted = 'none';
  try {
    for await (const chunk of await clientOf(apiKey).models.generateContentStream({ model: 'gemini-3.8-flash-lite-tts', contents: text, config })) {
      for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
        if (!part.inlineData) continue;
        bytes += Buffer.from(part.inlineData.data, 'base64').length;
        types.add(part.inlineData.mimeType);
        abort?.abort();
      }
    }
  } catch (error) {
    if (!abort) throw error;
    aborted = error.name;
  }
  return { bytes, types: [...types], aborted };
}

const spoken = await speak(key, 'Hello there.', 'Kore');
const spokenRefused = await status(speak('another', 'Hello there.', 'Kore'));
const cutShort = await speak(key, 'A sentence that is longer. '.repeat(20), 'Puck', new AbortController());
console.log(JSON.stringify({ spoken, spokenRefused, cutShort, first, second, refused, aborted }));

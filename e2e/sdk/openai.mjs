// OpenAI's own client against the emulators of the Responses API and of chat completions: it reads a streamed answer, has a
// tool called and answers with its result, is refused with another key, and aborts answers of the slow emulators.
// node openai.mjs RESPONSES COMPLETIONS KEY SLOW-RESPONSES SLOW-COMPLETIONS prints a JSON object.
import OpenAI from 'openai';

const [, , responses, completions, key, slowResponses, slowCompletions] = process.argv;
const clientOf = (url, apiKey) => new OpenAI({ apiKey, baseURL: url, maxRetries: 0 });
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };

async function respond(model, input) {
  const client = clientOf(responses, key);
  const stream = client.responses.stream({
    model, input, instructions: 'Be brief.', store: false, max_output_tokens: 200,
    tools: [{ type: 'function', name: 'weather', description: 'The weather of a city.', parameters, strict: false }],
  });
  const types = new Set();
  for await (const event of stream) types.add(event.type);
  const answer = await stream.finalResponse();
  const call = answer.output.find((item) => item.type === 'function_call');
  return { text: answer.output_text, status: answer.status, tokens: answer.usage.output_tokens, call: call && { id: call.call_id, name: call.name, arguments: call.arguments }, types: [...types] };
}

async function complete(messages) {
  const client = clientOf(completions, key);
  const stream = client.chat.completions.stream({
    model: 'gpt-4.1', messages, max_completion_tokens: 200, stream_options: { include_usage: true },
    tools: [{ type: 'function', function: { name: 'weather', description: 'The weather of a city.', parameters } }],
  });
  const answer = await stream.finalChatCompletion();
  const { content, tool_calls: calls } = answer.choices[0].message;
  return { text: content ?? '', tokens: answer.usage.completion_tokens, call: calls?.[0] && { id: calls[0].id, name: calls[0].function.name, arguments: calls[0].function.arguments } };
}

const status = (request) => request.then(() => 0, (error) => error.status);
const asked = { role: 'user', content: 'What is the weather in Rome?' };
const first = await respond('gpt-4.1', [asked]);
const second = await respond('gpt-4.1', [asked, { type: 'function_call', call_id: first.call.id, name: first.call.name, arguments: first.call.arguments },
  { type: 'function_call_output', call_id: first.call.id, output: 'sunny' }]);
const chatFirst = await complete([asked]);
const chatSecond = await complete([asked, { role: 'assistant', content: null, tool_calls: [{ id: chatFirst.call.id, type: 'function', function: { name: chatFirst.call.name, arguments: chatFirst.call.arguments } }] },
  { role: 'tool', tool_call_id: chatFirst.call.id, content: 'sunny' }]);
const refused = await status(clientOf(responses, 'another').responses.create({ model: 'gpt-4.1', input: 'Hello', store: false, stream: true }));

/** abort reads a stream until a first piece of text, and aborts it; it returns the name of the error that the client then has. */
async function abort(stream, isText) {
  try {
    for await (const event of stream) if (isText(event)) stream.controller.abort();
    return 'none';
  } catch (error) {
    return error.constructor.name;
  }
}
const aborted = await abort(clientOf(slowResponses, key).responses.stream({ model: 'gpt-4.1', input: [asked], store: false }), (event) => event.type === 'response.output_text.delta');
const chatAborted = await abort(clientOf(slowCompletions, key).chat.completions.stream({ model: 'gpt-4.1', messages: [asked], stream_options: { include_usage: true } }), (chunk) => chunk.choices[0]?.delta?.content);
console.log(JSON.stringify({ first, second, chatFirst, chatSecond, refused, aborted, chatAborted }));

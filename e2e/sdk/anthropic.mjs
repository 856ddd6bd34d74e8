// Anthropic's own client against the emulator: it has a tool called, answers with its result, is refused with another
// key, and aborts an answer of the slow emulator. node anthropic.mjs URL KEY SLOW prints a JSON object.
import Anthropic from '@anthropic-ai/sdk';

const [, , url, key, slow] = process.argv;
const clientOf = (apiKey, baseURL = url) => new Anthropic({ apiKey, baseURL, maxRetries: 0 });
const tools = [{ name: 'weather', description: 'The weather of a city.', input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }];

async function ask(messages) {
  const message = await clientOf(key).messages.stream({ model: 'claude-sonnet-4-6', max_tokens: 200, system: 'Be brief.', tools, messages }).finalMessage();
  const call = message.content.find((block) => block.type === 'tool_use');
  const text = message.content.filter((block) => block.type === 'text').map((block) => block.text).join('');
  return { text, status: message.stop_reason, tokens: message.usage.output_tokens, content: message.content, call: call && { id: call.id, name: call.name, arguments: JSON.stringify(call.input) } };
}

const asked = { role: 'user', content: 'What is the weather in Rome?' };
const first = await ask([asked]);
const second = await ask([asked, { role: 'assistant', content: first.content }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: first.call.id, content: 'sunny' }] }]);
const refused = await clientOf('another').messages.create({ model: 'claude-sonnet-4-6', max_tokens: 10, messages: [asked], stream: true }).then(() => 0, (error) => error.status);
let aborted = 'none';
const stream = clientOf(key, slow).messages.stream({ model: 'claude-sonnet-4-6', max_tokens: 200, messages: [asked] });
try {
  for await (const event of stream) if (event.type === 'content_block_delta') stream.abort();
} catch (error) {
  aborted = error.constructor.name;
}
console.log(JSON.stringify({ first, second, refused, aborted }));

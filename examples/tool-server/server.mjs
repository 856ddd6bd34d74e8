// A shop's server whose functions a Parley agent calls: opening hours and table bookings. At its start it creates the tools and an
// agent that uses them. Node's standard library alone.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const parley = process.env.PARLEY_SERVER ?? "http://127.0.0.1:8080";
const apiKey = process.env.PARLEY_API_KEY ?? readFileSync("data/demo-api-key", "utf8").trim();
const port = Number(process.env.PORT ?? 9001);
const token = process.env.TOOL_TOKEN ?? randomBytes(24).toString("hex"); // shared with Parley, in the tools' header

const hours = { monday: "nine to six", sunday: "closed" };
const bookings = [];

// Each route returns a status and the JSON that the language model gets.
const routes = {
  "GET /hours": ({ day }) => [200, { message: `On ${day}: ${hours[day] ?? "nine to eight"}.` }],
  "POST /bookings": (_, { name, people }) => {
    if (!Number.isInteger(people) || people < 1 || people > 8) return [422, { error: "tables are for one to eight people" }];
    bookings.push({ name, people });
    return [201, { message: `A table for ${people} is booked for ${name}.` }];
  },
};

const digest = (text) => createHash("sha256").update(text).digest();

createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const answer = (status, body) => {
      console.log(request.method, request.url, status);
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    };
    if (!timingSafeEqual(digest(request.headers.authorization ?? ""), digest(`Bearer ${token}`))) {
      return answer(401, { error: "the token is wrong" });
    }
    const url = new URL(request.url, "http://localhost");
    const route = routes[`${request.method} ${url.pathname}`];
    if (!route) return answer(404, { error: "no such function" });
    try {
      const body = Buffer.concat(chunks).toString();
      return answer(...route(Object.fromEntries(url.searchParams), body ? JSON.parse(body) : {}));
    } catch {
      return answer(400, { error: "the body is not JSON" });
    }
  });
}).listen(port, "127.0.0.1", register);

// The tools and the agent, created or, if they exist, replaced.
async function register() {
  const call = { type: "api_call", timeout: 5, headers: { Authorization: `Bearer ${token}` } };
  await save("tools", {
    name: "look_up_hours",
    description: "Returns the opening hours of a day.",
    config: {
      parameters: [{ name: "day", type: "string", required: true, description: "Day of the week, in lower case." }],
      actions: [{ ...call, method: "GET", url: `http://127.0.0.1:${port}/hours?day={{params.day}}`, retry_count: 2 }],
    },
  });
  await save("tools", {
    name: "book_table",
    description: "Books a table for the caller.",
    config: {
      parameters: [{ name: "people", type: "integer", required: true }],
      // No retry_count: a booking whose answer was lost must not be made twice.
      actions: [{ ...call, method: "POST", url: `http://127.0.0.1:${port}/bookings`, body: { name: "{{user.name}}", people: "{{params.people}}" } }],
    },
  });
  await save("agents", {
    name: "tool-example",
    config: {
      prompt: {
        greeting: "Hello {{user.name}}, how can I help you?",
        // Rules of the offline model. For a vendor's model, write instructions instead.
        system: [
          '- opening hours => Let me look. [look_up_hours {"day": "monday"}]',
          '- book a table => One moment. [book_table {"people": 4}]',
          "- goodbye => Goodbye! [end_call]",
        ].join("\n"),
      },
      stt: { provider: "offline", model: "pocketsphinx" },
      llm: { provider: "offline", model: "scripted" },
      tts: { provider: "offline", voice_id: "slt" },
      tools: ["look_up_hours", "book_table"],
    },
  });
  console.log(`listening on http://127.0.0.1:${port}/, agent tool-example is ready`);
}

async function save(kind, resource) {
  const ask = (method, path) =>
    fetch(`${parley}/api/v1/${path}`, {
      method,
      headers: { "X-API-Key": apiKey, "Content-Type": "application/json" },
      body: JSON.stringify(resource),
    });
  let response = await ask("POST", kind);
  if (response.status === 409) response = await ask("PUT", `${kind}/${resource.name}`);
  if (!response.ok) throw new Error(`${kind} ${resource.name}: ${response.status} ${await response.text()}`);
}

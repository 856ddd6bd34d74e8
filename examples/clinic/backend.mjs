// The clinic's backend: it says who calls, finds patients, books appointments, and receives events. Node's standard library alone.
import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const port = Number(process.env.PORT ?? 9002);
const address = process.env.CLINIC_URL ?? `http://127.0.0.1:${port}`; // as the tools have it
const secrets = JSON.parse(readFileSync(process.env.CLINIC_SECRETS ?? "clinic-secrets.json", "utf8"));
const patients = JSON.parse(readFileSync(new URL("patients.json", import.meta.url), "utf8"));
const appointments = new Map(); // lists, by patient
const handled = new Set(); // ids of events

// Each route returns a status and an answer; the parts of its path are in groups.
const routes = [
  // The call hook: who calls. A web call has no number; here its metadata says which patient is signed in.
  ["POST", /^\/calls$/, "call_hooks", (call) => {
    const patient = patients.find((p) => p.phone === (call.from ?? call.metadata?.phone));
    if (!patient) return [204];
    const { id, name, language } = patient;
    return [200, { user_context: { id, name, language }, greeting: "{{prompt.clinic-welcome-back}}" }];
  }],
  ["POST", /^\/patients\/verify$/, "tools", ({ number }) => {
    const patient = patients.find((p) => p.number === number);
    return patient ? [200, { id: patient.id, name: patient.name }] : [404, { error: "no patient has this number" }];
  }],
  ["GET", /^\/patients\/(\w+)\/appointments$/, "tools", (_, id) => {
    const list = appointments.get(id) ?? [];
    return [200, { message: list.length ? `You have an appointment ${list.join(", and ")}.` : "You have none yet." }];
  }],
  ["POST", /^\/patients\/(\w+)\/appointments$/, "tools", ({ day, part }, id) => {
    const at = `on ${day} ${part}`;
    appointments.set(id, [...(appointments.get(id) ?? []), at]);
    return [201, { message: `You have an appointment ${at}.` }];
  }],
  ["POST", /^\/events$/, "webhook", (event) => {
    if (handled.has(event.id)) return [204];
    handled.add(event.id);
    for (const { name, criteria } of event.data.analyses ?? []) console.log(name, criteria.map((c) => `${c.name}: ${c.answer}`).join(", "));
    if (event.type === "call.completed") console.log("completed", event.data.agent_history.join(", "));
    return [204];
  }],
];

createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const answer = (status, body, type = "application/json") => {
      response.writeHead(status, body === undefined ? {} : { "Content-Type": type });
      response.end(body === undefined || type !== "application/json" ? body : JSON.stringify(body));
    };
    if (request.method === "GET" && request.url === "/") return answer(200, page(), "text/html; charset=utf-8");
    const [, , secret, handle, path] = routes.map((r) => [...r, request.url.match(r[1])]).find((r) => r[0] === request.method && r[4]) ?? [];
    if (!handle) return answer(404, { error: "no such path" });
    const body = Buffer.concat(chunks);
    // Requests of tools are signed with their method and address, webhooks and call hooks with the body alone.
    const signed = secret === "tools" ? Buffer.concat([Buffer.from(`${request.method} ${address}${request.url}\n`), body]) : body;
    const signature = request.headers[secret === "tools" ? "x-parley-signature" : "x-webhook-signature"] ?? "";
    if (!verified(signed, signature, secrets[secret])) return answer(401, { error: "the signature is wrong" });
    answer(...handle(body.length ? JSON.parse(body) : {}, ...path.slice(1)));
  });
}).listen(port, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${port}/`));

function verified(signed, header, secret) {
  const parts = header.split(",").map((part) => part.trim().split("="));
  const time = parts.find(([key]) => key === "t")?.[1] ?? "";
  if (!/^\d{1,12}$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const want = Buffer.from(createHmac("sha256", secret).update(`${time}.`).update(signed).digest("hex"));
  return parts.some(([key, value]) => key === "v1" && value?.length === want.length && timingSafeEqual(Buffer.from(value), want));
}

// The clinic's web page, with the agent in its corner.
function page() {
  return `<!doctype html>
<title>Park Clinic</title>
<h1>Park Clinic</h1>
<p>Open from eight to six, Monday to Friday.</p>
<script type="module" src="${secrets.parley}/widget.js"></script>
<parley-agent token="${secrets.public_token}" position="bottom-right"></parley-agent>
`;
}

// Creates or replaces the clinic's resources of clinic.json, and writes the secrets of its backend to clinic-secrets.json.
import { readFileSync, writeFileSync } from "node:fs";

const parley = process.env.PARLEY_SERVER ?? "http://127.0.0.1:8080";
const apiKey = process.env.PARLEY_API_KEY ?? readFileSync("data/demo-api-key", "utf8").trim();
const backend = process.env.CLINIC_URL ?? "http://127.0.0.1:9002";

const clinic = JSON.parse(readFileSync(new URL("clinic.json", import.meta.url), "utf8").replaceAll("http://127.0.0.1:9002", backend));
// For vendors' models, change these three; the lines of the prompts that begin with "-" are rules of the offline model.
const speech = {
  stt: { provider: "offline", model: "pocketsphinx" },
  llm: { provider: "offline", model: "scripted" },
  tts: { provider: "offline", voice_id: "slt" },
};
for (const agent of clinic.agents) Object.assign(agent.config, speech);

for (const v of clinic.variables) await save("variables", v.name, v);
for (const p of clinic.prompts) await save("prompts", p.slug, p, "PATCH");
for (const t of clinic.tools) await save("tools", t.name, t);
for (const a of clinic.agents) await save("agents", a.name, a);
for (const a of clinic.analyses) await save("analyses", a.name, a);
for (const w of clinic.workflows) await save("workflows", w.slug, w);

// Parley returns secrets once: each start of this program makes new ones.
const events = await only("webhook-endpoints", (w) => w.url === `${backend}/events`, {
  url: `${backend}/events`,
  filter: { events: ["call.completed", "call.analyzed"], workflows: ["clinic"] },
});
const page = await only("public-tokens", (token) => token.workflow_slug === "clinic", { workflow_slug: "clinic", origins: [backend] });
const secrets = {
  parley,
  webhook: events.secret,
  call_hooks: (await ask("POST", "signing-secrets/call_hooks/rotate", {})).secret,
  tools: (await ask("POST", "signing-secrets/tools/rotate", {})).secret,
  public_token: page.token,
};
writeFileSync("clinic-secrets.json", JSON.stringify(secrets), { mode: 0o600 });
console.log("workflow clinic is ready, clinic-secrets.json is written");

// save creates a resource, or replaces the one of this name.
async function save(kind, name, resource, method = "PUT") {
  let response = await send("POST", kind, resource);
  if (response.status === 409) response = await send(method, `${kind}/${name}`, resource);
  if (!response.ok) throw new Error(`${kind} ${name}: ${response.status} ${await response.text()}`);
}

// only creates a resource in place of those that match.
async function only(kind, matches, resource) {
  const found = await ask("GET", kind);
  for (const old of (found.items ?? found).filter(matches)) await ask("DELETE", `${kind}/${old.id}`);
  return ask("POST", kind, resource);
}

async function ask(method, path, body) {
  const response = await send(method, path, body);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
}

function send(method, path, body) {
  const headers = { "X-API-Key": apiKey, "Content-Type": "application/json" };
  return fetch(`${parley}/api/v1/${path}`, { method, headers, body: body && JSON.stringify(body) });
}

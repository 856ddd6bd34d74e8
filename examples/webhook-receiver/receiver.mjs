// Verifies and handles Parley's webhooks. Node's standard library alone.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.WEBHOOK_SECRET;
if (!secret) throw new Error("WEBHOOK_SECRET is not set");
const tolerance = 300; // seconds
const handled = new Set(); // ids of events

function verified(body, header) {
  let time = "";
  const signatures = [];
  for (const part of header.split(",")) {
    const [key, value = ""] = part.trim().split("=", 2);
    if (key === "t") time = value;
    if (key === "v1") signatures.push(Buffer.from(value, "hex"));
  }
  if (!/^[0-9]{1,12}$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > tolerance) return false;
  const want = createHmac("sha256", secret).update(time + ".").update(body).digest();
  return signatures.some((got) => got.length === want.length && timingSafeEqual(got, want));
}

function handle(event) {
  console.log(event.type, event.id);
}

createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    if (!verified(body, request.headers["x-webhook-signature"] ?? "")) {
      response.writeHead(401).end();
      return;
    }
    const event = JSON.parse(body);
    if (!handled.has(event.id)) {
      handle(event);
      handled.add(event.id);
    }
    response.writeHead(204).end();
  });
}).listen(Number(process.env.PORT ?? 9000), "127.0.0.1");

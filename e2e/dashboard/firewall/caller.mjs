// Talk to the demo agent from a network of its own that lets TCP to a few ports through: caller.mjs URL E-MAIL PASSWORD FOLDER SOCKET
// ADDRESS PORT..., in a network namespace in which ADDRESS is the server's. Connections to a port go to SOCKET.PORT. Prints the
// candidate pair that the browser chose. If MOVE is in the environment, it then connects to that Unix socket, upon which all connections
// stall, and prints the time until audio arrives over others.
import net from 'node:net';
import { tour, url } from '../lib.mjs';

const [socket, address, ...ports] = process.argv.slice(6);
for (const port of ports) {
  const forward = net.createServer({ allowHalfOpen: true }, (near) => {
    const far = net.connect({ path: `${socket}.${port}`, allowHalfOpen: true });
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
  await new Promise((listening) => forward.listen(Number(port), listening));
}

await tour(async ({ context, page }) => {
  await context.addInitScript(() => {
    const connections = [];
    globalThis.connections = connections;
    globalThis.RTCPeerConnection = class extends RTCPeerConnection {
      constructor(...options) {
        super(...options);
        connections.push(this);
      }
    };
  });
  await page.goto(`${url}/agents/demo`);
  await page.getByRole('button', { name: 'Start talking' }).click();
  const log = page.getByRole('log', { name: 'Transcript' });
  await log.locator('.mine', { hasText: /opening hours/i }).waitFor();
  await log.locator('.agent', { hasText: /eleven in the morning/ }).waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll('audio')].some((a) => !a.paused && a.currentTime > 1));
  const pairs = async () => page.evaluate(async () => {
    const found = [];
    for (const connection of globalThis.connections) {
      const stats = await connection.getStats();
      for (const s of stats.values()) {
        if (s.type !== 'candidate-pair' || s.state !== 'succeeded' || !s.nominated) continue;
        const [local, remote] = [stats.get(s.localCandidateId), stats.get(s.remoteCandidateId)];
        found.push({ id: s.id, received: s.bytesReceived, path: `${local.candidateType} ${local.relayProtocol ?? local.protocol} ${remote.address}:${remote.port}` });
      }
    }
    return found;
  });
  let before = await pairs();
  for (const began = performance.now(); before.length === 0 && performance.now() - began < 60_000; before = await pairs()) {
    await new Promise((next) => setTimeout(next, 50)); // a pair that is checked again is in progress
  }
  console.error(`media over ${[...new Set(before.map((p) => p.path))].join(', ')}`);
  if (process.env.MOVE) {
    const moved = performance.now();
    await new Promise((done) => net.connect({ path: process.env.MOVE }).on('close', done).resume());
    const known = new Set(before.map((p) => p.id));
    for (;;) {
      const now = await pairs();
      if (now.length > 0 && now.every((p) => !known.has(p.id) && p.received > 0)) break;
      if (performance.now() - moved > 180_000) throw new Error(`no media again: ${JSON.stringify({ before, now })}`);
      await new Promise((next) => setTimeout(next, 50));
    }
    console.error(`media again after ${Math.round(performance.now() - moved)} ms`);
  }
  await page.getByRole('button', { name: 'End call' }).click();
  await page.getByText('The call has ended.').waitFor();
}, {
  microphone: process.env.QUESTION,
  args: ['--ignore-certificate-errors', `--host-resolver-rules=MAP *.test ${address}`, `--unsafely-treat-insecure-origin-as-secure=${url}`],
});

// Talk to the demo agent from a network of its own that lets TCP to a few ports through: caller.mjs URL E-MAIL PASSWORD FOLDER SOCKET
// ADDRESS PORT..., in a network namespace in which ADDRESS is the server's. Connections to a port go to SOCKET.PORT. Prints the
// candidate pair that the browser chose.
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
  const pairs = await page.evaluate(async () => {
    const found = [];
    for (const connection of globalThis.connections) {
      const stats = await connection.getStats();
      for (const s of stats.values()) {
        if (s.type !== 'candidate-pair' || s.state !== 'succeeded' || !s.nominated) continue;
        const [local, remote] = [stats.get(s.localCandidateId), stats.get(s.remoteCandidateId)];
        found.push(`${local.candidateType} ${local.relayProtocol ?? local.protocol} ${remote.address}:${remote.port}`);
      }
    }
    return found;
  });
  console.error(`media over ${[...new Set(pairs)].join(', ')}`);
  await page.getByRole('button', { name: 'End call' }).click();
  await page.getByText('The call has ended.').waitFor();
}, {
  microphone: process.env.QUESTION,
  args: ['--ignore-certificate-errors', `--host-resolver-rules=MAP *.test ${address}`, `--unsafely-treat-insecure-origin-as-secure=${url}`],
});

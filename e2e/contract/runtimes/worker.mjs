// In a worker of workerd, where a request has the input as its body, and in a web worker, where a message is the input.
import * as client from './client/index.js';
import { check } from './check.mjs';

self.onmessage = async ({ data }) => {
  self.postMessage(await check(client, data).catch((error) => ({ error: String(error) })));
};

export default {
  async fetch(request) {
    return Response.json(await check(client, await request.json()));
  },
};

// deno run deno.mjs CLIENT INPUT
const [client, input] = Deno.args;
const { check } = await import('./check.mjs');
console.log(JSON.stringify(await check(await import(client), JSON.parse(input))));

/**
 * What agents cost: the list of tools, the first call of a process, which loads the package of the protocol, and a call.
 * `node bench/agents.mjs <url> <secret of an agent's key> <kind>`, against a service that no agent has called yet. It calls
 * as often as a key may in a minute.
 */
import { median } from './measure.mjs';

const CALLS = 50;

const [url = 'http://localhost:3000', secret = '', kind = ''] = process.argv.slice(2);

/**
 * @param {string} method
 * @param {object} [params]
 */
async function send(method, params = {}) {
  const began = performance.now();
  const reply = await fetch(`${url}/api/lib/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await reply.text();
  if (reply.status !== 200 || text.includes('"isError":true')) throw new Error(text);
  return { text, milliseconds: performance.now() - began };
}

const first = await send('ping');
const second = await send('ping');
const { text } = await send('tools/list');
const { tools } = JSON.parse(text).result;
const bytes = Buffer.byteLength(JSON.stringify(tools));
const times = [];
for (let n = 0; n < CALLS; n += 1) {
  const { milliseconds } = await send('tools/call', { name: 'list_units', arguments: { kind, limit: 20 } });
  times.push(milliseconds);
}
console.table({
  'tools, and their bytes': `${tools.length}, ${bytes}`,
  'tokens, at four bytes each': Math.round(bytes / 4),
  'first call, ms': Math.round(first.milliseconds),
  'second call, ms': Math.round(second.milliseconds),
  'list_units, median ms': Math.round(median(times) * 10) / 10,
});

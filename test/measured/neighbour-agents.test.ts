/** An agent sends 500 calls at once, of which most are refused; another project does not wait for them. */
import { expect, it } from 'vitest';
import { LIMITS } from '../../src/shared/limits.js';
import { asAdministrator, defineKinds } from '../support/callers.js';
import { makeKey } from '../support/keys.js';
import { beside, quietNote } from '../support/neighbour.js';
import { sharedService } from '../support/service.js';

const AT_ONCE = 500;
/** Milliseconds that no request of the quiet project may take. */
const BOUND = 1000;

const service = await sharedService();
const quiet = await service.project();
const note = await quietNote(quiet);
const project = await service.project();
await defineKinds(project, { id: 'film', parameters: [{ id: 'title', kind_id: 'string' }] });
const admin = await asAdministrator(project);
const scope = [{ kinds: ['film'], operations: ['read'] }];

it.each(['tools/call', 'tools/list'])('nobody waits for many %s at once', { timeout: 60_000 }, async (method) => {
  const { secret } = await makeKey(admin, { agent: true, scope });
  const send = async () => {
    const params = method === 'tools/call' ? { name: 'list_units', arguments: { kind: 'film' } } : {};
    const answer = await fetch(`${project.service.url}/api/lib/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return answer.text();
  };
  await send();
  const { waits, result } = await beside(quiet, note, () => Promise.all(Array.from({ length: AT_ONCE }, () => send())));
  if (method === 'tools/call')
    expect(result.filter((text) => text.includes('key.throttled'))).toHaveLength(
      AT_ONCE + 1 - LIMITS.agentCallsPerMinute,
    );
  expect(Math.max(...waits)).toBeLessThan(BOUND);
});

/** What a batch may take of the service: one connection, a part of the pool for all batches of a project, and a time limit. */
import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { anonymous, defineKinds } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import { Gate, gateOf } from '../../support/gate.js';

const gate = new Gate('batchGate');
const folder = new FunctionsFolder({
  'thing.ts': `
    import { kind } from 'kind';
    ${gateOf('batchGate')}
    const thing = kind('thing');
    export default thing.module({
      functions: { wait: thing.function({ description: 'Waits', methods: ['POST'], run: () => batchGate.pass() }) },
    });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
const quiet = await service.project();
await defineKinds(project, { id: 'thing', parameters: [{ id: 'name', kind_id: 'string' }] });
await reload(service);

const operations = [
  { method: 'POST', path: '/thing/unit', body: { name: 'one' } },
  ...Array.from({ length: 97 }, () => ({ method: 'GET', path: '/thing/unit?filter=icontains(name,o)' })),
  { method: 'POST', path: '/thing/function/wait' },
];

it('many batches leave connections to others', async () => {
  gate.close();
  const running = Array.from({ length: 12 }, () => project.post('/batch', { operations }));
  // Of the eight connections of the pool, batches of one project have two.
  await gate.reached(2);
  const held = await query<{ n: string }>(
    project,
    `SELECT count(DISTINCT pid) AS n FROM pg_locks WHERE relation = '$schema."thing"'::regclass AND pid <> pg_backend_pid()`,
  );
  expect(Number(held[0]?.n)).toBe(2);
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => ok((n % 2 === 0 ? quiet : project).get('/kind/unit?limit=1'))),
  );
  await ok(project.post('/thing/unit', { name: 'meanwhile' }));
  gate.open();
  for (const reply of await Promise.all(running)) expect(reply.status).toBe(200);
});

it('a body that is nested deeply is refused, after the rights are checked', async () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  const refused = async (as: typeof project, path: string, body: string) =>
    refusalOf(await as.post('/batch', `{"operations":[{"method":"POST","path":"${path}","body":${body}}]}`));
  const { status, messages } = await refused(project, '/thing/unit', nested(LIMITS.bodyDepth + 1));
  expect([status, messages[0]]).toEqual([400, expect.stringContaining('body.too_many')]);
  expect((await refused(project, '/thing/unit', nested(LIMITS.bodyDepth))).messages).not.toEqual(messages);
  expect((await refused(anonymous(project), '/none/unit', nested(6000))).status).toBe(401);
});

it('a batch that takes too long is undone, and says at which operation', async () => {
  const { batchSeconds } = LIMITS;
  const { count } = await ok(project.get('/thing/unit?limit=0'));
  gate.close();
  try {
    Object.assign(LIMITS, { batchSeconds: 0.5 });
    // Without the reads, which a busy machine may not finish in this time.
    const { status, body } = await project.post('/batch', { operations: [operations[0], operations.at(-1)] });
    expect({ status, ...body.messages[0] }).toMatchObject({ status: 503, code: 'query.timeout', operation: 1 });
  } finally {
    Object.assign(LIMITS, { batchSeconds });
    gate.open();
  }
  expect((await ok(project.get('/thing/unit?limit=0'))).count).toBe(count);
});

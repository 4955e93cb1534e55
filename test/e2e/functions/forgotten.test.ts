/** Operations that user code does not await are done completely or not at all, and so are those that take too long. */
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { outliving } from '../../support/escapes.js';
import { FunctionsFolder } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';

const folder = new FunctionsFolder({
  'job.ts': `
import { kind } from 'kind';
const job = kind('job');
const f = (run: Parameters<typeof job.function>[0]['run'], timeout = 5000) => job.function({ description: 'x', timeout, run });
interface Units { (kind: string): { create(values: object): Promise<unknown> } }
const all = async (units: Units, names: string[]) => { for (const name of names) await units('trace').create({ name }); };
const names = ['a', 'b', 'c', 'd', 'e'];
function block(milliseconds: number) { const end = Date.now() + milliseconds; while (Date.now() < end); }
export default job.module({
  functions: {
    each: f(({ units }) => { for (const name of names) void units('trace').create({ name }); }),
    chain: f(({ units }) => void all(units as Units, names)),
    blocks: f(async ({ units }) => { await units('trace').create({ name: 'x' }); block(150); return 'done'; }, 100),
  },
  hooks: { before_create: async ({ values, units }) => {
    if (values.name === 'chain') void all(units as Units, names);
    if (values.name === 'each') for (const name of names) void units('trace').create({ name });
    if (values.name === 'blocks') block(450);
  } },
});`,
});
const log = pino({ level: 'silent' });
const exit = outliving(log, folder.path);
const service = await startTestService({ functionsDir: folder.path, functionTimeout: 400 }, log);
const project = await service.project();
const name = { id: 'name', kind_id: 'string' };
await defineKinds(project, { id: 'trace', parameters: [name] }, { id: 'job', parameters: ['name'] });
const stored = async () => {
  const { items } = (await ok(project.get('/trace/unit?include=name'))) as { items: { name: string }[] };
  return items.map((each) => each.name);
};

beforeEach(async () => {
  for (const { id } of ((await ok(project.get('/trace/unit'))) as { items: { id: string }[] }).items)
    await ok(project.delete(`/trace/unit/${id}`));
});

describe.each<[string, (what: string) => ReturnType<typeof project.post>]>([
  ['a function', (what) => project.post(`/job/function/${what}`, {})],
  ['a hook', (what) => project.post('/job/unit', { name: what })],
])('%s', (_, call) => {
  it('completes all operations started before its end', async () => {
    await ok(call('each'));
    expect(await stored()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('fails if operations start after its end, and nothing is stored', async () => {
    expect(refusalOf(await call('chain'))).toMatchObject({ status: 500 });
    expect(await stored()).toEqual([]);
    expect(exit).not.toHaveBeenCalled();
  });

  it('that blocks the process still times out, once it returns', async () => {
    expect(refusalOf(await call('blocks'))).toMatchObject({ status: 504, messages: ['function.timeout'] });
    expect(await stored()).toEqual([]);
  });
});

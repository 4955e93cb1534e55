/** An error other than a refusal rolls the whole transaction back, even if user code catches it. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import { Gate, gateOf } from '../../support/gate.js';

const crossing = new Gate('crossing');
const HEAD = "import { kind, FunctionError } from 'kind';";
/** Makes a unit whose hook fails when it is stored already; `author` is what comes of that. */
const caught = (author: string) => `async ({ units }) => {
  await units('trace').create({ title: 'before' });
  try { await units('fragile').create({}); } catch { ${author} }
}`;
const REFUSES = "throw new FunctionError(409, 'author.refuses', 'No');";
const folder = new FunctionsFolder({
  'fragile.ts': `${HEAD} export default kind('fragile').module({ hooks: {
    after_create: () => { throw new Error('for no reason'); } } });`,
  'goes_on.ts': `${HEAD} export default kind('goes_on').module({ hooks: { before_create: ${caught('')} } });`,
  'refuses.ts': `${HEAD} export default kind('refuses').module({ hooks: { before_create: ${caught(REFUSES)} } });`,
  'job.ts': `${HEAD}${gateOf('crossing')}
    const job = kind('job');
    export default job.module({ functions: {
      goes_on: job.function({ description: 'Goes on', run: ${caught('')} }),
      refuses: job.function({ description: 'Refuses', run: ${caught(REFUSES)} }),
      cross: job.function({
        description: 'Changes two units, one after the other',
        parameters: { first: { type: 'string', required: true }, second: { type: 'string', required: true } },
        async run({ units, parameters: { first, second } }) {
          await units('trace').update(first, { title: first });
          await crossing.pass();
          try { await units('trace').update(second, { title: first }); } catch { ${REFUSES} }
        },
      }),
    } });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
await defineKinds(
  project,
  { id: 'trace', parameters: [{ id: 'title', kind_id: 'string' }] },
  ...['fragile', 'goes_on', 'refuses', 'job'].map((id) => ({ id, parameters: ['title'] })),
);
await reload(service);
const count = async (kind: string) => ((await ok(project.get(`/${kind}/unit?limit=0`))) as { count: number }).count;

describe('a caught failure', () => {
  it.each([
    ['in a function, which goes on', '/job/function/goes_on'],
    ['in a function, which refuses', '/job/function/refuses'],
    ['in a hook, which goes on', '/goes_on/unit'],
    ['in a hook, which refuses', '/refuses/unit'],
  ])('is answered as what it is, and nothing is stored: %s', async (_, path) => {
    expect(refusalOf(await project.post(path, {}))).toEqual({ status: 500, messages: ['server.error'] });
    for (const kind of ['trace', 'fragile', 'goes_on', 'refuses']) expect(await count(kind), kind).toBe(0);
  });

  it('of a deadlock still runs the call again', async () => {
    const made = () => createdId(project.post('/trace/unit', {}));
    const [one, two] = [await made(), await made()];
    crossing.close();
    const calls = Promise.all([
      project.post('/job/function/cross', { first: one, second: two }),
      project.post('/job/function/cross', { first: two, second: one }),
    ]);
    await crossing.reached(2);
    crossing.open();
    expect((await calls).map(refusalOf)).toEqual([1, 2].map(() => ({ status: 200, messages: [] })));
    expect(crossing.arrived.length).toBeGreaterThan(2);
    const { items } = (await ok(project.get('/trace/unit?include=title'))) as { items: { title: string }[] };
    expect(new Set(items.map(({ title }) => title)).size).toBe(1);
  });
});

/** Operations that still run when a hook fails are part of its transaction, and of no other. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const HEAD = "import { kind, FunctionError } from 'kind';";
const STRAY = `const stray = (units: (kind: string) => { create(values: object): Promise<unknown> }) =>
  Promise.all([units('trace').create({ what: 'stray' }), Promise.reject(new FunctionError(409, 'post.no', 'No'))]);`;
const folder = new FunctionsFolder({
  'post.ts': `${HEAD}${STRAY}
    const post = kind('post');
    export default post.module({
      hooks: { before_create: async ({ units }) => void (await stray(units)) },
      functions: { go_on: post.function({ description: 'Goes on', run: async ({ units }) => {
        const code = await units('post').create({}).catch((error: { code: string }) => error.code);
        await units('trace').create({ what: 'after' });
        return code;
      } }) },
    });`,
  'eraser.ts': `${HEAD} export default kind('eraser').module({ hooks: {
    before_create: async ({ values, units }) => void (await units('trace').remove(String(values.title))) } });`,
});
// With one connection, what runs behind a transaction runs in that of the next.
const service = await startTestService({ functionsDir: folder.path, functionTimeout: 1500, databasePool: 1 });
const project = await service.project();
const other = await service.project();
for (const each of [project, other])
  await defineKinds(
    each,
    { id: 'trace', parameters: [{ id: 'what', kind_id: 'string' }] },
    { id: 'land', parameters: [{ id: 'title', kind_id: 'string' }] },
    { id: 'town', parameters: ['title', { id: 'land', kind_id: 'unit', reference_kind: 'land' }] },
    { id: 'post', parameters: ['title'] },
    { id: 'eraser', parameters: ['title'] },
  );
const count = async (kind: string, of = project) =>
  ((await ok(of.get(`/${kind}/unit?limit=0`))) as { count: number }).count;

describe('an operation in progress when a hook fails', () => {
  it('is rolled back with the write, and affects no other project', async () => {
    const rounds = Array.from({ length: 20 }, (_, at) => at);
    const refused = async () => {
      for (const at of rounds)
        expect(refusalOf(await project.post('/post/unit', { title: `${at}` })).messages).toEqual(['post.no']);
    };
    const made = async () => {
      for (const at of rounds) await ok(other.post('/town/unit', { title: `${at}`, land: { title: `${at}` } }));
    };
    await Promise.all([refused(), made(), made()]);
    expect([await count('trace'), await count('town', other), await count('land', other)]).toEqual([0, 40, 40]);
  });

  it('is rolled back with its operation if the function continues', async () => {
    expect(await ok(project.post('/post/function/go_on'))).toBe('post.no');
    expect(await ok(project.get('/trace/unit?include=what'))).toMatchObject({ count: 1, items: [{ what: 'after' }] });
  });
});

describe('an operation that waits for a lock past the time limit', () => {
  it('is answered at the limit, and leaves everything as it was', async () => {
    const [unit, linked] = [await ok(project.post('/trace/unit', {})), await ok(project.post('/trace/unit', {}))] as {
      id: string;
    }[];
    await ok(project.post(`/trace/unit/${unit?.id}/link/link/trace/unit/${linked?.id}`));
    const side = await sideConnection();
    const release = await side.holding(project, 'SELECT FROM "trace" FOR UPDATE');
    const late = { status: 503, messages: ['server.busy'] };
    expect(refusalOf(await project.post('/eraser/unit', { title: unit?.id }))).toEqual(late);
    await release();
    await ok(project.get(`/trace/unit/${unit?.id}`));
    expect(await ok(project.get(`/trace/unit/${unit?.id}/link/child`))).toMatchObject({ count: 1 });
    expect(await count('eraser')).toBe(0);
  });
});

/** What would be too large an answer is refused, whatever asks for it, and the next request works. */
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { defineKinds } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';

const SCAN = `
import { kind } from 'kind';
const scan = kind('scan');
export default scan.module({ functions: {
  all: scan.function({ description: 'Reads all', run: async ({ units }) => (await units('scan').list()).items.length }),
} });`;

const folder = new FunctionsFolder({ 'scan.ts': SCAN });
const service = await startTestService({ functionsDir: folder.path });
const project = await service.project();
const PAGE = 'p'.repeat(14 * 1024 * 1024);
const TOO_LARGE = { status: 400, messages: ['answer.too_large'] };
await defineKinds(
  project,
  {
    id: 'scan',
    label: 'Scan',
    parameters: ['one', 'two', 'three'].map((id) => ({ id, kind_id: 'string' })),
  },
  {
    id: 'form',
    label: 'Form',
    parameters: [{ id: 'text', kind_id: 'string', default_string: 'f'.repeat(100_000) }],
  },
);
await ok(project.post('/group/unit', { id: 'papers', kind_list: ['scan', 'form'] }));
const ids: string[] = [];
for (let n = 0; n < 3; n += 1) ids.push((await ok(project.post('/scan/unit', { one: PAGE }))).id as string);
for (const id of ids) await ok(project.post(`/scan/unit/${ids[0]}/link/link/scan/unit/${id}`, {}));

describe('of more than there is room for in an answer', () => {
  it.each([
    ['a list', '/scan/unit'],
    ['a list by cursor', '/scan/unit?cursor='],
    ['a group', '/group/papers/unit'],
    ['a group by cursor', '/group/papers/unit?cursor='],
    ['a walk', `/scan/unit/${ids[0]}/link/child`],
    ['a walk of several steps', `/scan/unit/${ids[0]}/link/child?depth=2`],
    ['what a unit is linked with', `/scan/unit/${ids[0]}?load_links=true&include=links`],
    ['what the units of a list are linked with', '/scan/unit?load_links=true&include=links'],
    ['a function', '/scan/function/all'],
  ])('%s is refused', async (_, path) => {
    expect(refusalOf(await project.get(path))).toEqual(TOO_LARGE);
    expect(await ok(project.get('/scan/unit?limit=1&include=id'))).toEqual({ count: 3, items: [{ id: ids[0] }] });
  });

  it('a list of it is answered in parts', async () => {
    const { items } = (await ok(project.get('/scan/unit?limit=2'))) as { items: { one: string }[] };
    expect(items.map(({ one }) => one.length)).toEqual([PAGE.length, PAGE.length]);
  });

  it('an edit that makes a unit so large is refused, and changes nothing', async () => {
    const [id] = ids;
    await ok(project.put(`/scan/unit/${id}`, { two: PAGE }));
    expect(refusalOf(await project.put(`/scan/unit/${id}`, { three: PAGE }))).toEqual(TOO_LARGE);
    expect(
      await query(project, 'SELECT count("two")::int AS two, count("three")::int AS three FROM $schema."scan"'),
    ).toEqual([{ two: 1, three: 0 }]);
  });

  it('one unit is refused, and answered in parts', async () => {
    const [id] = ids;
    await query(project, 'UPDATE $schema."scan" SET "three" = "one"');
    expect(refusalOf(await project.get(`/scan/unit/${id}`))).toEqual(TOO_LARGE);
    expect(refusalOf(await project.get(`/group/papers/unit/${id}`))).toEqual(TOO_LARGE);
    expect(await ok(project.get(`/scan/unit/${id}?include=three`))).toEqual({ three: PAGE });
  });

  it('a bulk create is refused, and makes nothing', async () => {
    const forms = Array.from({ length: Math.ceil(LIMITS.answerBytes / 100_000) }, () => ({}));
    expect(refusalOf(await project.post('/form/unit', forms))).toEqual(TOO_LARGE);
    expect(await ok(project.get('/form/unit'))).toEqual({ count: 0, items: [] });
    expect(await ok(project.post('/form/unit', forms.slice(10)))).toMatchObject({ count: forms.length - 10 });
  });
});

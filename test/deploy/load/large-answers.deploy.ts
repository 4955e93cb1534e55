/** An answer that would be too large is refused on every endpoint, and the next request works. */
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { anonymous, defineKinds } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { sideConnection } from '../../support/side-connection.js';

const SCAN = `
import { kind } from 'kind';
const scan = kind('scan');
export default scan.module({ functions: {
  all: scan.function({ description: 'Reads all', run: async ({ units }) => (await units('scan').list()).items.length }),
} });`;

const MADE = `
import { kind } from 'kind';
const made = kind('made');
export default made.module({ hooks: { before_create: () => ({ name: 'hook' }) } });`;

const folder = new FunctionsFolder({ 'scan.ts': SCAN, 'made.ts': MADE });
const service = await sharedServiceWith(folder);
const project = await service.project();
const PAGE = 'p'.repeat(14 * 1024 * 1024);
/** Characters: as JSON it has two more. */
const DEFAULT = 128 * 1024 - 2;
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
    public: true,
    access: { create: 'anyone' },
    parameters: [
      { id: 'text', kind_id: 'string', default_string: 'f'.repeat(DEFAULT) },
      { id: 'amounts', kind_id: 'decimal', multiple: true },
    ],
  },
  { id: 'sheet', label: 'Sheet', parameters: [{ id: 'form', kind_id: 'unit', reference_kind: 'form' }] },
  {
    id: 'made',
    label: 'Made',
    parameters: [
      { id: 'name', kind_id: 'string' },
      { id: 'text', kind_id: 'string', default_string: 'f'.repeat(DEFAULT) },
    ],
  },
);
await ok(project.post('/group/unit', { id: 'papers', kind_list: ['scan', 'form'] }));
const ids: string[] = [];
for (let n = 0; n < 3; n += 1) ids.push((await ok(project.post('/scan/unit', { one: PAGE }))).id as string);
for (const id of ids) await ok(project.post(`/scan/unit/${ids[0]}/link/link/scan/unit/${id}`, {}));

describe('data beyond the size limit of an answer', () => {
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

  it('a list is answered in parts', async () => {
    const { items } = (await ok(project.get('/scan/unit?limit=2'))) as { items: { one: string }[] };
    expect(items.map(({ one }) => one.length)).toEqual([PAGE.length, PAGE.length]);
  });

  it('an edit that makes a unit too large is rejected, and changes nothing', async () => {
    const [id] = ids;
    await ok(project.put(`/scan/unit/${id}`, { two: PAGE }));
    expect(refusalOf(await project.put(`/scan/unit/${id}`, { three: PAGE }))).toEqual(TOO_LARGE);
    expect(
      await query(project, 'SELECT count("two")::int AS two, count("three")::int AS three FROM $schema."scan"'),
    ).toEqual([{ two: 1, three: 0 }]);
  });

  it('a single unit is rejected, and answered in parts', async () => {
    const [id] = ids;
    await query(project, 'UPDATE $schema."scan" SET "three" = "one"');
    expect(refusalOf(await project.get(`/scan/unit/${id}`))).toEqual(TOO_LARGE);
    expect(refusalOf(await project.get(`/group/papers/unit/${id}`))).toEqual(TOO_LARGE);
    expect(await ok(project.get(`/scan/unit/${id}?include=three`))).toEqual({ three: PAGE });
  });

  it('a bulk create is rejected, and creates nothing', async () => {
    // Each of the numbers is a text of 301 digits.
    const forms = Array.from({ length: 120 }, (_, n) => (n === 0 ? { amounts: Array(60_000).fill(1e300) } : {}));
    expect(refusalOf(await project.post('/form/unit', forms))).toEqual(TOO_LARGE);
    expect(await ok(project.get('/form/unit'))).toEqual({ count: 0, items: [] });
  });
});

describe('defaults beyond the limit of one write', () => {
  // The empty metadata of each is a default too.
  const most = LIMITS.defaultBytes / (DEFAULT + 2) - 1;
  const forms = (count: number) => Array.from({ length: count }, () => ({}));

  it('are rejected, and nothing is created', async () => {
    expect(refusalOf(await project.post('/form/unit', forms(1000)))).toEqual({
      status: 400,
      messages: ['body.too_many'],
    });
    expect(await ok(project.get('/form/unit'))).toEqual({ count: 0, items: [] });
  });

  it('are rejected for nested units, and for units completed by hooks', async () => {
    const sheets = (count: number) => Array.from({ length: count }, () => ({ form: {} }));
    expect(refusalOf(await project.post('/sheet/unit', sheets(most + 1)))).toMatchObject({
      messages: ['body.too_many'],
    });
    expect(refusalOf(await project.post('/made/unit', forms(most + 1)))).toMatchObject({ messages: ['body.too_many'] });
    for (const kind of ['form', 'sheet', 'made'])
      expect(await ok(project.get(`/${kind}/unit?limit=0`))).toMatchObject({ count: 0 });
  });

  it('up to the limit are accepted', async () => {
    expect(await ok(project.post('/form/unit', forms(most)))).toMatchObject({ count: most });
  });

  it('of concurrent writes without a token share one limit while they run', async () => {
    const stranger = anonymous(project);
    const half = forms(most / 2 + 4);
    const side = await sideConnection();
    const release = await side.lock(project, 'form');
    const first = stranger.post('/form/unit', half);
    await side.blocked();
    expect(refusalOf(await stranger.post('/form/unit', half))).toEqual({ status: 503, messages: ['server.busy'] });
    await release();
    expect((await first).status).toBe(200);
    expect((await stranger.post('/form/unit', half)).status).toBe(200);
  });
});

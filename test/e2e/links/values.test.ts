/** Link types with parameters: their definitions, and the values of links. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds, documented } from '../../support/callers.js';
import { expectNoDrift, ok, query, refusalOf, TIMESTAMP } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const root = await service.project();
const member = await asMember(root);

await defineKinds(root, {
  id: 'city',
  parameters: [
    { id: 'code', kind_id: 'string', is_primary: true },
    { id: 'name', kind_id: 'string' },
  ],
});
await ok(
  root.post(
    '/city/unit',
    [...'abcdef'].map((code) => ({ code })),
  ),
);
const { admin, ann } = await documented({ admin: root, ann: member });
const ROAD = {
  id: 'road',
  parameters: [
    { id: 'km', kind_id: 'integer', min_value: 0, required: true },
    { id: 'surface', kind_id: 'string', pattern: '^[a-z]+$', max_length: 9, default_string: 'tar' },
    { id: 'names', kind_id: 'string', multiple: true },
    { id: 'toll', kind_id: 'decimal' },
    { id: 'note', kind_id: 'json' },
    { id: 'budget', kind_id: 'integer', read_access: 'admin', write_access: 'admin' },
    'name',
  ],
};
await ok(admin.post('/link/unit', ROAD));
await ok(admin.post('/link/unit', { id: 'rail', parameters: ['km'] }));
await ok(admin.post('/link/unit', { id: 'plain' }));

const link = (from: string, to: string, type = 'road') => `/city/unit/${from}/link/${type}/city/unit/${to}`;

interface Page {
  readonly count: number;
  readonly items: readonly { readonly id: string; readonly link: Record<string, unknown> }[];
}

describe('a link with values', () => {
  it('is created, read and changed with them, with one statement each', async () => {
    const body = { km: 12, names: ['x', 'y'], toll: '1.50', note: { a: [1] }, name: 'A1' };
    const record = {
      parent_id: 'a',
      child_id: 'b',
      type: 'link',
      parent_kind_id: 'city',
      child_kind_id: 'city',
      link_id: 'road',
      inserted_at: expect.stringMatching(TIMESTAMP),
      km: 12,
      surface: 'tar',
      names: ['x', 'y'],
      toll: '1.5',
      note: { a: [1] },
      budget: null,
      name: 'A1',
    };
    expect(await root.statements(async () => expect(await ok(admin.post(link('a', 'b'), body))).toEqual(record))).toBe(
      1,
    );
    expect(await root.statements(() => ok(admin.put(link('a', 'b'), { km: 13, names: [] })))).toBe(1);
    expect(await ok(admin.put(link('a', 'b'), {}))).toEqual({ ...record, km: 13, names: [] });
    const shown = Object.fromEntries(Object.entries(record).filter(([id]) => id !== 'budget'));
    expect(await ok(ann.put(link('a', 'b'), { toll: null }))).toEqual({ ...shown, km: 13, names: [], toll: null });
  });

  it('is the same link with equal values or none, and differs with others', async () => {
    const made = await ok(admin.post(link('a', 'c'), { km: 1 }));
    for (const body of [undefined, {}, { km: 1 }, { surface: 'tar', km: 1 }, { km: 1, names: null }]) {
      expect(await ok(admin.post(link('a', 'c'), body))).toEqual(made);
    }
    for (const body of [{ km: 2 }, { km: 1, surface: null }, { km: 1, note: null, names: [] }]) {
      expect(refusalOf(await admin.post(link('a', 'c'), body))).toEqual({ status: 409, messages: ['link.differs'] });
    }
    expect(await ok(admin.put(link('a', 'c'), {}))).toEqual(made);
  });

  it('is validated like a unit', async () => {
    const faults = async (body: unknown) => refusalOf(await admin.post(link('b', 'c'), body));
    expect(await faults(undefined)).toEqual({ status: 400, messages: ['parameter.required km'] });
    expect(await faults({ km: -1, surface: 'Tar', names: 'x', depth: 1, kms: 1, link_id: 'road', id: 'x' })).toEqual({
      status: 400,
      messages: [
        'parameter.unknown depth',
        'parameter.unknown kms',
        'parameter.read_only link_id',
        'parameter.read_only id',
        'parameter.too_small km',
        'parameter.bad_type names',
        'parameter.pattern_mismatch surface',
      ],
    });
    expect(await faults([])).toEqual({ status: 400, messages: ['body.not_object'] });
    expect(await faults({ km: null, names: [null] })).toMatchObject({
      status: 400,
      messages: ['parameter.null names'],
    });
    expect(refusalOf(await admin.put(link('a', 'b')))).toEqual({ status: 400, messages: ['body.not_object'] });
    expect(refusalOf(await admin.put(link('a', 'b'), { km: 'x' }))).toMatchObject({ status: 400 });
    expect(refusalOf(await ann.put(link('a', 'b'), { budget: 1 }))).toMatchObject({ status: 400 });
    expect(refusalOf(await admin.put(link('b', 'f'), { km: 1 }))).toEqual({ status: 404, messages: ['link.unknown'] });
    expect(refusalOf(await admin.put(link('b', 'nowhere'), { km: 'x' }))).toEqual({
      status: 404,
      messages: ['unit.unknown'],
    });
  });

  it('of a type without parameters passes a body over', async () => {
    const record = await ok(admin.post(link('a', 'b', 'plain'), { km: 1 }));
    expect(record).not.toHaveProperty('km');
    expect(refusalOf(await admin.put(link('a', 'b', 'plain'), { km: 1 }))).toEqual({
      status: 400,
      messages: ['parameter.unknown km'],
    });
    expect(await ok(admin.put(link('a', 'b', 'plain'), {}))).toEqual(record);
  });

  it('does not reveal a value that the caller may not read', async () => {
    await ok(
      root.post('/link/unit', { id: 'pact', parameters: [{ id: 'sum', kind_id: 'integer', read_access: 'admin' }] }),
    );
    await ok(ann.post(link('a', 'b', 'pact'), { sum: 5 }));
    const refused = { status: 409, messages: ['link.differs'] };
    for (const sum of [5, 6]) expect(refusalOf(await ann.post(link('a', 'b', 'pact'), { sum }))).toEqual(refused);
    expect(await ok(ann.post(link('a', 'b', 'pact')))).not.toHaveProperty('sum');
  });
});

describe('a traversal', () => {
  it('shows the values of each link, of the unit from which it was followed', async () => {
    await ok(admin.post(link('d', 'e'), { km: 5, budget: 9 }));
    await ok(admin.post(link('e', 'f', 'rail'), { km: 6 }));
    await ok(admin.post(link('d', 'f', 'plain')));
    const of = async (caller: typeof admin, path: string) =>
      ((await ok(caller.get(path))) as Page).items.map(({ id, link: at }) => [id, at]);
    const time = expect.stringMatching(TIMESTAMP);
    const road = { link_id: 'road', parent_id: 'd', child_id: 'e', depth: 0, inserted_at: time, km: 5, surface: 'tar' };
    const more = { names: null, toll: null, note: null, name: null };
    const plain = { link_id: 'plain', parent_id: 'd', child_id: 'f', depth: 0, inserted_at: time };
    const rail = { link_id: 'rail', parent_id: 'e', child_id: 'f', inserted_at: time, km: 6 };
    expect(await of(admin, '/city/unit/d/link/child')).toEqual([
      ['e', { ...road, ...more, budget: 9 }],
      ['f', plain],
    ]);
    expect(await of(ann, '/city/unit/d/link/child?depth=2&link_id=road,rail')).toEqual([
      ['e', { ...road, ...more }],
      ['f', { ...rail, depth: 1 }],
    ]);
    expect(await of(ann, '/city/unit/f/link/parent?depth=2&link_id=road,rail')).toEqual([
      ['e', { ...rail, depth: 0 }],
      ['d', { ...road, ...more, depth: 1 }],
    ]);
    const loaded = (await ok(ann.get('/city/unit/f?load_links=true'))) as { links: { parent: { link: object }[] } };
    expect(loaded.links.parent.map(({ link: at }) => at)).toEqual([plain, { ...rail, depth: 0 }]);
  });
});

describe('the parameters of a link type', () => {
  it('are columns of the table of links, and what cannot be one is refused', async () => {
    await expectNoDrift(root);
    const bad = async (parameters: unknown) => refusalOf(await admin.post('/link/unit', { id: 'bad', parameters }));
    const refused = { status: 400, messages: ['link.bad_definition parameters'] };
    await ok(root.post('/string/unit', { id: 'depth', label: 'Depth' }));
    for (const each of [
      ['nothing'],
      ['km', 'km'],
      ['code'],
      ['depth'],
      [{ id: 'x1', kind_id: 'unit', reference_kind: 'city' }],
      [{ id: 'x2', kind_id: 'string', unique: true }],
      [{ id: 'x3', kind_id: 'string', only_run_time: true }],
      Array.from({ length: 51 }, (_, at) => ({ id: `y${at}`, kind_id: 'string' })),
    ]) {
      expect(await bad(each)).toEqual(refused);
    }
    expect(await bad([{ id: 'x4', kind_id: 'integer', min_value: 2, max_value: 1 }])).toMatchObject({ status: 400 });
    expect(refusalOf(await admin.put('/integer/unit/km', { unique: true }))).toMatchObject({ status: 400 });
  });

  it('change with their links, and keep what would be lost', async () => {
    await ok(admin.post('/link/unit', { id: 'way', parameters: [{ id: 'len', kind_id: 'integer' }, 'km'] }));
    await ok(admin.post(link('a', 'b', 'way'), { len: 7, km: 1 }));
    await ok(admin.post(link('a', 'c', 'way'), { km: 1 }));
    const later = { id: 'lanes', kind_id: 'integer', default_integer: 2, nullable: false, indexed: true };
    await ok(admin.put('/link/unit/way', { parameters: ['len', 'km', later] }));
    expect(await ok(admin.post(link('a', 'b', 'way')))).toMatchObject({ len: 7, lanes: 2 });
    const lost = await admin.put('/link/unit/way', { parameters: ['km', 'lanes'] });
    expect(refusalOf(lost)).toEqual({ status: 409, messages: ['parameter.has_values len'] });
    expect(lost.body.messages[0]?.text).toBe(
      "1 link of 'way' would lose the value of 'len'; ?cascade=true deletes them anyway",
    );
    const violated = { status: 409, messages: ['parameter.violated len'] };
    expect(refusalOf(await admin.put('/integer/unit/len', { max_value: 6 }))).toEqual(violated);
    expect(refusalOf(await admin.put('/integer/unit/len', { nullable: false }))).toEqual(violated);
    const used = await admin.delete('/integer/unit/km');
    expect(refusalOf(used)).toEqual({ status: 409, messages: ['parameter.in_use'] });
    expect(used.body.messages[0]?.text).toContain("3 link types: 'road', 'rail', 'way'");
    await ok(admin.delete('/integer/unit/len?cascade=true'));
    expect(await ok(admin.put(link('a', 'b', 'way'), {}))).not.toHaveProperty('len');
    await expectNoDrift(root);
    await ok(admin.delete('/link/unit/way?cascade=true'));
    expect((await admin.get('/integer/unit/lanes')).status).toBe(404);
    expect((await admin.get('/integer/unit/km')).status).toBe(200);
    await expectNoDrift(root);
  });

  it('have patterns that the stored links must match', async () => {
    await ok(admin.post('/link/unit', { id: 'sign', parameters: [{ id: 'word', kind_id: 'string' }] }));
    await query(
      root,
      `INSERT INTO $schema."_link" ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at", "sign.word") SELECT 'city', 'a', 'city', i::text, 'sign', now(), CASE WHEN i IN (1, 10001, 20001) THEN 'UPPER' ELSE 'lower' END FROM generate_series(1, 20001) AS i`,
    );
    const reply = await admin.put('/string/unit/word', { pattern: '^[a-z]+$' });
    expect(refusalOf(reply)).toEqual({ status: 409, messages: ['parameter.violated word'] });
    expect(reply.body.messages[0]?.text).toContain('3 links');
    await query(root, `UPDATE $schema."_link" SET "sign.word" = lower("sign.word")`);
    await ok(admin.put('/string/unit/word', { pattern: '^[a-z]+$' }));
  });
});

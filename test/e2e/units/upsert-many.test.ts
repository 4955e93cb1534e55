/** Upserts of many units that are there: edited together, with the checks and refusals of single edits. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { startTestService, type Reply } from '../../support/service.js';

const service = await startTestService();
const admin = await service.project();
const open = { read: 'member', create: 'member', update: 'member', delete: 'member' };
await defineKinds(
  admin,
  { id: 'city', access: open, parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'stock',
    access: open,
    unique: [['shelf', 'place']],
    parameters: [
      { id: 'code', kind_id: 'string', unique: true },
      { id: 'amount', kind_id: 'integer', max_value: 1_000_000 },
      { id: 'price', kind_id: 'decimal' },
      { id: 'tags', kind_id: 'string', multiple: true, unique: true },
      { id: 'lists', kind_id: 'json', multiple: true },
      { id: 'shelf', kind_id: 'string' },
      { id: 'place', kind_id: 'integer' },
      { id: 'label', kind_id: 'string', unique: true },
      { id: 'serial', kind_id: 'string', write_once: true },
      { id: 'city', kind_id: 'unit', reference_kind: 'city' },
    ],
  },
  {
    id: 'memo',
    access: { ...open, update: 'eq(state,open)' },
    parameters: [
      'code',
      { id: 'state', kind_id: 'string' },
      { id: 'grade', kind_id: 'integer', write_access: 'eq(state,open)' },
      { id: 'text', kind_id: 'string' },
    ],
  },
  {
    id: 'graded',
    access: open,
    parameters: ['code', 'state', 'grade', 'text'],
  },
  { id: 'account', access: open, parameters: [{ id: 'iban', kind_id: 'string', is_primary: true }, 'amount'] },
);
const member = await asMember(admin);
const upsert = (kind: string, body: unknown, query = '?on_conflict=update&by=code'): Promise<Reply> =>
  member.post(`/${kind}/unit${query}`, body);
const codes = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const faultsOf = ({ status, body }: Reply) => [
  status,
  ...body.messages.map(({ code, parameter, index }) =>
    [index, code, ...(parameter === undefined ? [] : [parameter])].join(' '),
  ),
];
interface Upserted {
  count: number;
  items: { id: string; code: string; amount: number; updated_at: string; [name: string]: unknown }[];
  results: string[];
}
const upserted = async (kind: string, body: unknown) => (await ok(upsert(kind, body))) as unknown as Upserted;

describe('edits together', () => {
  it('take a few statements, however many units there are', async () => {
    const rows = codes('S', 1000).map((code, at) => ({ code, amount: at, tags: ['a', `t${at}`], lists: [[at], []] }));
    await ok(upsert('stock', rows));
    const changed = rows.map((row) => ({ ...row, amount: row.amount + 1, lists: [...row.lists, [1]] }));
    let reply: Upserted | undefined;
    const statements = await member.statements(async () => (reply = await upserted('stock', changed)));
    expect(statements).toBeLessThanOrEqual(5);
    expect(reply?.results).toEqual(Array(1000).fill('updated'));
    expect(reply?.items.map(({ code, amount, tags, lists }) => ({ code, amount, tags, lists }))).toEqual(changed);
    const again = await member.statements(async () => (reply = await upserted('stock', changed)));
    expect(again).toBeLessThan(statements);
    expect(reply?.results).toEqual(Array(1000).fill('unchanged'));
    expect(await ok(member.get('/stock/unit?filter=startswith(code,S)&limit=0'))).toMatchObject({ count: 1000 });
  });

  it('are one statement for all that name the same parameters', async () => {
    await ok(
      upsert(
        'stock',
        codes('G', 40).map((code) => ({ code, amount: 1, price: '1.5', shelf: code, place: 1 })),
      ),
    );
    const body = codes('G', 40).map((code, at) =>
      at % 3 === 0 ? { code, amount: 2 } : at % 3 === 1 ? { code, price: '2.50' } : { code, amount: null, price: '3' },
    );
    let items: Upserted['items'] = [];
    const count = await member.statements(async () => ({ items } = await upserted('stock', body)));
    expect(count).toBeLessThanOrEqual(8);
    for (const [at, { amount, price, shelf, place }] of items.entries()) {
      const expected = [
        { amount: 2, price: '1.5' },
        { amount: 1, price: '2.5' },
        { amount: null, price: '3' },
      ][at % 3];
      expect({ amount, price, shelf, place }).toEqual({ ...expected, shelf: `G${at}`, place: 1 });
    }
  });

  it('give each unit a new version, which a record that was read must have', async () => {
    const { items } = await upserted('stock', [
      { code: 'V1', amount: 1 },
      { code: 'V2', amount: 1 },
    ]);
    const records = items.map(({ amount, ...rest }) => ({ ...rest, amount: amount + 1 }));
    const after = await upserted('stock', records);
    expect(after.results).toEqual(['updated', 'updated']);
    for (const [at, { id, updated_at: updated }] of after.items.entries()) {
      expect(id).toBe(items[at]?.id);
      expect(updated > (items[at]?.updated_at ?? '')).toBe(true);
    }
  });

  it('work for natural keys, and with units that are created and nested', async () => {
    const accounts = codes('I', 3).map((iban) => ({ iban, amount: 1 }));
    await ok(upsert('account', accounts, '?on_conflict=update'));
    const changed = [...accounts.map(({ iban }) => ({ iban, amount: 2 })), { iban: 'new', amount: 3 }];
    expect(await ok(upsert('account', changed, '?on_conflict=update'))).toMatchObject({
      items: changed,
      results: ['updated', 'updated', 'updated', 'created'],
    });
    await ok(
      upsert(
        'stock',
        codes('N', 4).map((code) => ({ code })),
      ),
    );
    const { items, results } = await upserted('stock', [
      { code: 'N0', amount: 1 },
      { code: 'N1', city: { name: 'Rome' } },
      { code: 'N9', city: { name: 'Oslo' } },
      { code: 'N2', amount: 2 },
    ]);
    expect(results).toEqual(['updated', 'updated', 'created', 'updated']);
    expect(items.map(({ city }) => typeof city === 'string')).toEqual([false, true, true, false]);
  });
});

describe('refusals name the positions of all units that they concern', () => {
  it('values and keys', async () => {
    await ok(
      upsert(
        'stock',
        codes('A', 4).map((code) => ({ code })),
      ),
    );
    const reply = await upsert('stock', [
      { code: 'A0', amount: 1 },
      { code: 'A1', amount: 'x' },
      { code: 'A2', amuont: 1 },
      { code: 'A3', amount: 2_000_000 },
    ]);
    expect(faultsOf(reply)).toEqual([
      400,
      '1 parameter.bad_type amount',
      '2 parameter.unknown amuont',
      '3 parameter.too_large amount',
    ]);
  });

  it('values that other units have', async () => {
    await ok(
      upsert(
        'stock',
        codes('U', 6).map((code, at) => ({ code, shelf: 'u', place: at, label: `label ${at}` })),
      ),
    );
    const reply = await upsert('stock', [
      { code: 'U0', label: 'label 5' },
      { code: 'U1', label: 'free' },
      { code: 'U2', label: 'label 4' },
      { code: 'U3', label: 'free' },
    ]);
    expect(faultsOf(reply)).toEqual([
      409,
      '0 parameter.not_unique label',
      '2 parameter.not_unique label',
      '3 parameter.not_unique label',
    ]);
    const compound = await upsert('stock', [
      { code: 'U0', place: 9 },
      { code: 'U1', place: 4 },
      { code: 'U2', place: 5 },
    ]);
    expect(faultsOf(compound)).toEqual([409, '1 unit.not_unique', '2 unit.not_unique']);
    // With a unit that is created in the same upsert.
    const created = await upsert('stock', [
      { code: 'U0', amount: 1 },
      { code: 'U9', shelf: 'u', place: 9 },
      { code: 'U1', place: 9 },
    ]);
    expect(faultsOf(created)).toEqual([409, '2 unit.not_unique']);
    expect(await ok(member.get('/stock/unit?filter=in(label,free)&limit=0'))).toMatchObject({ count: 0 });
  });

  it('values that may be written once', async () => {
    await ok(
      upsert(
        'stock',
        codes('W', 4).map((code, at) => (at === 0 ? { code } : { code, serial: `s${at}` })),
      ),
    );
    const reply = await upsert(
      'stock',
      codes('W', 4).map((code) => ({ code, serial: 's1', amount: 1 })),
    );
    expect(faultsOf(reply)).toEqual([409, '2 parameter.write_once serial', '3 parameter.write_once serial']);
    const { results } = await upserted(
      'stock',
      codes('W', 2).map((code) => ({ code, serial: 's1', amount: 1 })),
    );
    expect(results).toEqual(['updated', 'updated']);
  });

  it('references', async () => {
    const rome = await createdId(member.post('/city/unit', { name: 'Rome' }));
    await ok(
      upsert(
        'stock',
        codes('R', 3).map((code) => ({ code })),
      ),
    );
    const gone = '0198c0de-0000-7000-8000-000000000001';
    const reply = await upsert('stock', [
      { code: 'R0', city: rome },
      { code: 'R1', city: gone },
      { code: 'R2', city: null, amount: 1 },
    ]);
    expect(faultsOf(reply)).toEqual([400, '1 parameter.bad_reference city']);
  });

  it('rights: of the unit before and after, and of parameters', async () => {
    const states = ['open', 'open', 'closed', 'closed'];
    await ok(
      admin.post(
        '/memo/unit',
        states.map((state, at) => ({ code: `M${at}`, state })),
      ),
    );
    await ok(
      admin.post(
        '/graded/unit',
        states.map((state, at) => ({ code: `M${at}`, state })),
      ),
    );
    const all = (changes: object) => codes('M', 4).map((code) => ({ code, ...changes }));
    expect(faultsOf(await upsert('memo', all({ text: 'x' })))).toEqual([403, '2 access.denied', '3 access.denied']);
    expect(faultsOf(await upsert('memo', all({ text: 'x' }).slice(0, 2)))).toEqual([200]);
    const leaving = [
      { code: 'M0', state: 'open', text: 'y' },
      { code: 'M1', state: 'closed', text: 'y' },
    ];
    expect(faultsOf(await upsert('memo', leaving))).toEqual([403, '1 access.denied']);
    const graded = await upsert('graded', all({ grade: 1 }));
    expect(faultsOf(graded)).toEqual([403, '2 access.denied grade', '3 access.denied grade']);
    expect(graded.body.messages[0]?.text).toContain("'grade'");
    expect(faultsOf(await upsert('graded', all({ text: 'x' })))).toEqual([200]);
  });
});

describe('at the same time', () => {
  it('upserts of the same units in other orders, with other parameters, all succeed', async () => {
    const names = codes('C', 30);
    await ok(
      upsert(
        'stock',
        names.map((code) => ({ code, amount: 0, price: '0' })),
      ),
    );
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, round) => {
        const order = round % 2 === 0 ? names : names.toReversed();
        return upsert(
          'stock',
          order.map((code, at) => ((at + round) % 3 === 0 ? { code, price: `${round}` } : { code, amount: round })),
        );
      }),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await ok(member.get('/stock/unit?filter=startswith(code,C)&limit=0'))).toMatchObject({ count: 30 });
  });

  it('fifty equal ones of many units make each of them once', async () => {
    const body = codes('F', 20).map((code) => ({ code, amount: 1 }));
    const replies = await Promise.all(Array.from({ length: 50 }, () => upsert('stock', body)));
    expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(200));
    const results = replies.flatMap(({ body: { content } }) => (content as unknown as Upserted).results);
    expect(results.filter((result) => result === 'created')).toHaveLength(20);
    expect(await ok(member.get('/stock/unit?filter=startswith(code,F)&limit=0'))).toMatchObject({ count: 20 });
  });
});

/** Functions that read a unit and then write it lose no update, however many run at once, in however many processes. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import { startTestService, type Reply, type TestProject } from '../../support/service.js';

const HEAD = `import { kind } from 'kind';
import { setTimeout as think } from 'node:timers/promises';`;
const folder = new FunctionsFolder({
  'account.ts': `${HEAD}
    const account = kind('account');
    export default account.module({
      functions: {
        add: account.function({
          description: 'Reads, thinks, writes',
          parameters: { to: { type: 'string', required: true } },
          methods: ['POST'],
          async run({ units, parameters: { to } }) {
            const { total } = await units('account').get(to);
            await think(2);
            return (await units('account').update(to, { total: Number(total) + 1 }))['total'];
          },
        }),
        transfer: account.function({
          description: 'Takes from one and gives to another',
          parameters: { from: { type: 'string', required: true }, to: { type: 'string', required: true } },
          methods: ['POST'],
          async run({ units, parameters: { from, to } }) {
            const [giver, taker] = [await units('account').get(from), await units('account').get(to)];
            await think(2);
            await units('account').update(from, { total: Number(giver['total']) - 1 });
            await units('account').update(to, { total: Number(taker['total']) + 1 });
          },
        }),
      },
      unitFunctions: {
        add: account.unitFunction({
          description: 'Thinks about the unit that it is given, and writes',
          methods: ['POST'],
          async run({ unit, units }) {
            const total = Number(unit['total']);
            await think(2);
            await units('account').update(unit.id, { total: total + 1 });
          },
        }),
      },
    });`,
  'page.ts': `${HEAD}
    export default kind('page').module({
      hooks: {
        async before_update({ unit }) {
          await think(1);
          return { total: Number(unit['total']) + 1 };
        },
      },
    });`,
  'entry.ts': `${HEAD}
    const sum = async ({ units }, id, change) => {
      const { total } = await units('account').get(id);
      await think(1);
      await units('account').update(id, { total: Number(total) + change });
    };
    export default kind('entry').module({
      hooks: {
        after_create: (context) => sum(context, context.unit['account'], 1),
        after_delete: (context) => sum(context, context.unit['account'], -1),
      },
    });`,
});
const service = await sharedServiceWith(folder);
const other = await startTestService({ functionsDir: folder.path });
const project = await service.project();
const elsewhere = await other.signIn(project.id);
await defineKinds(
  project,
  {
    id: 'account',
    parameters: [
      { id: 'total', kind_id: 'integer', default_integer: 0 },
      { id: 'note', kind_id: 'string' },
    ],
  },
  { id: 'page', parameters: ['total', 'note'] },
  { id: 'book', parameters: ['note'] },
  {
    id: 'entry',
    parameters: [
      { id: 'account', kind_id: 'unit', reference_kind: 'account' },
      { id: 'book', kind_id: 'unit', reference_kind: 'book', on_delete: 'cascade' },
    ],
  },
);
await reload(service);
await reload(other);

const account = (values: object = {}) => createdId(project.post('/account/unit', values));
const accounts = async (count: number) => Promise.all(Array.from({ length: count }, () => account()));
const totalOf = async (id: string) => ((await ok(project.get(`/account/unit/${id}`))) as { total: number }).total;
const times = <T>(count: number, work: (at: number) => T) => Array.from({ length: count }, (_, at) => work(at));
/** Half of the calls go to each of two processes. */
const at = (number: number): TestProject => (number % 2 === 0 ? project : elsewhere);
const statuses = async (replies: Promise<Reply>[]) => {
  const counted = new Map<string, number>();
  for (const { status, body } of await Promise.all(replies)) {
    const told = [status, ...body.messages.map(({ code, text }) => `${code} ${text}`)].join(' ');
    counted.set(told, (counted.get(told) ?? 0) + 1);
  }
  return Object.fromEntries(counted);
};

describe('a hundred concurrent calls that read, compute and write', () => {
  it('one unit, by one process', async () => {
    const id = await account();
    expect(await statuses(times(100, () => project.post('/account/function/add', { to: id })))).toEqual({ 200: 100 });
    expect(await totalOf(id)).toBe(100);
  });

  it('one unit, by two processes, with edits of other clients in between', async () => {
    const id = await account();
    const calls = times(100, (n) => at(n).post('/account/function/add', { to: id }));
    const edits = times(100, (n) => at(n).put(`/account/unit/${id}`, { note: `${n}` }));
    expect(await statuses([...calls, ...edits])).toEqual({ 200: 200 });
    expect(await ok(project.get(`/account/unit/${id}`))).toMatchObject({ total: 100 });
  });

  it('a hundred units', async () => {
    const ids = await accounts(100);
    expect(await statuses(ids.map((to, n) => at(n).post('/account/function/add', { to })))).toEqual({ 200: 100 });
    expect(new Set(await Promise.all(ids.map(totalOf)))).toEqual(new Set([1]));
  });

  it('the unit of the function', async () => {
    const id = await account();
    const calls = times(100, (n) => at(n).post(`/account/unit/${id}/function/add`));
    expect(await statuses(calls)).toEqual({ 200: 100 });
    expect(await totalOf(id)).toBe(100);
  });

  it('two units, in both orders', async () => {
    const [one = '', two = ''] = await accounts(2);
    const calls = times(60, (n) =>
      at(n).post('/account/function/transfer', n % 4 < 2 ? { from: one, to: two } : { from: two, to: one }),
    );
    expect(await statuses(calls)).toEqual({ 200: 60 });
    expect([await totalOf(one), await totalOf(two)]).toEqual([0, 0]);
  });
});

describe('hooks that read, compute and write', () => {
  it('the unit that is edited', async () => {
    const id = await createdId(project.post('/page/unit', {}));
    const edits = times(60, (n) => at(n).put(`/page/unit/${id}`, { note: `${n}` }));
    expect(await statuses(edits)).toEqual({ 200: 60 });
    expect(await ok(project.get(`/page/unit/${id}`))).toMatchObject({ total: 60 });
  });

  it('another unit, when units are created and deleted, by cascade too', async () => {
    const id = await account();
    const book = await createdId(project.post('/book/unit', {}));
    const made: string[] = [];
    const creates = times(40, async (n) => {
      const reply = await at(n).post('/entry/unit', { account: id, ...(n % 2 === 0 && { book }) });
      if (n % 2 === 1) made.push((reply.body.content as { id: string }).id);
      return reply;
    });
    expect(await statuses(creates)).toEqual({ 200: 40 });
    expect(await totalOf(id)).toBe(40);
    const deletions = [
      ...made.map((entry, n) => at(n).delete(`/entry/unit/${entry}`)),
      project.delete(`/book/unit/${book}`),
    ];
    expect(await statuses(deletions)).toEqual({ 200: 21 });
    expect(await totalOf(id)).toBe(0);
  });
});

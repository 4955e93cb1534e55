/** Answers of a source that are not JSON, throw when they are read, or are too large lead to 503 or 400, never to 500. */
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { defineKinds, documented } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';

/** A pattern of 2003 instructions that are all alive at every character: two texts of 2000 are more than a unit may cost. */
const COSTLY = '(?i)(?:[ab]?){500}(?:[bc]?){500}[xy]';
const folder = new FunctionsFolder({
  'odd.ts': `
import { kind } from 'kind';
class Thing { readonly a = 1; }
const fails = (): never => { throw new Error('boo'); };
const long = (bytes: number) => 'x'.repeat(bytes);
const MIB = 1024 * 1024;
const costly = 'ab'.repeat(999) + 'ax';
const odd: Record<string, object> = {
  bigint: { meta: { n: 1n } },
  function: { meta: () => 1 },
  method: { meta: { n: () => 1 } },
  symbol: { meta: Symbol('x') },
  hole: { meta: [undefined] },
  nan: { meta: [NaN] },
  infinite: { size: Infinity },
  date: { meta: new Date(0) },
  instance: { meta: { inside: [new Thing()] } },
  map: { meta: new Map() },
  dated: { metadata: new Date(0) },
  listed: { tags: new Set(['a']) },
  sparse: { tags: [, 'a'] },
  written: { meta: { toJSON: fails } },
  getter: { get meta() { return fails(); } },
  deep: { meta: { get inside() { return fails(); } } },
  proxy: new Proxy(new Thing(), { getOwnPropertyDescriptor: fails }),
  costly: { one: costly, two: costly },
  large: { text: long(33 * MIB) },
  escaped: { text: '\\u0001'.repeat(6 * MIB) },
  parts: { text: long(17 * MIB), other: long(17 * MIB) },
  fine: { meta: { left: undefined, none: null, no: Object.create(null) }, one: costly },
};
const unit = (id: string) => Object.assign(odd[id] instanceof Thing ? odd[id] : Object.defineProperties({}, Object.getOwnPropertyDescriptors(odd[id])), { id }) as never;
export default kind('odd').module({ remote: {
  list: () => new Proxy(new Thing(), { get: fails }) as never,
  get: (id) => unit(id),
  create: (values) => unit(String(values['text'])),
} });`,
  'heavy.ts': `
import { kind } from 'kind';
const text = 'x'.repeat(14 * 1024 * 1024);
export default kind('heavy').module({ remote: {
  list: ({ limit, offset }) => ({ count: 3, items: [1, 2, 3].slice(offset, offset + limit).map((n) => ({ id: String(n), text })) }),
} });`,
});
const lines: { msg: string; cause?: string }[] = [];
const log = pino(
  { level: 'warn' },
  { write: (text: string) => void lines.push(JSON.parse(text) as (typeof lines)[0]) },
);
const service = await startTestService({ functionsDir: folder.path }, log);
const project = await service.project();
await defineKinds(
  project,
  {
    id: 'odd',
    remote: true,
    parameters: [
      { id: 'meta', kind_id: 'json' },
      { id: 'size', kind_id: 'float' },
      { id: 'tags', kind_id: 'string', multiple: true },
      { id: 'text', kind_id: 'string' },
      { id: 'other', kind_id: 'text', hidden: true },
      { id: 'one', kind_id: 'string', pattern: COSTLY },
      { id: 'two', kind_id: 'string', pattern: COSTLY },
    ],
  },
  { id: 'heavy', remote: true, parameters: ['text'] },
);
await reload(service);
const { admin } = await documented({ admin: project });
const AWAY = { status: 503, messages: ['kind.remote_unavailable'] };

describe('an invalid unit of a source', () => {
  it.each([
    ...['bigint', 'function', 'method', 'symbol', 'hole', 'nan', 'infinite', 'date', 'instance', 'map', 'dated'],
    ...['listed', 'sparse', 'written', 'getter', 'deep', 'proxy', 'costly', 'large', 'escaped', 'parts'],
  ])('is 503: %s', async (id) => {
    expect(refusalOf(await admin.get(`/odd/unit/${id}`))).toEqual(AWAY);
    expect(refusalOf(await admin.post('/odd/unit', { text: id }))).toEqual(AWAY);
  });

  it('an unreadable page is 503 too', async () => {
    expect(refusalOf(await admin.get('/odd/unit'))).toEqual(AWAY);
  });

  it('is logged with the field', () => {
    expect(lines.map(({ cause }) => cause)).toContainEqual(expect.stringMatching(/^meta: /));
  });
});

it('values that JSON omits are omitted', async () => {
  const { meta, one } = (await ok(admin.get('/odd/unit/fine'))) as { meta: unknown; one: string };
  expect([meta, one.length]).toEqual([{ none: null, no: {} }, 2000]);
});

it('a page larger than an answer can be requested in parts', async () => {
  expect(refusalOf(await admin.get('/heavy/unit'))).toEqual({ status: 400, messages: ['answer.too_large'] });
  expect(await ok(admin.get('/heavy/unit?include=id'))).toMatchObject({ count: 3, items: [{}, {}, {}] });
  expect(await ok(admin.get('/heavy/unit?limit=2'))).toMatchObject({ count: 3, items: [{}, {}] });
});

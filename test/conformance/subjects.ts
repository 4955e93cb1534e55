/** The kinds that are tested by the contract. */
import { scalarText, type Json } from '../../src/shared/json.js';
import { ok } from '../support/definitions.js';
import type { TestProject } from '../support/service.js';
import type { Body, Subject } from './contract.js';

const padded = (n: number): string => String(n).padStart(4, '0');

const identified = (kind: string, more: Partial<Subject> & { extra?: (n: number) => Body } = {}): Subject => ({
  ...{ kind, key: 'identifier', sortBy: 'label', edit: { label: 'zz edited' }, wrong: ['label', 5], notNull: 'label' },
  body: (n) => ({ id: `x_${kind}_${padded(n)}`, label: `Label ${padded(n)}`, ...more.extra?.(n) }),
  conflict: {
    body: ({ id }) => ({ id: id ?? null }),
    code: `${['kind', 'group', 'link'].includes(kind) ? kind : 'parameter'}.exists id`,
  },
  ...more,
});

const type = (kind: string, extra: Body, edit: Body, wrong: readonly [string, Json]): Subject =>
  identified(kind, { extra: () => extra, edit, wrong, answersEdited: true, alike: kind !== 'string' });

/** The built-in kinds that clients may write, and the twelve parameter types. */
export const BUILT_IN: readonly Subject[] = [
  identified('kind', {
    extra: () => ({ parameters: [], active: true }),
    edit: { label: 'zz', active: false },
    wrong: ['active', 'true'],
  }),
  identified('group', {
    extra: () => ({ description: 'd', kind_list: [] }),
    edit: { description: 'zz' },
    wrong: ['kind_list', 'city'],
  }),
  identified('link', { edit: { label: 'zz' } }),
  type('string', { max_length: 10, default_string: 'x' }, { max_length: 20, required: true }, ['max_length', '10']),
  type('text', { strip: true }, { default_text: 'zz' }, ['default_text', 5]),
  type('integer', { min_value: 0 }, { values: [1, 2] }, ['min_value', '0']),
  type('float', { default_float: 1.5 }, { max_value: 9 }, ['default_float', '1.5']),
  type('decimal', { scale: 2 }, { default_decimal: '1.25' }, ['default_decimal', true]),
  type('boolean', { default_boolean: true }, { default_boolean: false }, ['default_boolean', 'true']),
  type('date', { default_date: '2024-02-29' }, { indexed: true }, ['default_date', 20240229]),
  type('time', { default_time: '09:30:00' }, { unique: true }, ['default_time', 9]),
  type('datetime', { default_datetime: '2024-01-31T09:30:00.000000Z' }, { helper_text: 'zz' }, ['helper_text', 5]),
  type('binary', { max_length: 3 }, { default_binary: 'AAEC' }, ['default_binary', 5]),
  type('json', { default_json: { a: 1 } }, { default_json: [] }, ['nullable', 'no']),
  type('unit', { reference_kind: 'kind_admin' }, { on_delete: 'cascade' }, ['reference_kind', 5]),
  {
    ...{
      kind: 'kind_admin',
      key: 'uuid',
      sortBy: 'username',
      edit: { first_name: 'Zed' },
      wrong: ['username', 5],
      required: 'username',
      notNull: 'email',
      builtIn: true,
    },
    body: (n) => ({ username: `root${padded(n)}`, email: `root${padded(n)}@example.com` }),
    conflict: {
      body: ({ username }) => ({ username: scalarText(username).toUpperCase() }),
      code: 'parameter.not_unique username',
    },
  },
  {
    ...{ kind: 'api_key', key: 'uuid', sortBy: 'label', edit: { label: 'zz' }, wrong: ['label', 5], notNull: 'label' },
    ...{ builtIn: true, once: 'secret', alone: true },
    body: (n) => ({ label: `key ${padded(n)}`, scope: [{ kinds: ['kind'], operations: ['read'] }] }),
  },
  {
    ...{
      kind: 'webhook',
      key: 'identifier',
      sortBy: 'id',
      edit: { label: 'zz' },
      wrong: ['label', 5],
      notNull: 'label',
    },
    ...{ required: 'url', builtIn: true, once: 'secret' },
    body: (n) => ({ id: `hook${padded(n)}`, url: `https://hooks.example.com/${n}`, active: false }),
  },
];

interface Sample {
  readonly type: string;
  /** The n-th value, ascending, and another one for the edit. */
  readonly value: (n: number) => Json;
  readonly other: Json;
  readonly wrong: Json;
  readonly sortable: boolean;
  readonly extra?: Body;
}

const SAMPLES: readonly Sample[] = [
  { type: 'string', value: (n) => `v${padded(n)} "x\\" 😀 שלום %_`, other: '', wrong: 5, sortable: true },
  { type: 'text', value: (n) => `v${padded(n)}\nline, (two)`, other: 'zz', wrong: {}, sortable: true },
  { type: 'integer', value: (n) => n, other: -1, wrong: '1', sortable: true },
  { type: 'float', value: (n) => n + 0.5, other: -0.1, wrong: '1', sortable: true },
  { type: 'decimal', value: (n) => `${n}.05`, other: '-0.5', wrong: true, sortable: true },
  { type: 'boolean', value: (n) => n % 2 === 0, other: true, wrong: 'true', sortable: false },
  {
    type: 'date',
    value: (n) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10),
    other: '1999-12-31',
    wrong: 5,
    sortable: true,
  },
  {
    type: 'time',
    value: (n) => `${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}:07.5`,
    other: '23:59:59.999999',
    wrong: 5,
    sortable: true,
  },
  {
    type: 'datetime',
    value: (n) => new Date(Date.UTC(2024, 0, 1, 0, n)).toISOString().replace('.000Z', '.000001Z'),
    other: '1999-12-31T23:59:59.999999Z',
    wrong: 5,
    sortable: true,
  },
  {
    type: 'binary',
    value: (n) => Buffer.from([n >> 8, n & 255, 255]).toString('base64'),
    other: '',
    wrong: 5,
    sortable: false,
  },
  { type: 'json', value: (n) => ({ n, list: [null, true], '': 'x' }), other: [1], wrong: 5, sortable: false },
];

/** A kind of one parameter per type, and `counter`, which tells its units apart. */
function typed(prefix: string, parameter: string, { type: id, value, other, wrong, sortable }: Sample): Subject {
  return {
    ...{
      kind: `${prefix}${id}`,
      key: 'uuid',
      alike: prefix !== 'of_' || id !== 'string',
      sortBy: sortable ? parameter : 'counter',
      required: 'counter',
      notNull: 'counter',
    },
    body: (n) => ({ [parameter]: value(n), counter: n }),
    edit: { [parameter]: other },
    // Whatever is JSON is right for a json parameter.
    wrong: id === 'json' ? ['counter', 'x'] : [parameter, wrong],
    conflict: { body: ({ counter }) => ({ counter: counter ?? null }), code: 'parameter.not_unique counter' },
  };
}

export const TYPED: readonly Subject[] = SAMPLES.map((sample) => typed('of_', `value_${sample.type}`, sample));
export const LISTS: readonly Subject[] = SAMPLES.filter(
  ({ sortable, type }) => !sortable || ['string', 'datetime'].includes(type),
).map((sample) => {
  const list = (value: Json): Json => [value, value];
  const plain = typed('list_of_', `values_${sample.type}`, {
    ...sample,
    value: (n) => list(sample.value(n)),
    other: [],
    wrong: 'x',
    sortable: false,
  });
  return sample.type === 'json' ? { ...plain, wrong: [`values_json`, { a: 1 }] } : plain;
});

const NATURAL: readonly Subject[] = [
  {
    ...{
      kind: 'by_string',
      key: { natural: 'code' },
      sortBy: 'code',
      edit: { note: 'zz' },
      wrong: ['code', 5],
      required: 'code',
      notNull: 'code',
    },
    // A key may be any text that can stand in a path, percent-encoded.
    body: (n) => ({ code: `${padded(n)} a/b?c=%20&"d"#😀`, note: 'x' }),
    conflict: { body: ({ code }) => ({ code: code ?? null }), code: 'parameter.not_unique code' },
  },
  {
    ...{
      kind: 'by_integer',
      key: { natural: 'number' },
      sortBy: 'number',
      edit: { note: 'zz' },
      wrong: ['number', '5'],
      required: 'number',
      notNull: 'number',
    },
    body: (n) => ({ number: n - 50, note: 'x' }),
    conflict: { body: ({ number }) => ({ number: number ?? null }), code: 'parameter.not_unique number' },
  },
  {
    ...{
      kind: 'by_decimal',
      key: { natural: 'amount' },
      sortBy: 'amount',
      edit: { note: 'zz' },
      wrong: ['amount', true],
      required: 'amount',
      notNull: 'amount',
    },
    body: (n) => ({ amount: `${n}.5`, note: 'x' }),
    conflict: { body: ({ amount }) => ({ amount: `0${scalarText(amount)}00` }), code: 'parameter.not_unique amount' },
  },
  {
    ...{
      kind: 'by_date',
      key: { natural: 'day' },
      sortBy: 'day',
      edit: { note: 'zz' },
      wrong: ['day', 5],
      required: 'day',
      notNull: 'day',
    },
    body: (n) => ({ day: new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10), note: 'x' }),
    conflict: { body: ({ day }) => ({ day: day ?? null }), code: 'parameter.not_unique day' },
  },
];

/** Names that SQL, PostgreSQL or JavaScript have taken, and two that are equal in their first sixty characters. */
export const ODD_KINDS = ['order', 'select', 'user', 'parameter', `${'k'.repeat(60)}abc`, `${'k'.repeat(60)}abd`];
export const ODD_PARAMETERS = [
  'constructor',
  'xmin',
  'ctid',
  'tableoid',
  'select',
  'page',
  'r',
  't',
  'i',
  'e',
  'made',
  'count',
  'items',
  'body',
  'tag',
  'version',
  'n',
  'keys',
  `${'p'.repeat(60)}abc`,
  `${'p'.repeat(60)}abd`,
];

const odd = (kind: string): Subject => ({
  ...{
    kind,
    key: 'uuid',
    alike: kind !== ODD_KINDS[0],
    sortBy: 'xmin',
    required: 'constructor',
    notNull: 'ctid',
  },
  body: (n) => Object.fromEntries(ODD_PARAMETERS.map((id) => [id, `${id.slice(0, 3)} ${padded(n)}`])),
  edit: { constructor: 'zz', [`${'p'.repeat(60)}abd`]: null },
  wrong: ['constructor', 5],
  conflict: { body: ({ ctid }) => ({ ctid: ctid ?? null }), code: 'parameter.not_unique ctid' },
});

const member: Subject = {
  ...{
    kind: 'customer',
    key: 'uuid',
    sortBy: 'username',
    edit: { first_name: 'Zed', vat: 'zz' },
    wrong: ['vat', 5],
    required: 'email',
    notNull: 'username',
    signup: true,
  },
  body: (n) => ({ username: `cust${padded(n)}`, email: `cust${padded(n)}@example.com`, vat: `v${padded(n)}` }),
  conflict: { body: ({ email }) => ({ email: scalarText(email).toUpperCase() }), code: 'parameter.not_unique email' },
};

const reference: Subject = {
  ...{
    kind: 'refers',
    key: 'uuid',
    sortBy: 'rank',
    edit: { to_land: 'FR' },
    wrong: ['to_land', 5],
    required: 'rank',
    notNull: 'rank',
  },
  body: (n) => ({ to_land: 'IT', rank: n }),
  conflict: { body: ({ rank }) => ({ rank: rank ?? null }), code: 'parameter.not_unique rank' },
};

export const USERS: readonly Subject[] = [...NATURAL, member, reference, ...ODD_KINDS.map(odd)];

/** Defines the kinds of `TYPED`, `LISTS` and `USERS`. */
export async function defineSubjects(project: TestProject): Promise<void> {
  const kind = (id: string, parameters: readonly (string | object)[]) =>
    ok(project.post('/kind/unit', { id, parameters }));
  await ok(project.post('/integer/unit', { id: 'counter', required: true, nullable: false, unique: true }));
  for (const { type: id } of SAMPLES) {
    await kind(`of_${id}`, [{ id: `value_${id}`, kind_id: id }, 'counter']);
    await kind(`list_of_${id}`, [{ id: `values_${id}`, kind_id: id, multiple: true }, 'counter']);
  }
  await ok(project.post('/string/unit', { id: 'note' }));
  const keys = {
    by_string: ['code', 'string'],
    by_integer: ['number', 'integer'],
    by_decimal: ['amount', 'decimal'],
    by_date: ['day', 'date'],
  };
  for (const [id, [key, keyType]] of Object.entries(keys))
    await kind(id, [{ id: key, kind_id: keyType, is_primary: true }, 'note']);
  await kind('customer', [{ id: 'vat', kind_id: 'string' }]);
  await ok(project.post('/group/unit/kind_auth_member/link/group/kind/unit/customer'));
  await kind('land', [{ id: 'iso', kind_id: 'string', is_primary: true }]);
  await ok(project.post('/land/unit', [{ iso: 'IT' }, { iso: 'FR' }]));
  await kind('refers', [
    { id: 'to_land', kind_id: 'unit', reference_kind: 'land' },
    { id: 'rank', kind_id: 'integer', required: true, nullable: false, unique: true },
  ]);
  for (const id of ODD_PARAMETERS) {
    await ok(
      project.post('/string/unit', {
        id,
        required: id === 'constructor',
        nullable: id !== 'ctid',
        unique: id === 'ctid',
        indexed: id === 'xmin',
      }),
    );
  }
  for (const id of ODD_KINDS) await kind(id, ODD_PARAMETERS);
}

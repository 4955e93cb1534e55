/** A kind with a parameter of every type, single and multiple, and difficult values for each. */
import type { NaiveKind, NaiveParameter } from './naive-filter.js';

export const TYPES = [
  'string',
  'text',
  'integer',
  'float',
  'decimal',
  'boolean',
  'date',
  'time',
  'datetime',
  'binary',
  'json',
  'unit',
] as const;
export type TypeId = (typeof TYPES)[number];

const HOSTILE = [
  ...[
    '',
    'a',
    'A',
    'ab',
    'aB',
    'abc',
    '%',
    '_',
    'a%b',
    'a_b',
    'a%',
    '\\',
    '\\%',
    'a\\b',
    '"',
    "'",
    'a"b',
    "a'b",
    '\\"',
  ],
  ...[
    '(',
    ')',
    '()',
    'a(b',
    'a)b',
    'a(b)c',
    ',',
    'a,b',
    '[',
    ']',
    '[x]',
    '[a,b]',
    '{',
    '{}',
    '{"a":1}',
    '$1',
    '::',
    '--',
    '/*',
  ],
  ...[
    '🙂',
    '👩‍👩‍👧',
    '\u{1F600}x',
    '\uffee',
    '\ue000',
    'é',
    'É',
    'e\u0301',
    'ж',
    'Ж',
    'ß',
    'ﬀ',
    'שלום',
    'مرحبا',
    '\u202eabc',
    '\u200b',
    '\ufeff',
    '\u00a0',
  ],
  ...[' ', '  a  ', '\n', '\t', 'a\nb', 'null', 'true', '1', '01', '@member.id', 'and(a,b)', 'x'.repeat(300)],
];

/** Values of bodies, by type. */
export const VALUES: Readonly<Record<Exclude<TypeId, 'unit'>, readonly unknown[]>> = {
  string: HOSTILE,
  text: HOSTILE,
  integer: [-9007199254740991, -10, -1, 0, 1, 2, 10, 9007199254740991],
  float: [-1e10, -1.5, 0, 0.1, 0.30000000000000004, 1e-7, 1e21, 5e-324, 1.7976931348623157e308, 9007199254740993],
  decimal: [
    '-1.5',
    '-0.0001',
    '0',
    '0.1',
    '0.10000000000000000000000000000001',
    '1',
    '1.05',
    '10',
    '99999999999999999999999999999999999',
  ],
  boolean: [true, false],
  date: ['0001-01-01', '0999-12-31', '1969-12-31', '1970-01-01', '2024-02-29', '2024-12-31', '9999-12-31'],
  time: ['00:00:00', '09:30:00', '09:30:00.000001', '09:30:00.5', '23:59:59.999999'],
  datetime: [
    '0001-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999999Z',
    '1970-01-01T00:00:00Z',
    '2024-01-31T00:00:00Z',
    '2024-01-31T09:30:00.123456Z',
    '2024-01-31T10:30:00.25+01:00',
    '9999-12-31T23:59:59.999999Z',
  ],
  binary: ['', 'AA==', 'AAEC', '/+8=', 'YQ=='],
  json: [
    ...['', 'red', 'null', '1', '{}', '[1,2]', 'a"b', '🙂'],
    ...[0, 1, -1.5, true, false, [], {}, [1, 2], [1, [2, { a: null }]], ['1', 1]],
    ...[
      { color: 'red' },
      { color: 'Red', size: { width: 42 } },
      { color: null },
      { color: ['red'] },
      { size: { width: '42', height: 1.5 } },
    ],
    ...[
      { 'a.b': 1, '': 'empty', '0': 'zero', 'it"s': 'x', 'ü 🙂': { '(': ')' } },
      { b: 2, a: 1 },
      { list: ['x', 'y', { z: true }] },
    ],
  ],
};

/** Texts of filters that find nothing of the above, or something written in another way. */
export const MORE_TEXTS: Readonly<Partial<Record<TypeId, readonly string[]>>> = {
  string: ['b', 'AB', 'B', 'i', 'aaa', '%%', '__', '.*', 'ABC'],
  text: ['b', 'AB', 'x'],
  integer: ['3', '-2', '007', '-0'],
  float: ['1e21', '1E+21', '0.10', '-1.50', '2', '1e-400'],
  decimal: ['1.50', '01', '-1.500', '0.0', '1.0500', '2'],
  date: ['29-02-2024', '31-12-1969', '2000-01-01'],
  time: ['09:30', '09:30:00.50', '12:00:00'],
  datetime: [
    '2024-01-31',
    '31-01-2024',
    '2024-01-31T10:30:00.123456+01:00',
    '2024-01-31T09:30:00.25Z',
    '2024-01-31T09:30Z',
    '2000-01-01',
  ],
  binary: ['AAAA'],
  json: [
    '2',
    'blue',
    '{"a":1,"b":2}',
    '{ "b": 2, "a": 1 }',
    '[1,2]',
    '[2,1]',
    '{}',
    '[]',
    '{"size":{"width":42},"color":"Red"}',
    'false',
    '42',
    '-1.5',
  ],
  unit: ['0190163d-8694-739b-aea5-966c26f8ad91'],
};

/** Paths into the JSON above. */
export const JSON_KEYS: readonly (readonly string[])[] = [
  [],
  ['color'],
  ['size', 'width'],
  ['a.b'],
  [''],
  ['0'],
  ['1'],
  ['it"s'],
  ['ü 🙂', '('],
  ['list', '2', 'z'],
  ['list', '-1'],
  ['nothing'],
  ['constructor'],
];

const SINGLE: readonly [string, NaiveParameter][] = TYPES.map((type) => [`a_${type}`, { type }]);
const LISTS: readonly [string, NaiveParameter][] = TYPES.filter((type) => type !== 'unit').map((type) => [
  `some_${type}`,
  { type, multiple: true },
]);

export const PARAMETERS: NaiveKind = new Map([...SINGLE, ...LISTS]);

/** What every unit has beside its parameters. */
export const UNIT_PARAMETERS: NaiveKind = new Map<string, NaiveParameter>([
  ...PARAMETERS,
  ['id', { type: 'unit' }],
  ['kind_id', { type: 'string' }],
  ['inserted_at', { type: 'datetime' }],
  ['updated_at', { type: 'datetime' }],
  ['metadata', { type: 'json' }],
]);

/** The kind `thing`, whose references go to `place`. */
export const PLACE = { id: 'place', label: 'Place', parameters: [] };
export const THING = {
  id: 'thing',
  label: 'Thing',
  parameters: [...PARAMETERS].map(([id, { type, multiple = false }]) => ({
    id,
    kind_id: type,
    multiple,
    ...(type === 'unit' && { reference_kind: 'place' }),
  })),
};

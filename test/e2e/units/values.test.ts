/** Values of every type: stored exactly and found again, or refused with a reason; nothing is coerced. */
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { defineKinds } from '../../support/callers.js';
import { createdId } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { play } from '../../support/scenario.js';
import { sharedService, type Reply } from '../../support/service.js';

/** Bytes. */
const LARGEST_BINARY = 64 * 1024;
lowerLimit('binaryBytes', LARGEST_BINARY);
const service = await sharedService();
const project = await service.project();
const TYPES = [
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
] as const;
await defineKinds(project, {
  id: 'thing',
  label: 'Thing',
  parameters: TYPES.flatMap((type) => [
    { id: `a_${type}`, kind_id: type },
    { id: `some_${type}`, kind_id: type, multiple: true },
    { id: `each_${type}`, kind_id: type, multiple: true, unique: true },
  ]),
});

let names = 0;
/** A kind of one parameter, for a rule. */
async function kindOf(parameter: object, kind: object = {}): Promise<{ path: string; id: string }> {
  names += 1;
  const id = `p${names}`;
  await defineKinds(project, {
    id: `k${names}`,
    label: 'K',
    parameters: [{ id, kind_id: 'string', ...parameter }],
    ...kind,
  });
  return { path: `/k${names}/unit`, id };
}

const codes = (reply: Reply) => reply.body.messages.map(({ code }) => code);
const quoted = (value: unknown) =>
  typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : JSON.stringify(value);
const deep = (levels: number): unknown => (levels === 0 ? 'bottom' : { down: deep(levels - 1) });
/** With more values than are written and compared at once. */
const big = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`key ${at}`, [at, `${at}`, null]]));

/** What is given, and what is answered where that is written in another way. */
const ROUND_TRIPS: Record<(typeof TYPES)[number], readonly (readonly [given: unknown, answered?: unknown])[]> = {
  string: [
    [''],
    ['a'],
    [' a '],
    ['\n\t'],
    ['é'],
    ['e\u0301'],
    ['🙂👩‍👩‍👧'],
    ['\u202eمرحبا'],
    ['\u{10ffff}'],
    ['\uffff'],
    ['\u0001\u007f'],
    ['%_\\\'"`$1${x}'],
    ['null'],
    ['x'.repeat(100_000)],
  ],
  text: [[''], ['line\r\nline'], ['\ufeffbom'], ['🙂'.repeat(50_000)]],
  integer: [[0], [-0, 0], [1], [-1], [2147483648], [9007199254740991], [-9007199254740991], [1.0, 1]],
  float: [
    [0],
    [-0, 0],
    [0.1],
    [-1.5],
    [1e21],
    [5e-324],
    [1.7976931348623157e308],
    [-1.7976931348623157e308],
    [0.30000000000000004],
    [123456789012345680000],
    [3],
  ],
  decimal: [
    ...[
      '0',
      '1',
      '-1',
      '0.1',
      '-0.000000000000000000000000000001',
      '123456789012345678901234567890.123456789',
      '9'.repeat(900),
    ].map((text) => [text] as const),
    ...[
      ['-0', '0'],
      ['-0.00', '0'],
      ['007', '7'],
      ['1.50', '1.5'],
      ['1.000', '1'],
      ['-01.10', '-1.1'],
      [12.5, '12.5'],
      [0, '0'],
      [-0, '0'],
      [1e21, '1000000000000000000000'],
      [1e-7, '0.0000001'],
      [123456789012345, '123456789012345'],
      [0.1, '0.1'],
      [-1.5e-10, '-0.00000000015'],
    ].map((pair) => pair as [unknown, unknown]),
  ],
  boolean: [[true], [false]],
  date: [['2024-01-31'], ['2024-02-29'], ['2000-02-29'], ['0001-01-01'], ['9999-12-31'], ['0099-03-04']],
  time: [
    ['00:00:00'],
    ['23:59:59'],
    ['09:30:00.5'],
    ['09:30:00.000001'],
    ['23:59:59.999999'],
    ['09:30:00.0', '09:30:00'],
    ['09:30:00.500000', '09:30:00.5'],
    ['09:30:00.120', '09:30:00.12'],
  ],
  datetime: [
    ['2024-01-31T09:30:00.123456Z'],
    ['2024-01-31T09:30:00Z', '2024-01-31T09:30:00.000000Z'],
    ['2024-01-31T09:30Z', '2024-01-31T09:30:00.000000Z'],
    ['2024-01-31T09:30:00.5Z', '2024-01-31T09:30:00.500000Z'],
    ['2024-01-31T00:30:00+01:00', '2024-01-30T23:30:00.000000Z'],
    ['2024-01-31T00:30:00-0530', '2024-01-31T06:00:00.000000Z'],
    ['2024-02-29T23:59:59.999999-12:00', '2024-03-01T11:59:59.999999Z'],
    ['0001-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999Z'],
    ['1969-12-31T23:59:59.999999Z'],
    ['0099-06-01T12:00:00.000001Z'],
  ],
  binary: [
    [''],
    ['AA=='],
    ['AAE='],
    ['AAEC'],
    ['/+8='],
    [Buffer.from(Array.from({ length: 256 }, (_, at) => at)).toString('base64')],
    [Buffer.alloc(LARGEST_BINARY, 7).toString('base64')],
  ],
  json: [
    ...['', 'text', 'null', '{}', 0, 1, -1.5, 1e21, true, false].map((value) => [value] as const),
    ...[
      [],
      {},
      [[]],
      [[], []],
      [[1], [2, 3]],
      [
        [1, 2],
        [1, 2],
      ],
      [null],
      { a: null },
      { '': { ' ': [] } },
      { a: { b: [1, { c: 'd' }] } },
      { '🙂': '\u202e' },
      { __proto__x: 1, constructor: { prototype: 1 } },
    ].map((value) => [value] as const),
    [{ b: 1, a: 2 }],
    [deep(98)],
    [big],
    ['x'.repeat(200_000)],
  ],
};

describe('a valid value', () => {
  for (const type of TYPES) {
    it.each(
      ROUND_TRIPS[type].map(
        ([given, answered = given]) => [JSON.stringify(given).slice(0, 60), given, answered] as const,
      ),
    )(`of ${type} is stored exactly: %s`, async (_, given, answered) => {
      const body = { [`a_${type}`]: given, [`some_${type}`]: [given, given], [`each_${type}`]: [given] };
      const stored = { [`a_${type}`]: answered, [`some_${type}`]: [answered, answered], [`each_${type}`]: [answered] };
      const made = await project.post('/thing/unit', body);
      expect(made.status, made.text.slice(0, 300)).toBe(200);
      expect(made.body.content).toMatchObject(stored);
      // A list of units is sent to PostgreSQL in another way than one.
      const list = await project.post('/thing/unit', [body, body]);
      expect(list.body.content).toMatchObject({ count: 2, items: [stored, stored] });
      const { id } = made.body.content as { id: string };
      expect((await project.get(`/thing/unit/${id}`)).body.content).toEqual(made.body.content);
      // An edit with what was answered changes nothing but the time.
      const edited = await project.put(`/thing/unit/${id}`, stored);
      expect({ ...edited.body.content, updated_at: '' }).toEqual({ ...made.body.content, updated_at: '' });
      const text = quoted(answered);
      // JSON is compared as text, or as JSON where it is a list or an object.
      const filter =
        type === 'json' && answered === null
          ? 'isnull(a_json)'
          : type === 'json' && typeof answered === 'object'
            ? `eq(a_json,${quoted(text)})`
            : `eq(a_${type},${text})`;
      if (
        Buffer.byteLength(filter) <= 8192 &&
        !(type === 'json' && typeof answered === 'number' && Math.abs(answered) > 1e20)
      ) {
        const found = await project.get(`/thing/unit?filter=${encodeURIComponent(`and(${filter},eq(id,${id}))`)}`);
        expect(found.body.content, filter).toMatchObject({ count: 1, items: [{ id }] });
      }
      await project.delete(`/thing/unit/${id}`);
    });
  }

  it('may be null; a list may be null or empty, which differ', async () => {
    for (const type of TYPES) {
      const made = await project.post('/thing/unit', {
        [`a_${type}`]: null,
        [`some_${type}`]: null,
        [`each_${type}`]: [],
      });
      expect(made.body.content).toMatchObject({ [`a_${type}`]: null, [`some_${type}`]: null, [`each_${type}`]: [] });
      const { id } = made.body.content as { id: string };
      const found = async (filter: string) =>
        (await project.get(`/thing/unit?filter=and(eq(id,${id}),${filter})`)).body.content.count as number;
      expect(await found(`isnull(a_${type})`)).toBe(1);
      expect(await found(`isnull(some_${type})`)).toBe(1);
      expect(await found(`isnull(each_${type})`)).toBe(0);
    }
  });

  it('of JSON is the same whatever the order of its keys', async () => {
    const { id } = (await project.post('/thing/unit', { a_json: { b: [1, { d: 1, c: 2 }], a: 'x' } })).body.content as {
      id: string;
    };
    const filter = encodeURIComponent('eq(a_json,{"a":"x","b":[1,{"c":2,"d":1}]})');
    expect((await project.get(`/thing/unit?filter=${filter}`)).body.content).toMatchObject({ items: [{ id }] });
    const twice = await project.post('/thing/unit', {
      each_json: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    });
    expect(codes(twice)).toEqual(['parameter.duplicate']);
  });
});

const NOT_STRINGS: readonly unknown[] = [1, true, [], ['a'], {}, { toString: 1 }];
/** Nothing is coerced. */
const WRONG: Record<(typeof TYPES)[number], { type: readonly unknown[]; value: readonly unknown[] }> = {
  string: { type: NOT_STRINGS, value: ['a\0b', '\ud83d', '\udc00x'] },
  text: { type: NOT_STRINGS, value: ['a\0b', '\ud83d'] },
  integer: { type: ['1', '', true, [], [1], {}], value: [1.5, 9007199254740992, -9007199254740992, 1e300, 0.1] },
  float: { type: ['1.5', '', 'NaN', 'Infinity', false, [1], {}], value: [] },
  decimal: {
    type: [true, [], {}, ['1']],
    value: [
      '',
      ' 1',
      '1 ',
      '+1',
      '1e3',
      '1E-3',
      '.5',
      '5.',
      '1,5',
      '0x1',
      'NaN',
      'Infinity',
      '--1',
      '1.2.3',
      '١',
      0.1234567890123456,
      1234567890.1234567,
      9007199254740993,
    ],
  },
  boolean: { type: ['true', 'false', '', 0, 1, [], {}], value: [] },
  date: {
    type: [20240131, true, {}, []],
    value: [
      '',
      '2024-02-30',
      '2023-02-29',
      '1900-02-29',
      '2024-13-01',
      '2024-00-01',
      '2024-01-00',
      '0000-01-01',
      '10000-01-01',
      '-0001-01-01',
      '31-01-2024',
      '2024-1-1',
      '2024/01/01',
      '2024-01-01T00:00:00Z',
      ' 2024-01-01',
      'today',
      'infinity',
      'epoch',
    ],
  },
  time: {
    type: [930, {}, []],
    value: [
      '',
      '24:00:00',
      '09:60:00',
      '09:30:60',
      '9:30:00',
      '09:30',
      '09:30:00.',
      '09:30:00.1234567',
      '09:30:00Z',
      '09:30:00+01:00',
      '09:30:00 PM',
      'noon',
      'allballs',
    ],
  },
  datetime: {
    type: [1706693400, {}, []],
    value: [
      '',
      '2024-01-31',
      '2024-01-31T09:30:00',
      '2024-01-31T24:00:00Z',
      '2024-01-31T09:60:00Z',
      '2024-01-31T09:30:60Z',
      '2024-02-30T09:30:00Z',
      '2024-01-31T09:30:00.1234567Z',
      '2024-01-31T09:30:00+16:00',
      '2024-01-31T09:30:00+01:60',
      '0001-01-01T00:00:00+01:00',
      '9999-12-31T23:59:59-01:00',
      '2024-01-31T09:30:00 Europe/Rome',
      'now',
      'infinity',
      'Wed, 31 Jan 2024 09:30:00 GMT',
    ],
  },
  binary: {
    type: [1, {}, [], [1, 2]],
    value: ['A', 'AA', 'AAE', 'A===', 'AB==', 'AAF=', 'AA-_', 'AA\n==', ' AA==', '\\x00', 'é', '='],
  },
  json: { type: [], value: ['\0', '\ud83d', { a: ['\0'] }, { '\0': 1 }, { a: { '\ud83d': 1 } }, deep(101)] },
};

describe('an invalid value', () => {
  for (const type of TYPES) {
    const cases = [
      ...WRONG[type].type.map((value) => [value, 'parameter.bad_type'] as const),
      ...WRONG[type].value.map((value) => [value, 'parameter.bad_value'] as const),
    ];
    if (cases.length === 0) continue;
    it.each(cases.map(([value, code]) => [JSON.stringify(value).slice(0, 40), code, value] as const))(
      `for ${type} is refused: %s`,
      async (_, code, value) => {
        const parameter = `a_${type}`;
        await play(project, {
          name: '',
          request: 'POST /thing/unit',
          body: { [parameter]: value },
          expect: { status: 400, code, parameter },
        });
        const list = await project.post('/thing/unit', { [`some_${type}`]: [value] });
        expect(list).toMatchObject({ status: 400, body: { messages: [{ code, parameter: `some_${type}` }] } });
        expect(list.body.messages[0]?.text).toContain(`some_${type}[0]`);
      },
    );

    it(`for a list of ${type} is refused: what is no list`, async () => {
      for (const value of ['a', 1, true, {}, 'AA==', '2024-01-31'])
        expect(codes(await project.post('/thing/unit', { [`some_${type}`]: value }))).toEqual(['parameter.bad_type']);
      expect(codes(await project.post('/thing/unit', { [`some_${type}`]: [null] }))).toEqual(['parameter.null']);
    });

    it(`for a list of different ${type}s is refused: the same twice`, async () => {
      const [[one] = []] = ROUND_TRIPS[type];
      const reply = await project.post('/thing/unit', { [`each_${type}`]: [one, one, one] });
      expect(reply).toMatchObject({
        status: 400,
        body: {
          messages: [
            { code: 'parameter.duplicate', parameter: `each_${type}`, text: expect.stringContaining('[1]') as string },
            { code: 'parameter.duplicate', parameter: `each_${type}`, text: expect.stringContaining('[2]') as string },
          ],
        },
      });
    });
  }

  it.each<[string, unknown[]]>([
    ['decimal', ['1.50', '1.5']],
    ['decimal', [1.5, '1.5']],
    ['decimal', ['0', '-0.0']],
    ['float', [0, -0]],
    ['time', ['09:30:00', '09:30:00.0']],
    ['datetime', ['2024-01-31T09:30:00Z', '2024-01-31T10:30:00+01:00']],
    ['datetime', ['2024-01-31T09:30:00Z', '2024-01-31T09:30:00.000Z']],
    ['json', [{ a: [1, { b: 2, c: 3 }] }, { a: [1, { c: 3, b: 2 }] }]],
  ])('twice in a list of different %ss is refused however it is written: %j', async (type, values) => {
    expect(codes(await project.post('/thing/unit', { [`each_${type}`]: values }))).toEqual(['parameter.duplicate']);
  });

  it.each<[string, unknown[]]>([
    ['string', ['a', 'A', 'a ']],
    ['json', [1, '1', [1], { a: 1 }]],
    ['decimal', ['1', '1.0000000000000000000000000001']],
  ])('is not what only looks alike: %s %j', async (type, values) => {
    expect((await project.post('/thing/unit', { [`each_${type}`]: values })).status).toBe(200);
  });

  it('is reported with the other faults of its body, and nothing is stored', async () => {
    const before = (await project.get('/thing/unit?limit=0')).body.content.count as number;
    const reply = await project.post('/thing/unit', {
      a_integer: '1',
      a_boolean: 'x',
      some_date: ['2024-01-01', 'x', 5],
      nope: 1,
      a_string: 'fine',
    });
    expect(reply.body.messages.map(({ code, parameter }) => [code, parameter])).toEqual([
      ['parameter.unknown', 'nope'],
      ['parameter.bad_type', 'a_integer'],
      ['parameter.bad_type', 'a_boolean'],
      ['parameter.bad_value', 'some_date'],
      ['parameter.bad_type', 'some_date'],
    ]);
    expect((await project.get('/thing/unit?limit=0')).body.content.count).toBe(before);
  });

  it('is rejected whatever its size', async () => {
    // What compares each with each would take longer than the runner's timeout.
    const list = Array.from({ length: 200_000 }, (_, at) => at);
    expect((await project.post('/thing/unit', { each_integer: list })).status).toBe(200);
    expect(codes(await project.post('/thing/unit', { each_integer: [...list, 7] }))).toEqual(['parameter.duplicate']);
    const unknown = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`nope_${at}`, at]));
    expect((await project.post('/thing/unit', unknown)).body.messages.length).toBeLessThanOrEqual(LIMITS.faults + 1);
    const each = await project.post(
      '/thing/unit',
      Array.from({ length: 1000 }, () => ({ nope: 1 })),
    );
    expect(each.body.messages).toHaveLength(1000);
  });
});

describe('an absent value', () => {
  it('is null by default', async () => {
    const { content } = (await project.post('/thing/unit', {})).body;
    expect(
      Object.entries(content as object)
        .filter(([key]) => /^(a|some|each)_/.test(key))
        .every(([, value]) => value === null),
    ).toBe(true);
    expect(content.metadata).toEqual({});
  });

  const DEFAULTS: [string, unknown, unknown?][] = [
    ['string', 'x'],
    ['text', ''],
    ['integer', 0],
    ['float', -1.5],
    ['decimal', '1.50', '1.5'],
    ['decimal', 2.5, '2.5'],
    ['boolean', false],
    ['boolean', true],
    ['date', '2024-01-31'],
    ['time', '09:30:00.50', '09:30:00.5'],
    ['datetime', '2024-01-31T10:30:00+01:00', '2024-01-31T09:30:00.000000Z'],
    ['binary', 'AAEC'],
    ['json', { a: [1, null] }],
    ['json', []],
  ];
  it.each(DEFAULTS)('gets the default of a %s: %j; null does not', async (type, given, answered = given) => {
    for (const multiple of [false, true]) {
      const { path, id } = await kindOf({
        kind_id: type,
        multiple,
        [`default_${type}`]: multiple ? [given, given] : given,
      });
      expect((await project.post(path, {})).body.content[id]).toEqual(multiple ? [answered, answered] : answered);
      expect((await project.post(path, { [id]: null })).body.content[id]).toBeNull();
      const bulk = await project.post(path, [{}, { [id]: null }]);
      expect((bulk.body.content.items as Record<string, unknown>[]).map((unit) => unit[id])).toEqual([
        multiple ? [answered, answered] : answered,
        null,
      ]);
      const unit = bulk.body.content.items[1].id as string;
      expect((await project.put(`${path}/${unit}`, {})).body.content[id]).toBeNull();
    }
  });

  it('is rejected if required, but null is accepted', async () => {
    const { path, id } = await kindOf({ required: true });
    expect(codes(await project.post(path, {}))).toEqual(['parameter.required']);
    expect((await project.post(path, { [id]: null })).body.content[id]).toBeNull();
    expect((await project.post(path, { [id]: '' })).body.content[id]).toBe('');
    const unit = await createdId(project.post(path, { [id]: 'x' }));
    expect((await project.put(`${path}/${unit}`, {})).body.content[id]).toBe('x');
  });

  it('gets the default even if it is required', async () => {
    const { path, id } = await kindOf({ required: true, default_string: 'd' });
    expect((await project.post(path, {})).body.content[id]).toBe('d');
  });

  it('or null is rejected where null is not allowed', async () => {
    const { path, id } = await kindOf({ nullable: false });
    expect(codes(await project.post(path, {}))).toEqual(['parameter.required']);
    expect(codes(await project.post(path, { [id]: null }))).toEqual(['parameter.null']);
    const unit = await createdId(project.post(path, { [id]: 'x' }));
    expect(codes(await project.put(`${path}/${unit}`, { [id]: null }))).toEqual(['parameter.null']);
    expect((await project.put(`${path}/${unit}`, {})).status).toBe(200);
  });

  it('gets the default if null is not allowed; null does not', async () => {
    const { path, id } = await kindOf({ nullable: false, default_string: 'd' });
    expect((await project.post(path, {})).body.content[id]).toBe('d');
    expect(codes(await project.post(path, { [id]: null }))).toEqual(['parameter.null']);
  });
});

describe('the rules of a parameter', () => {
  it.each<[string, object, readonly unknown[], readonly (readonly [unknown, string])[]]>([
    [
      'min_length',
      { min_length: 2 },
      ['ab', '🙂🙂'],
      [
        ['', 'too_short'],
        ['🙂', 'too_short'],
        ['a', 'too_short'],
      ],
    ],
    [
      'max_length in code points',
      { max_length: 2 },
      ['', '🙂🙂', 'éé'],
      [
        ['abc', 'too_long'],
        ['e\u0301e\u0301', 'too_long'],
        ['👩‍👩‍👧', 'too_long'],
      ],
    ],
    ['max_length of bytes', { kind_id: 'binary', max_length: 2 }, ['', 'AAE='], [['AAEC', 'too_long']]],
    [
      'values',
      { values: ['a', 'B', ''] },
      ['a', 'B', ''],
      [
        ['b', 'not_allowed'],
        ['a ', 'not_allowed'],
        ['constructor', 'not_allowed'],
      ],
    ],
    [
      'values of integers',
      { kind_id: 'integer', values: [1, -2] },
      [1, -2],
      [
        [0, 'not_allowed'],
        ['1', 'bad_type'],
      ],
    ],
    [
      'min_value and max_value',
      { kind_id: 'integer', min_value: -1, max_value: 1 },
      [-1, 0, 1],
      [
        [-2, 'too_small'],
        [2, 'too_large'],
      ],
    ],
    [
      'bounds of a float',
      { kind_id: 'float', min_value: -0.5, max_value: 0.5 },
      [-0.5, 0.5, 0],
      [
        [-0.5000000000000001, 'too_small'],
        [0.6, 'too_large'],
      ],
    ],
    [
      'bounds of a decimal, exactly',
      { kind_id: 'decimal', min_value: '0', max_value: '100000000000000000000.01' },
      ['0', '100000000000000000000.01'],
      [
        ['-0.000000000000000000001', 'too_small'],
        ['100000000000000000000.010000000001', 'too_large'],
      ],
    ],
    [
      'scale, without rounding',
      { kind_id: 'decimal', scale: 2 },
      ['1', '1.2', '1.23', '1.2300', 1.25],
      [
        ['1.234', 'bad_value'],
        [1.005, 'bad_value'],
      ],
    ],
    ['scale 0', { kind_id: 'decimal', scale: 0 }, ['1', '1.0', 5], [['1.5', 'bad_value']]],
    [
      'pattern',
      { pattern: '^[A-Z]{2}$' },
      ['IT'],
      [
        ['it', 'pattern_mismatch'],
        ['ITA', 'pattern_mismatch'],
        ['IT\n', 'pattern_mismatch'],
        ['', 'pattern_mismatch'],
      ],
    ],
    ['pattern anywhere', { pattern: '\\d+' }, ['a1b', '1'], [['a', 'pattern_mismatch']]],
    [
      'pattern of Unicode',
      { pattern: '^\\p{Lu}\\p{Ll}+$' },
      ['Éa', 'Жук'],
      [
        ['éa', 'pattern_mismatch'],
        ['Rome1', 'pattern_mismatch'],
      ],
    ],
    ['pattern with a flag', { pattern: '(?i)^rome$' }, ['ROME', 'rome'], [['romé', 'pattern_mismatch']]],
    [
      'strip before the rules',
      { strip: true, min_length: 1, max_length: 3, pattern: '^\\S*$' },
      ['abc', '  abc  ', '\u00a0a\n'],
      [
        ['   ', 'too_short'],
        ['a b', 'pattern_mismatch'],
        ['abcd', 'too_long'],
      ],
    ],
  ])('%s', async (_, rules, good, bad) => {
    for (const multiple of [false, true]) {
      const { path, id } = await kindOf({ ...rules, multiple });
      const body = (value: unknown) => ({ [id]: multiple ? [value] : value });
      for (const value of good)
        expect(await project.post(path, body(value)), JSON.stringify(value)).toMatchObject({ status: 200 });
      for (const [value, code] of bad)
        expect(codes(await project.post(path, body(value))), JSON.stringify(value)).toEqual([`parameter.${code}`]);
      const unit = await createdId(project.post(path, body(good[0])));
      for (const [value, code] of bad)
        expect(codes(await project.put(`${path}/${unit}`, body(value)))).toEqual([`parameter.${code}`]);
    }
  });

  it('strip values before they are stored and compared', async () => {
    const { path, id } = await kindOf({ strip: true, unique: true });
    expect((await project.post(path, { [id]: ' \t a b \n' })).body.content[id]).toBe('a b');
    expect(codes(await project.post(path, { [id]: 'a b  ' }))).toEqual(['parameter.not_unique']);
    const list = await kindOf({ strip: true, multiple: true, unique: true });
    expect((await project.post(list.path, { [list.id]: [' a', 'b '] })).body.content[list.id]).toEqual(['a', 'b']);
    expect(codes(await project.post(list.path, { [list.id]: ['a', ' a '] }))).toEqual(['parameter.duplicate']);
  });

  it.each([
    '^(a+)+$',
    '^(a|aa)+$',
    '^(a|a?)+$',
    '(.*a){25}',
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(?:a?){30}a{30}',
  ])('no pattern takes long on any text: %s', async (pattern) => {
    const { path, id } = await kindOf({ pattern });
    // What backtracks would take longer than the runner's timeout.
    for (const text of ['a'.repeat(20_000), `${'a'.repeat(20_000)}!`, 'x'.repeat(20_000), 'aB'.repeat(10_000)]) {
      expect([200, 400]).toContain((await project.post(path, { [id]: text })).status);
    }
  });

  it.each(['(', '[a', 'a**', '(?=a)', '(?<!a)b', '(a)\\1', '\\', 'a{2000}', '(?P<n', '*', '\\p{Nope}'])(
    'a pattern that is none of RE2 is refused when it is defined: %s',
    async (pattern) => {
      const reply = await project.post('/string/unit', { id: 'pattern', pattern });
      expect(reply).toMatchObject({
        status: 400,
        body: { messages: [{ code: 'parameter.bad_pattern', parameter: 'pattern' }] },
      });
    },
  );

  it('a pattern has at most 500 characters', async () => {
    expect((await project.post('/string/unit', { id: 'long_pattern', pattern: '🙂'.repeat(500) })).status).toBe(200);
    expect(codes(await project.post('/string/unit', { id: 'longer_pattern', pattern: 'a'.repeat(501) }))).toEqual([
      'parameter.too_long',
    ]);
  });
});

describe('fields that are not parameters', () => {
  it('run-time parameters are checked and stored nowhere', async () => {
    await defineKinds(project, {
      id: 'run',
      label: 'Run',
      parameters: [
        { id: 'code', kind_id: 'string', only_run_time: true, max_length: 2, required: true },
        { id: 'hint', kind_id: 'integer', persistence: 'run_time', default_integer: 3 },
        { id: 'name', kind_id: 'string' },
      ],
    });
    expect(codes(await project.post('/run/unit', { name: 'a' }))).toEqual(['parameter.required']);
    expect(codes(await project.post('/run/unit', { code: 'abc', hint: 'x' }))).toEqual([
      'parameter.too_long',
      'parameter.bad_type',
    ]);
    const made = await project.post('/run/unit', { code: 'ab', hint: 1, name: 'a' });
    expect(Object.keys(made.body.content as object)).toEqual([
      'id',
      'kind_id',
      'name',
      'metadata',
      'inserted_at',
      'updated_at',
    ]);
    const path = `/run/unit/${made.body.content.id as string}`;
    expect((await project.put(path, { hint: 5 })).status).toBe(200);
    expect(codes(await project.put(path, { code: 'abc' }))).toEqual(['parameter.too_long']);
    expect(Object.keys((await project.get(path)).body.content as object)).not.toContain('code');
    for (const query of ['filter=eq(code,ab)', 'order=code;asc', 'include=code'])
      expect((await project.get(`/run/unit?${query}`)).status).toBe(400);
    expect(((await project.get('/run/struct')).body.content.items as { id: string }[]).map(({ id }) => id)).toEqual([
      'code',
      'hint',
      'name',
      'metadata',
    ]);
  });

  it('hidden ones are written and never answered', async () => {
    await defineKinds(project, {
      id: 'spy',
      label: 'Spy',
      parameters: [{ id: 'secret_name', kind_id: 'string', hidden: true, unique: true }],
    });
    const made = await project.post('/spy/unit', { secret_name: 'zorro' });
    const path = `/spy/unit/${made.body.content.id as string}`;
    const replies = [
      made,
      await project.put(path, { secret_name: 'zorro2' }),
      await project.get(path),
      await project.get('/spy/unit'),
      await project.get('/spy/unit?cursor='),
      await project.post('/spy/unit', [{ secret_name: 'zorro3' }]),
    ];
    for (const reply of replies) {
      expect(reply.status).toBe(200);
      expect(reply.text).not.toMatch(/zorro|secret_name/);
    }
    expect((await project.post('/spy/unit', { secret_name: 'zorro2' })).text).not.toContain('zorro2');
  });

  it('metadata is any object', async () => {
    const made = await project.post('/thing/unit', { metadata: { a: [1, { b: null }] } });
    expect(made.body.content.metadata).toEqual({ a: [1, { b: null }] });
    const path = `/thing/unit/${made.body.content.id as string}`;
    expect((await project.put(path, { metadata: { c: 1 } })).body.content.metadata).toEqual({ c: 1 });
    expect((await project.get('/thing/unit?filter=eq(metadata.c,1)')).body.content.count).toBe(1);
    for (const metadata of [[], 'a', 1, true])
      expect(codes(await project.put(path, { metadata }))).toEqual(['parameter.bad_type']);
    expect(codes(await project.put(path, { metadata: null }))).toEqual(['parameter.null']);
  });

  it.each([
    ['id', 'x', 'parameter.read_only'],
    ['kind_id', 'other', 'parameter.immutable'],
    ['inserted_at', '2024-01-01', 'parameter.read_only'],
    ['inserted_at', 1704067200, 'parameter.read_only'],
    ['updated_at', null, 'parameter.read_only'],
    ['links', {}, 'parameter.read_only'],
    ['nope', 1, 'parameter.unknown'],
    ['_xmin', 1, 'parameter.unknown'],
    ['ctid', 1, 'parameter.unknown'],
  ])("%s is not the client's to write", async (key, value, code) => {
    expect(codes(await project.post('/thing/unit', { [key]: value }))).toEqual([code]);
    const id = await createdId(project.post('/thing/unit', {}));
    const edited = await project.put(`/thing/unit/${id}`, { [key]: value });
    expect(codes(edited)).toEqual([key === 'id' ? 'parameter.immutable' : code]);
  });

  it('an edit may repeat the id and the kind', async () => {
    const { id } = (await project.post('/thing/unit', { kind_id: 'thing', a_string: 'a' })).body.content as {
      id: string;
    };
    expect(
      (await project.put(`/thing/unit/${id}`, { id, kind_id: 'thing', a_string: 'b' })).body.content,
    ).toMatchObject({ id, a_string: 'b' });
  });

  it('an edit may repeat read-only fields with their values only', async () => {
    const { content } = (await project.post('/thing/unit', { a_string: 'a' })).body as { content: { id: string } };
    const path = `/thing/unit/${content.id}`;
    const whole = (await project.get(path)).body.content as Record<string, unknown>;
    expect((await project.put(path, { ...whole, a_string: 'b' })).body.content).toMatchObject({ a_string: 'b' });
    // It is of an older version now.
    expect(codes(await project.put(path, { ...whole, a_string: 'c' }))).toEqual(['unit.changed']);
    expect((await project.get(path)).body.content).toMatchObject({ a_string: 'b' });
    expect(codes(await project.put('/thing/unit/0190163d-8694-739b-aea5-966c26f8ad91', whole))).toEqual([
      'unit.unknown',
    ]);
  });

  it.each(['/kind/unit/thing', '/group/unit/parameter', '/link/unit/link'])(
    'nor is the record of a definition refused that comes back whole: %s',
    async (path) => {
      const { content } = (await project.get(path)).body;
      const edited = await project.put(path, content);
      expect(edited.status, edited.text).toBe(200);
    },
  );

  it('an unknown key has a hint', async () => {
    expect((await project.post('/thing/unit', { a_strnig: 'a' })).body.messages[0]?.text).toContain(
      "did you mean 'a_string'?",
    );
  });
});

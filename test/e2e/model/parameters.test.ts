/** Parameters over HTTP: their records, and what of them can be changed. */
import { describe, expect, it } from 'vitest';
import { PARAMETER_TYPES } from '../../../src/model/parameter-type/type-by-id.js';
import { expectNoDrift, itRefuses, ok, refusalOf, TIMESTAMP, type RefusalRow } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await ok(project.post('/kind/unit', { id: 'target' }));
await ok(project.post('/kind/unit', { id: 'distant', remote: true }));
await ok(project.post('/string/unit', { id: 'taken' }));

/** What every parameter's record has, with its defaults. */
const COMMON = {
  format: 'attribute',
  persistence: 'kind_parameter',
  helper_text: null,
  min_length: null,
  max_length: null,
  strip: false,
  values: null,
  multiple: false,
  nullable: true,
  only_run_time: false,
  is_primary: false,
  required: false,
  unique: false,
  indexed: false,
  own: false,
  hidden: false,
  write_once: false,
  read_access: null,
  write_access: null,
  metadata: {},
  inserted_at: expect.stringMatching(TIMESTAMP) as string,
  updated_at: expect.stringMatching(TIMESTAMP) as string,
};

/** The own fields of each type, beside the default. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  string: ['default_string', 'min_length', 'max_length', 'strip', 'values', 'transitions', 'pattern', 'search'],
  text: ['default_text', 'min_length', 'max_length', 'strip', 'search'],
  integer: ['default_integer', 'min_value', 'max_value', 'values', 'sequence'],
  float: ['default_float', 'min_value', 'max_value'],
  decimal: ['default_decimal', 'min_value', 'max_value', 'scale'],
  boolean: ['default_boolean'],
  date: ['default_date'],
  time: ['default_time'],
  datetime: ['default_datetime'],
  binary: ['default_binary', 'max_length'],
  json: ['default_json'],
  unit: ['default_unit', 'reference_kind', 'on_delete', 'accept', 'max_bytes', 'owned'],
};
const SHARED_FIELDS = [
  'format',
  'persistence',
  'helper_text',
  'multiple',
  'nullable',
  'only_run_time',
  'is_primary',
  'required',
  'unique',
  'indexed',
  'own',
  'hidden',
  'write_once',
  'metadata',
  'inserted_at',
  'updated_at',
];

describe('parameter types', () => {
  it('are twelve, in the group parameter, as kinds', async () => {
    const { count, items } = (await ok(project.get('/group/parameter/kind'))) as {
      count: number;
      items: { id: string; kind_id: string; type: string; active: boolean; parameters: string[] }[];
    };
    expect(count).toBe(12);
    expect(items.map(({ id }) => id)).toEqual(Object.keys(OWN));
    expect(items.map(({ id }) => id)).toEqual([...PARAMETER_TYPES.keys()]);
    for (const item of items) expect(item).toMatchObject({ kind_id: 'kind', type: 'kind', active: true });
    expect(await ok(project.get('/kind/unit/group'))).toMatchObject({ id: 'group' });
  });

  it.each(Object.entries(OWN))('%s names the fields that it accepts, and only those', async (type, own) => {
    const { parameters } = (await ok(project.get(`/kind/unit/${type}`))) as { parameters: string[] };
    expect(new Set(parameters)).toEqual(
      new Set(['id', 'kind_id', 'label', ...SHARED_FIELDS, ...own, 'read_access', 'write_access']),
    );
    expect(new Set(parameters).size).toBe(parameters.length);
    const struct = (await ok(project.get(`/${type}/struct`))) as { items: { id: string }[] };
    const described = struct.items.map(({ id }) => id);
    expect(described.filter((id) => !parameters.includes(id))).toEqual([]);
    expect(own.filter((id) => !described.includes(id))).toEqual([]);
  });

  it('can be listed with the query of any list', async () => {
    expect(await ok(project.get('/group/parameter/kind?filter=startswith(id,date)&order=id;desc&include=id'))).toEqual({
      count: 2,
      items: [{ id: 'datetime' }, { id: 'date' }],
    });
    expect(await ok(project.get('/group/parameter/kind?limit=0'))).toEqual({ count: 12, items: [] });
  });
});

describe('a parameter', () => {
  it.each(Object.entries(OWN))('of type %s has its fields, and those of every parameter', async (type, own) => {
    const id = `plain_${type}`;
    const reference = type === 'unit' ? { reference_kind: 'target' } : {};
    const made = (await ok(project.post(`/${type}/unit`, { id, ...reference }))) as Record<string, unknown>;
    const unset = Object.fromEntries(own.filter((field) => !(field in COMMON)).map((field) => [field, null]));
    expect(made).toEqual({
      id,
      kind_id: type,
      label: id,
      ...unset,
      ...COMMON,
      ...reference,
      ...(type === 'unit' && { on_delete: 'restrict', owned: false }),
      ...(type === 'integer' && { sequence: false }),
    });
    expect(await ok(project.get(`/${type}/unit/${id}`))).toEqual(made);
    expect(await ok(project.get(`/${type}/unit?filter=eq(id,${id})`))).toEqual({ count: 1, items: [made] });
    const other = type === 'text' ? 'string' : 'text';
    expect(refusalOf(await project.get(`/${other}/unit/${id}`))).toEqual({ status: 404, messages: ['unit.unknown'] });
    expect(await ok(project.get(`/${other}/unit?filter=eq(id,${id})`))).toEqual({ count: 0, items: [] });
    expect((await project.delete(`/${type}/unit/${id}`)).body).toEqual({ content: null, messages: [] });
    expect(refusalOf(await project.get(`/${type}/unit/${id}`))).toEqual({ status: 404, messages: ['unit.unknown'] });
  });

  it.each([
    [
      'decimal',
      { default_decimal: '1.50', min_value: 1, max_value: '010.0', scale: 2 },
      { default_decimal: '1.5', min_value: '1', max_value: '10' },
    ],
    ['decimal', { default_decimal: 12.5 }, { default_decimal: '12.5' }],
    [
      'datetime',
      { default_datetime: '2024-01-31T10:30:00+01:00' },
      { default_datetime: '2024-01-31T09:30:00.000000Z' },
    ],
    ['time', { default_time: '09:30:00.500' }, { default_time: '09:30:00.5' }],
    ['time', { default_time: '09:30:00.000000' }, { default_time: '09:30:00' }],
    ['json', { default_json: [false, null, { a: 0 }] }, { default_json: [false, null, { a: 0 }] }],
    ['json', { default_json: false }, { default_json: false }],
    ['boolean', { default_boolean: false }, { default_boolean: false }],
    [
      'integer',
      { default_integer: 0, min_value: 0, max_value: 0, values: [0] },
      { default_integer: 0, min_value: 0, max_value: 0, values: [0] },
    ],
    [
      'string',
      { default_string: '', min_length: 0, max_length: 0 },
      { default_string: '', min_length: 0, max_length: 0 },
    ],
    ['string', { multiple: true, default_string: ['a', 'b'], values: ['a', 'b'] }, { default_string: ['a', 'b'] }],
    ['decimal', { multiple: true, default_decimal: ['1.0', 2.5] }, { default_decimal: ['1', '2.5'] }],
    ['binary', { default_binary: 'AAEC', max_length: 3 }, { default_binary: 'AAEC', max_length: 3 }],
    ['string', { persistence: 'run_time' }, { persistence: 'run_time', only_run_time: true }],
    ['string', { only_run_time: true }, { persistence: 'run_time', only_run_time: true }],
    [
      'unit',
      { reference_kind: 'kind_admin', on_delete: 'set_null' },
      { reference_kind: 'kind_admin', on_delete: 'set_null' },
    ],
  ])('of type %s keeps %j as values are shown', async (type, given, shown) => {
    const id = 'kept';
    expect(await ok(project.post(`/${type}/unit`, { id, ...given }))).toMatchObject(shown);
    expect(await ok(project.get(`/${type}/unit/${id}`))).toMatchObject(shown);
    await ok(project.delete(`/${type}/unit/${id}`));
  });

  it('gets its id from its label, and its label from its id', async () => {
    expect(await ok(project.post('/string/unit', { label: 'Street & POSTAL code!' }))).toMatchObject({
      id: 'street_postal_code',
    });
    expect(await ok(project.post('/string/unit', { label: '  Line N° 2 ' }))).toMatchObject({
      id: 'line_n_2',
      label: '  Line N° 2 ',
    });
    expect(await ok(project.post('/string/unit', { id: 'own_id', label: 'Another label' }))).toMatchObject({
      id: 'own_id',
      label: 'Another label',
    });
    expect(await ok(project.post('/string/unit', { id: 'only_id' }))).toMatchObject({
      id: 'only_id',
      label: 'only_id',
    });
  });

  it('answers an edit with the edited fields, its id and its times', async () => {
    const made = (await ok(project.post('/string/unit', { id: 'edited', max_length: 5 }))) as Record<string, string>;
    const edited = (await ok(
      project.put('/string/unit/edited', { label: 'Edited', max_length: null, metadata: { a: 1 } }),
    )) as Record<string, string>;
    expect(edited).toEqual({
      ...{ id: 'edited', label: 'Edited', max_length: null, metadata: { a: 1 } },
      ...{ inserted_at: made['inserted_at'], updated_at: expect.stringMatching(TIMESTAMP) as string },
    });
    expect(edited['updated_at']! > made['updated_at']!).toBe(true);
    expect(await ok(project.get('/string/unit/edited'))).toEqual({ ...made, ...edited });
  });

  it('accepts both spellings of run-time parameters', async () => {
    await ok(project.post('/string/unit', { id: 'rt' }));
    const both = async () => {
      const { persistence, only_run_time } = (await ok(project.get('/string/unit/rt'))) as Record<string, unknown>;
      return [persistence, only_run_time];
    };
    await ok(project.put('/string/unit/rt', { persistence: 'run_time' }));
    expect(await both()).toEqual(['run_time', true]);
    await ok(project.put('/string/unit/rt', { only_run_time: false }));
    expect(await both()).toEqual(['kind_parameter', false]);
    await ok(project.put('/string/unit/rt', { only_run_time: true }));
    expect(await both()).toEqual(['run_time', true]);
    await ok(project.put('/string/unit/rt', { persistence: 'kind_parameter', unique: true }));
    expect(await both()).toEqual(['kind_parameter', false]);
    expect(
      refusalOf(await project.put('/string/unit/rt', { persistence: 'run_time', only_run_time: false })),
    ).toMatchObject({ status: 400 });
  });

  it('carries an ETag', async () => {
    const made = await project.post('/string/unit', { id: 'tagged' });
    const tag = made.headers.get('etag') ?? '';
    expect((await project.get('/string/unit/tagged')).headers.get('etag')).toBe(tag);
    expect((await project.get('/string/unit/tagged', { headers: { 'if-none-match': tag } })).status).toBe(304);
    const edited = await project.put('/string/unit/tagged', { label: 'T' }, { headers: { 'if-match': tag } });
    expect(edited.headers.get('etag')).toBe((await project.get('/string/unit/tagged')).headers.get('etag'));
    expect(
      refusalOf(await project.put('/string/unit/tagged', { label: 'U' }, { headers: { 'if-match': tag } })),
    ).toEqual({ status: 412, messages: ['unit.changed'] });
    expect(refusalOf(await project.delete('/string/unit/tagged', { headers: { 'if-match': tag } }))).toEqual({
      status: 412,
      messages: ['unit.changed'],
    });
  });

  it('is one definition shared by many kinds', async () => {
    await ok(project.post('/kind/unit', { id: 'one', parameters: [{ id: 'shared', kind_id: 'string' }] }));
    await ok(project.post('/kind/unit', { id: 'two', parameters: ['shared'] }));
    await ok(project.put('/string/unit/shared', { max_length: 2 }));
    for (const kind of ['one', 'two']) {
      expect(refusalOf(await project.post(`/${kind}/unit`, { shared: 'abc' }))).toEqual({
        status: 400,
        messages: ['parameter.too_long shared'],
      });
    }
    expect(refusalOf(await project.delete('/string/unit/shared'))).toEqual({
      status: 409,
      messages: ['parameter.in_use'],
    });
    await ok(project.delete('/string/unit/shared?cascade=true'));
    for (const kind of ['one', 'two'])
      expect(await ok(project.get(`/kind/unit/${kind}`))).toMatchObject({ parameters: [] });
    await expectNoDrift(project);
  });
});

const bad = (name: string, type: string, body: unknown, messages: string[], text?: RegExp): RefusalRow => ({
  ...{ name: `${type} ${name}`, call: ['POST', `/${type}/unit`, body], status: 400, messages },
  ...(text && { text }),
});

describe('a rejected parameter', () => {
  const accepted = new Map(Object.entries(OWN));
  const foreign = [...new Set(Object.values(OWN).flat())].flatMap((field) =>
    [...accepted].filter(([, own]) => !own.includes(field)).map(([type]) => [type, field] as const),
  );
  itRefuses(project, [
    // Null, or what is not what every record shows.
    ...foreign.map(([type, field]) => {
      const given = field in COMMON ? true : null;
      const body = { id: 'p', [field]: given, ...(type === 'unit' && { reference_kind: 'target' }) };
      return bad(`has no ${field}`, type, body, [`parameter.unknown ${field}`]);
    }),
    ...['id', 'kind_id', 'metadata', 'inserted_at', 'updated_at', 'links'].map((id) =>
      bad(`with the reserved id ${id}`, 'string', { id }, ['parameter.reserved id']),
    ),
    ...['Metadata', 'Kind id', 'Inserted at', 'LINKS', 'kind of thing'].map((label) =>
      bad(`with a label that makes a reserved id: ${label}`, 'string', { label }, ['parameter.reserved id'], /id/),
    ),
    bad('with an id of the system', 'string', { id: 'kind_x' }, ['parameter.reserved id']),
    bad('with a malformed id', 'string', { id: '__proto__' }, ['identifier.malformed id']),
    bad('with neither id nor label', 'string', {}, ['identifier.missing id']),
    bad('with another kind_id', 'string', { id: 'p', kind_id: 'text' }, ['parameter.immutable kind_id']),
    bad('with another format', 'string', { id: 'p', format: 'x' }, ['parameter.not_allowed format']),
    bad('with another persistence', 'string', { id: 'p', persistence: 'x' }, ['parameter.not_allowed persistence']),
    bad(
      'with a contradiction in what is stored',
      'string',
      { id: 'p', persistence: 'kind_parameter', only_run_time: true },
      ['parameter.bad_definition only_run_time'],
    ),
    ...[
      'multiple',
      'nullable',
      'only_run_time',
      'is_primary',
      'required',
      'unique',
      'indexed',
      'own',
      'hidden',
      'write_once',
      'strip',
    ].flatMap((key) => [
      bad(`with ${key} of null`, 'string', { id: 'p', [key]: null }, [`parameter.null ${key}`]),
      bad(`with ${key} of 1`, 'string', { id: 'p', [key]: 1 }, [`parameter.bad_type ${key}`]),
    ]),
    ...[
      ...['2024-01-31T25:00:00Z', 'now', ''].map((value) => [value, 'parameter.bad_value'] as const),
      [1_706_693_400, 'parameter.bad_type'] as const,
    ].map(([value, code]) =>
      bad(`with the default ${JSON.stringify(value)}`, 'datetime', { id: 'p', default_datetime: value }, [
        `${code} default_datetime`,
      ]),
    ),
    bad('with a negative length', 'string', { id: 'p', min_length: -1 }, ['parameter.too_small min_length']),
    bad('with a length in a string', 'string', { id: 'p', max_length: '5' }, ['parameter.bad_type max_length']),
    bad('with lengths that contradict', 'string', { id: 'p', min_length: 3, max_length: 2 }, [
      'parameter.bad_definition min_length',
    ]),
    bad('with bounds that contradict', 'integer', { id: 'p', min_value: 3, max_value: 2 }, [
      'parameter.bad_definition min_value',
    ]),
    bad('with bounds that contradict', 'decimal', { id: 'p', min_value: '10', max_value: '9.5' }, [
      'parameter.bad_definition min_value',
    ]),
    bad('with bounds that contradict', 'float', { id: 'p', min_value: 1e300, max_value: -1e300 }, [
      'parameter.bad_definition min_value',
    ]),
    bad('with a bound that is a string', 'integer', { id: 'p', min_value: '3' }, ['parameter.bad_type min_value']),
    bad('with a bound past 2^53', 'integer', { id: 'p', max_value: 9007199254740992 }, [
      'parameter.bad_value max_value',
    ]),
    bad('with a bound of more decimals than its scale', 'decimal', { id: 'p', scale: 1, max_value: '1.25' }, [
      'parameter.bad_value max_value',
    ]),
    bad('with a scale below 0', 'decimal', { id: 'p', scale: -1 }, ['parameter.too_small scale']),
    bad('with a scale that is a fraction', 'decimal', { id: 'p', scale: 1.5 }, ['parameter.bad_value scale']),
    ...[[], 'a', {}, 5].map((values) =>
      bad(`with values ${JSON.stringify(values)}`, 'string', { id: 'p', values }, ['parameter.bad_definition values']),
    ),
    bad('with values of another type', 'string', { id: 'p', values: ['a', 1] }, ['parameter.bad_type values']),
    bad('with values of another type', 'integer', { id: 'p', values: [1, '2'] }, ['parameter.bad_type values']),
    bad('with a value twice', 'string', { id: 'p', values: ['a', 'a'] }, ['parameter.duplicate values']),
    bad('with a value that is too long', 'string', { id: 'p', max_length: 1, values: ['ab'] }, [
      'parameter.too_long values',
    ]),
    bad('with a pattern that is none', 'string', { id: 'p', pattern: '(' }, ['parameter.bad_pattern pattern']),
    bad('with a pattern that is not RE2', 'string', { id: 'p', pattern: '(?=a)' }, ['parameter.bad_pattern pattern']),
    bad('with a back reference', 'string', { id: 'p', pattern: '(a)\\1' }, ['parameter.bad_pattern pattern']),
    bad('with a pattern of 501 characters', 'string', { id: 'p', pattern: 'a'.repeat(501) }, [
      'parameter.too_long pattern',
    ]),
    bad('with a default of another type', 'string', { id: 'p', default_string: 5 }, [
      'parameter.bad_type default_string',
    ]),
    bad('with a default that is too long', 'string', { id: 'p', default_string: 'ab', max_length: 1 }, [
      'parameter.too_long default_string',
    ]),
    bad('with a default that is not allowed', 'integer', { id: 'p', default_integer: 3, values: [1, 2] }, [
      'parameter.not_allowed default_integer',
    ]),
    bad('with a default that does not match', 'string', { id: 'p', default_string: 'b', pattern: '^a$' }, [
      'parameter.pattern_mismatch default_string',
    ]),
    bad('with a default that is no date', 'date', { id: 'p', default_date: '2023-02-29' }, [
      'parameter.bad_value default_date',
    ]),
    bad('with a default that is no list', 'string', { id: 'p', multiple: true, default_string: 'a' }, [
      'parameter.bad_type default_string',
    ]),
    bad('with a list for a default', 'string', { id: 'p', default_string: ['a'] }, [
      'parameter.bad_type default_string',
    ]),
    bad(
      'with a default that has an element twice',
      'string',
      { id: 'p', multiple: true, unique: true, default_string: ['a', 'a'] },
      ['parameter.duplicate default_string'],
    ),
    ...['boolean', 'float', 'time', 'datetime', 'binary', 'json'].map((type) =>
      bad('as a key', type, { id: 'p', is_primary: true }, ['parameter.bad_definition is_primary']),
    ),
    bad('as a key', 'unit', { id: 'p', reference_kind: 'target', is_primary: true }, [
      'parameter.bad_definition is_primary',
    ]),
    bad('as a key that is a list', 'string', { id: 'p', is_primary: true, multiple: true }, [
      'parameter.bad_definition is_primary',
    ]),
    bad('as a key that is hidden', 'string', { id: 'p', is_primary: true, hidden: true }, [
      'parameter.bad_definition is_primary',
    ]),
    bad('as a key that is not stored', 'string', { id: 'p', is_primary: true, only_run_time: true }, [
      'parameter.bad_definition is_primary',
    ]),
    ...['binary', 'json'].flatMap((type) =>
      ['unique', 'indexed'].map((flag) =>
        bad(`that is ${flag}`, type, { id: 'p', [flag]: true }, [`parameter.bad_definition ${flag}`]),
      ),
    ),
    ...['unique', 'indexed'].map((flag) =>
      bad(`that is ${flag} and not stored`, 'string', { id: 'p', [flag]: true, only_run_time: true }, [
        `parameter.bad_definition ${flag}`,
      ]),
    ),
    bad('without a kind', 'unit', { id: 'p' }, ['parameter.required reference_kind']),
    bad('with a kind of null', 'unit', { id: 'p', reference_kind: null }, ['parameter.null reference_kind']),
    bad(
      'with a kind that is not there',
      'unit',
      { id: 'p', reference_kind: 'targe' },
      ['parameter.bad_reference reference_kind'],
      /did you mean 'target'/,
    ),
    bad('with a kind that is built in', 'unit', { id: 'p', reference_kind: 'string' }, [
      'parameter.bad_reference reference_kind',
    ]),
    bad('with the kind of credentials', 'unit', { id: 'p', reference_kind: 'kind_system_user' }, [
      'parameter.bad_reference reference_kind',
    ]),
    bad('with a kind that is remote', 'unit', { id: 'p', reference_kind: 'distant' }, [
      'parameter.bad_reference reference_kind',
    ]),
    bad(
      'as a list',
      'unit',
      { id: 'p', reference_kind: 'target', multiple: true },
      ['parameter.bad_definition multiple'],
      /use links/,
    ),
    bad(
      'that cannot be set to null',
      'unit',
      { id: 'p', reference_kind: 'target', on_delete: 'set_null', nullable: false },
      ['parameter.bad_definition on_delete'],
    ),
    bad('with another rule of deletion', 'unit', { id: 'p', reference_kind: 'target', on_delete: 'ignore' }, [
      'parameter.not_allowed on_delete',
    ]),
    bad('with a default', 'unit', { id: 'p', reference_kind: 'target', default_unit: 'x' }, [
      'parameter.bad_definition default_unit',
    ]),
    bad('with a level that is none', 'string', { id: 'p', read_access: 'everyone' }, [
      'parameter.not_allowed read_access',
    ]),
    bad('from a list', 'string', [{ id: 'p' }], ['body.not_object']),
    bad(
      'with an unknown key',
      'string',
      { id: 'p', uniqe: true },
      ['parameter.unknown uniqe'],
      /did you mean 'unique'/,
    ),
    bad('with three faults', 'string', { id: 'P', min_length: 3, max_length: 2, default_string: 1, nope: 1 }, [
      'parameter.unknown nope',
      'identifier.malformed id',
      'parameter.bad_definition min_length',
      'parameter.bad_type default_string',
    ]),
    {
      ...bad('whose id is taken by another type', 'integer', { id: 'taken' }, ['parameter.exists id'], /string/),
      status: 409,
    },
    {
      ...bad(
        'whose id is taken by its type',
        'string',
        { id: 'taken' },
        ['parameter.exists id'],
        /naming its id alone, "taken"/,
      ),
      status: 409,
    },
    { ...bad('of a type that is not there', 'number', { id: 'p' }, ['kind.unknown']), status: 404 },
  ]);
});

describe('a rejected edit of a parameter', () => {
  const edit = (name: string, body: unknown, messages: string[], path = 'string/unit/taken'): RefusalRow => ({
    name,
    call: ['PUT', `/${path}`, body],
    status: 400,
    messages,
  });
  itRefuses(project, [
    edit('by another id', { id: 'other' }, ['parameter.immutable id']),
    edit('by another type', { kind_id: 'text' }, ['parameter.immutable kind_id']),
    edit('by a contradiction with what is stored', { min_length: 5, max_length: 3 }, [
      'parameter.bad_definition min_length',
    ]),
    edit('by a key of another type', { scale: 3 }, ['parameter.unknown scale']),
    edit('by times', { inserted_at: '2024-01-01T00:00:00Z' }, ['parameter.read_only inserted_at']),
    { ...edit('through another type', { label: 'x' }, ['unit.unknown'], 'text/unit/taken'), status: 404 },
    {
      ...edit('that is not there, whatever the body', { nope: 1 }, ['unit.unknown'], 'string/unit/nowhere'),
      status: 404,
    },
  ]);
});

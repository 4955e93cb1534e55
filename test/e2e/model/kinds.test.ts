/** Kinds over HTTP: their records, and how their tables follow. */
import { describe, expect, it } from 'vitest';
import { RESERVED_KINDS } from '../../../src/model/built-in/built-in.js';
import { expectNoDrift, itRefuses, ok, refusalOf, TIMESTAMP, type RefusalRow } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();

const LONG = 'a'.repeat(63);
const PARAMETERS = [
  { id: 'name', kind_id: 'string' },
  { id: 'size', kind_id: 'integer' },
  { id: 'tags', kind_id: 'string', multiple: true },
  { id: 'extra', kind_id: 'json' },
  { id: 'draft', kind_id: 'string', only_run_time: true },
  { id: 'code', kind_id: 'string', is_primary: true },
  { id: 'number', kind_id: 'integer', is_primary: true },
];
for (const { kind_id, ...parameter } of PARAMETERS) await ok(project.post(`/${kind_id}/unit`, parameter));
await ok(project.post('/kind/unit', { id: 'taken', parameters: ['name'] }));

describe('a kind', () => {
  it.each([
    ['parameter', 'the table of parameters'],
    ['page', 'a word of the statements'],
    [`${'k'.repeat(60)}abc`, 'a long one'],
    [`${'k'.repeat(60)}abd`, 'one equal in the first sixty'],
    ['constructor', 'a name of JavaScript'],
  ])('may be called %s, like %s', async (id) => {
    await ok(project.post('/kind/unit', { id, parameters: ['name', 'code'], unique: [['name']] }));
    await ok(project.post(`/${id}/unit`, { code: 'a', name: 'x' }));
    expect(refusalOf(await project.post(`/${id}/unit`, { code: 'a' }))).toEqual({
      status: 409,
      messages: ['parameter.not_unique code'],
    });
    expect(refusalOf(await project.post(`/${id}/unit`, { code: 'b', name: 'x' }))).toEqual({
      status: 409,
      messages: ['parameter.not_unique name'],
    });
    expect(await ok(project.get(`/${id}/unit`))).toMatchObject({
      count: 1,
      items: [{ id: 'a', kind_id: id, name: 'x' }],
    });
    await expectNoDrift(project);
  });

  it('has its fields, with their defaults', async () => {
    const reply = await project.post('/kind/unit', { id: 'city', label: 'City' });
    expect(reply).toMatchObject({ status: 200, body: { messages: [] } });
    expect(reply.body.content).toEqual({
      id: 'city',
      kind_id: 'kind',
      type: 'kind',
      label: 'City',
      active: true,
      remote: false,
      public: false,
      parameters: [],
      unique: [],
      indexes: [],
      checks: [],
      changes: 'none',
      history_keep: null,
      access: null,
      accepted: null,
      metadata: {},
      inserted_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
    });
    expect(reply.body.content.inserted_at).toBe(reply.body.content.updated_at);
    expect(await ok(project.get('/kind/unit/city'))).toEqual(reply.body.content);
    const { items } = await ok(project.get('/kind/unit?filter=eq(id,city)'));
    expect(items).toEqual([reply.body.content]);
  });

  it('keeps all given fields', async () => {
    const given = {
      id: 'given',
      label: 'Données 🏙',
      active: false,
      remote: false,
      public: true,
      parameters: ['size', 'name'],
      unique: [['name', 'size']],
      indexes: [['size', 'name'], ['size']],
      access: { read: 'admin', create: 'nobody' },
      metadata: { any: ['thing', 1, null] },
    };
    const made = await ok(project.post('/kind/unit', given));
    expect(made).toMatchObject(given);
    expect(await ok(project.get('/kind/unit/given'))).toEqual(made);
    await expectNoDrift(project);
  });

  it('is edited in part, and answers whole', async () => {
    const made = await ok(project.post('/kind/unit', { id: 'edited', parameters: ['name'], metadata: { a: 1 } }));
    const edited = await ok(project.put('/kind/unit/edited', { label: 'New' }));
    expect(edited).toEqual({ ...made, label: 'New', updated_at: edited.updated_at });
    expect(edited.updated_at > made.updated_at).toBe(true);
    expect(
      await ok(project.put('/kind/unit/edited', { id: 'edited', kind_id: 'kind', type: 'kind', label: 'Newer' })),
    ).toMatchObject({ label: 'Newer' });
    expect(await ok(project.put('/kind/unit/edited', {}))).toMatchObject({ label: 'Newer', parameters: ['name'] });
  });

  it('is deleted with its table and endpoints; separately created parameters stay', async () => {
    await ok(project.post('/date/unit', { id: 'stays' }));
    await ok(project.post('/kind/unit', { id: 'gone', parameters: ['name', 'stays'] }));
    await ok(project.get('/gone/unit'));
    const reply = await project.delete('/kind/unit/gone');
    expect(reply.body).toEqual({ content: null, messages: [] });
    expect(refusalOf(await project.get('/kind/unit/gone'))).toEqual({ status: 404, messages: ['unit.unknown'] });
    for (const path of ['/gone/unit', '/gone/struct', '/gone/unit/x']) {
      expect(refusalOf(await project.get(path))).toEqual({ status: 404, messages: ['kind.unknown'] });
    }
    expect(refusalOf(await project.delete('/kind/unit/gone'))).toEqual({ status: 404, messages: ['unit.unknown'] });
    await ok(project.get('/date/unit/stays'));
    await expectNoDrift(project);
    expect(await ok(project.post('/kind/unit', { id: 'gone', parameters: ['stays'] }))).toMatchObject({
      parameters: ['stays'],
    });
  });

  it('is created together with parameters, inline and by id, in the given order', async () => {
    const parameters = [
      { id: 'first', kind_id: 'string', required: true },
      'name',
      { label: 'Opened on', kind_id: 'date' },
      'size',
      { id: 'open', kind_id: 'boolean', default_boolean: true },
    ];
    const kind = await ok(project.post('/kind/unit', { label: 'Public Library', parameters }));
    expect(kind).toMatchObject({
      id: 'public_library',
      label: 'Public Library',
      parameters: ['first', 'name', 'opened_on', 'size', 'open'],
    });
    expect(await ok(project.get('/date/unit/opened_on'))).toMatchObject({ label: 'Opened on', kind_id: 'date' });
    expect(Object.keys(await ok(project.post('/public_library/unit', { first: 'x' })))).toEqual([
      ...['id', 'kind_id', 'first', 'name', 'opened_on', 'size', 'open', 'metadata', 'inserted_at', 'updated_at'],
    ]);
  });

  it('gains inline parameters by an edit too', async () => {
    await ok(project.post('/kind/unit', { id: 'grows', parameters: ['name'] }));
    await ok(project.post('/grows/unit', { name: 'x' }));
    expect(
      await ok(project.put('/kind/unit/grows', { parameters: [{ id: 'front', kind_id: 'integer' }, 'name'] })),
    ).toMatchObject({ parameters: ['front', 'name'] });
    expect(await ok(project.get('/grows/unit'))).toMatchObject({ items: [{ front: null, name: 'x' }] });
    await expectNoDrift(project);
  });

  it('that is inactive keeps its model endpoints and closes those of its units', async () => {
    await ok(project.post('/kind/unit', { id: 'off', active: false, parameters: ['name'] }));
    const inactive = { status: 403, messages: ['kind.inactive'] };
    const calls = [
      project.get('/off/unit'),
      project.get('/off/unit/0198c0de-0000-7000-8000-000000000000'),
      project.get('/off/unit/0198c0de-0000-7000-8000-000000000000/struct'),
      project.post('/off/unit', { nonsense: 1 }),
      project.put('/off/unit/0198c0de-0000-7000-8000-000000000000', { name: 'x' }),
      project.delete('/off/unit/0198c0de-0000-7000-8000-000000000000'),
    ];
    for (const call of calls) expect(refusalOf(await call)).toEqual(inactive);
    await ok(project.get('/kind/unit/off'));
    await ok(project.put('/kind/unit/off', { label: 'Off' }));
    await ok(project.post('/kind/unit/off/link/parameter/integer/unit/size'));
    await ok(project.put('/kind/unit/off', { active: true }));
    await ok(project.post('/off/unit', { name: 'x', size: 1 }));
  });

  it('that is remote has no table, and answers 503 without a module', async () => {
    await ok(project.post('/kind/unit', { id: 'far', remote: true, parameters: ['name'], unique: [['name']] }));
    await expectNoDrift(project);
    const away = { status: 503, messages: ['kind.remote_unavailable'] };
    const calls = [
      project.get('/far/unit'),
      project.get('/far/unit/x'),
      project.get('/far/unit/x/struct'),
      project.post('/far/unit', { nonsense: 1 }),
      project.put('/far/unit/x', { name: 'x' }),
      project.delete('/far/unit/x'),
    ];
    for (const call of calls) expect(refusalOf(await call)).toEqual(away);
    expect(await ok(project.get('/far/struct'))).toMatchObject({
      count: 2,
      items: [{ id: 'name' }, { id: 'metadata' }],
    });
    await ok(project.put('/kind/unit/far', { remote: false }));
    await expectNoDrift(project);
    await ok(project.post('/far/unit', { name: 'near' }));
    expect(refusalOf(await project.put('/kind/unit/far', { remote: true }))).toEqual({
      status: 409,
      messages: ['kind.has_units'],
    });
    await ok(project.put('/kind/unit/far?cascade=true', { remote: true }));
    await expectNoDrift(project);
  });

  it('carries an ETag that If-Match and If-None-Match understand', async () => {
    const made = await project.post('/kind/unit', { id: 'tagged' });
    const tag = made.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[^"]+"$/);
    const got = await project.get('/kind/unit/tagged');
    expect(got.headers.get('etag')).toBe(tag);
    const same = await project.get('/kind/unit/tagged', { headers: { 'if-none-match': tag } });
    expect(same).toMatchObject({ status: 304, text: '' });
    const edited = await project.put('/kind/unit/tagged', { label: 'T' }, { headers: { 'if-match': tag } });
    expect(edited.status).toBe(200);
    expect(edited.headers.get('etag')).not.toBe(tag);
    const changed = { status: 412, messages: ['unit.changed'] };
    expect(refusalOf(await project.put('/kind/unit/tagged', { label: 'U' }, { headers: { 'if-match': tag } }))).toEqual(
      changed,
    );
    expect(refusalOf(await project.delete('/kind/unit/tagged', { headers: { 'if-match': tag } }))).toEqual(changed);
    expect((await project.get('/kind/unit/tagged', { headers: { 'if-none-match': tag } })).status).toBe(200);
    // Its parameters are its own too.
    const before = (await project.get('/kind/unit/tagged')).headers.get('etag') ?? '';
    const extended = await project.post('/kind/unit/tagged/link/parameter/string/unit/name');
    expect(extended.headers.get('etag')).toBe((await project.get('/kind/unit/tagged')).headers.get('etag'));
    expect(refusalOf(await project.delete('/kind/unit/tagged', { headers: { 'if-match': before } }))).toEqual(changed);
    expect((await project.delete('/kind/unit/tagged', { headers: { 'if-match': '*' } })).status).toBe(200);
  });
});

const refused = (name: string, body: unknown, status: number, messages: string[], text?: RegExp): RefusalRow => ({
  ...{ name, call: ['POST', '/kind/unit', body], status, messages },
  ...(text && { text }),
});
const bad = (name: string, body: unknown, messages: string[], text?: RegExp) =>
  refused(name, body, 400, messages, text);

describe('a rejected kind', () => {
  itRefuses(project, [
    ...[
      'City',
      '1a',
      'a-b',
      '',
      'é',
      '_a',
      'a b',
      'a.b',
      `${LONG}a`,
      '__proto__',
      'a"b',
      'a\u0000',
      5,
      null,
      true,
      ['a'],
      {},
    ].map((id) => bad(`with the id ${JSON.stringify(id)}`, { id }, ['identifier.malformed id'])),
    ...[...RESERVED_KINDS].map((id) => bad(`with the reserved id ${id}`, { id }, ['kind.reserved id'])),
    bad('with an id of the system', { id: 'kind_of' }, ['kind.reserved id']),
    ...['Kind', 'Group', 'STRING', 'Kind of', 'Link'].map((label) =>
      bad(`with a label that makes a reserved id: ${label}`, { label }, ['kind.reserved id'], /id/),
    ),
    ...['   ', '北京', '2024', '!!!', 'x'.repeat(64)].map((label) =>
      bad(`with a label that makes no id: '${label.slice(0, 8)}'`, { label }, ['identifier.missing id'], /give one/),
    ),
    bad('with neither id nor label', {}, ['identifier.missing id'], /an id or a label must be given/),
    bad('with an empty label', { label: '' }, ['identifier.missing id'], /an id or a label must be given/),
    bad('with an unknown key', { id: 'k', labl: 'x' }, ['parameter.unknown labl'], /did you mean 'label'/),
    bad('with the keys of JavaScript', '{"id":"k","__proto__":1,"constructor":2,"toString":3}', [
      'parameter.unknown __proto__',
      'parameter.unknown constructor',
      'parameter.unknown toString',
    ]),
    bad('with a label that is no string', { id: 'k', label: 5 }, ['parameter.bad_type label']),
    bad('with a label of null', { id: 'k', label: null }, ['parameter.null label']),
    bad(
      'with a label too long',
      { id: 'k', label: 'x'.repeat(501) },
      ['parameter.too_long label'],
      /at most 500 characters, got 501/,
    ),
    bad('with a NUL in the label', { id: 'k', label: 'a\u0000b' }, ['parameter.bad_value label']),
    ...['active', 'remote', 'public'].flatMap((key) => [
      bad(`with ${key} as a string`, { id: 'k', [key]: 'true' }, [`parameter.bad_type ${key}`]),
      bad(`with ${key} of null`, { id: 'k', [key]: null }, [`parameter.null ${key}`]),
    ]),
    bad('with another kind_id', { id: 'k', kind_id: 'group' }, ['parameter.immutable kind_id']),
    bad('with another type', { id: 'k', type: 'group' }, ['parameter.read_only type']),
    bad('with times that are none', { id: 'k', inserted_at: '2024-01-01T25:00:00Z', updated_at: null }, [
      'parameter.read_only inserted_at',
      'parameter.read_only updated_at',
    ]),
    bad('with links', { id: 'k', links: {} }, ['parameter.read_only links']),
    ...[[], 'x', 1, true].map((metadata) =>
      bad(`with metadata ${JSON.stringify(metadata)}`, { id: 'k', metadata }, ['parameter.bad_type metadata']),
    ),
    bad('with metadata of null', { id: 'k', metadata: null }, ['parameter.null metadata']),
    bad('with parameters that are no list', { id: 'k', parameters: 'name' }, ['parameter.bad_type parameters']),
    bad('with a parameter that is a number', { id: 'k', parameters: [5] }, ['parameter.bad_type parameters']),
    bad('with a parameter of null', { id: 'k', parameters: [null] }, ['parameter.null parameters']),
    bad(
      'with a parameter that is not there',
      { id: 'k', parameters: ['nane'] },
      ['kind.bad_definition parameters'],
      /did you mean 'name'/,
    ),
    bad(
      'with a parameter twice',
      { id: 'k', parameters: ['name', 'name'] },
      ['kind.bad_definition parameters'],
      /'name' is there twice/,
    ),
    bad(
      'with two keys',
      { id: 'k', parameters: ['code', 'number'] },
      ['kind.bad_definition parameters'],
      /code and number/,
    ),
    bad(
      'with too many parameters',
      { id: 'k', parameters: Array.from({ length: 401 }, (_, at) => ({ id: `p${at}`, kind_id: 'boolean' })) },
      ['kind.bad_definition parameters'],
      /at most 400/,
    ),
    ...(['unique', 'indexes'] as const).flatMap((key) => {
      const base = { id: 'k', parameters: ['name', 'size', 'tags', 'extra', 'draft'] };
      const wrong: readonly [string, unknown, string][] = [
        ['a string', 'name', 'parameter.bad_type'],
        ['an object', {}, 'parameter.bad_type'],
        ['null', null, 'parameter.null'],
        ['a list of ids', ['name'], 'parameter.bad_type'],
        ['an empty list inside', [[]], 'parameter.bad_type'],
        ['a number inside', [[1]], 'parameter.bad_type'],
        ['an unknown parameter', [['nane']], 'kind.bad_definition'],
        ['a parameter of another kind', [['code']], 'kind.bad_definition'],
        ['a field that every unit has', [['inserted_at']], 'kind.bad_definition'],
        ['a name of JavaScript', [['constructor']], 'kind.bad_definition'],
        ['a parameter twice', [['name', 'name']], 'kind.bad_definition'],
        ['one list twice', [['name'], ['name']], 'kind.bad_definition'],
        ['too many lists', Array.from({ length: 65 }, () => ['name', 'size']), 'kind.bad_definition'],
        ['too long a list', [Array.from({ length: 33 }, () => 'name')], 'kind.bad_definition'],
        ['a name of any length', [['n'.repeat(100_000)]], 'kind.bad_definition'],
        ['a list', [['name', 'tags']], 'kind.bad_definition'],
        ['a json', [['extra']], 'kind.bad_definition'],
        ['what is not stored', [['draft']], 'kind.bad_definition'],
      ];
      return wrong.map(([what, value, code]) =>
        bad(`with ${key} of ${what}`, { ...base, [key]: value }, [`${code} ${key}`]),
      );
    }),
    ...(['admin', [], { read: 'everyone' }, { raed: 'admin' }, { read: null }] as const).map((access) =>
      bad(`with the access ${JSON.stringify(access)}`, { id: 'k', access }, ['parameter.bad_value access']),
    ),
    refused('whose id is taken', { id: 'taken' }, 409, ['kind.exists id']),
    refused('whose label makes an id that is taken', { label: 'Taken' }, 409, ['kind.exists id']),
    bad('from a list of bodies', [{ id: 'k' }], ['body.not_object']),
    bad('from a string', '"k"', ['body.not_object']),
    bad('from null', 'null', ['body.not_object']),
    bad('from no JSON', '{"id":', ['body.malformed']),
    refused('from no body', undefined, 400, ['body.not_object']),
  ]);

  it('has all faults of its body in one answer', async () => {
    const body = {
      id: 'Bad',
      label: 5,
      active: 'yes',
      remote: null,
      wat: 1,
      metadata: [],
      unique: 'u',
      access: { read: 'x', fly: 'admin' },
      parameters: [
        'name',
        { id: 'Ugly', kind_id: 'string' },
        { id: 'x', kind_id: 'strin' },
        { id: 'y' },
        { id: 'id', kind_id: 'string' },
        { id: 'name', kind_id: 'integer' },
        { id: 'z', kind_id: 'integer', min_value: 5, max_value: 1, min_length: 3, default_integer: 'x' },
        { id: 'r', kind_id: 'unit' },
        { id: 'q', kind_id: 'string', pattern: '(' },
        { id: 'q', kind_id: 'string' },
      ],
    };
    const reply = await project.post('/kind/unit', body);
    const found = reply.body.messages.map(
      ({ code, parameter, text }) => `${code} ${parameter}: ${/^parameters\[\d\](\.\w+)?/.exec(text)?.[0] ?? ''}`,
    );
    expect(reply.status).toBe(400);
    expect([...found].sort()).toEqual(
      [
        'identifier.malformed id: ',
        'parameter.bad_type label: ',
        'parameter.bad_type active: ',
        'parameter.null remote: ',
        'parameter.unknown wat: ',
        'parameter.bad_type metadata: ',
        'parameter.bad_type unique: ',
        'parameter.bad_value access: ',
        'parameter.bad_value access: ',
        'identifier.malformed parameters: parameters[1].id',
        'parameter.bad_value parameters: parameters[2].kind_id',
        'parameter.bad_value parameters: parameters[3].kind_id',
        'parameter.reserved parameters: parameters[4].id',
        'parameter.exists parameters: parameters[5].id',
        'parameter.bad_definition parameters: parameters[6].min_value',
        'parameter.unknown parameters: parameters[6].min_length',
        'parameter.bad_type parameters: parameters[6].default_integer',
        'parameter.required parameters: parameters[7].reference_kind',
        'parameter.bad_pattern parameters: parameters[8].pattern',
        'parameter.duplicate parameters: parameters[9].id',
      ].sort(),
    );
    await expectNoDrift(project);
  });

  it('has faults within its lists reported with all others', async () => {
    const reply = await project.post('/kind/unit', {
      id: 'k',
      label: 5,
      parameters: [
        'name',
        'code',
        'number',
        'name',
        'tags',
        'nope',
        { id: 'fresh', kind_id: 'string', wat: 1 },
        { id: 'to', kind_id: 'unit', reference_kind: 'nowhere' },
        { id: 'self', kind_id: 'unit', reference_kind: 'k' },
      ],
      unique: [['name', 'fresh'], ['nane'], ['nope']],
      indexes: [['tags'], ['size']],
    });
    expect(reply.status).toBe(400);
    expect(reply.body.messages.map(({ text }) => text).sort()).toEqual(
      [
        'label: must be a string, got number',
        "parameters[6].wat: 'string' has no such parameter",
        "parameters: no parameter 'nope' in this project (did you mean 'name'?)",
        "parameters: 'name' is there twice",
        'parameters: at most one primary parameter, got code and number',
        "parameters[7].reference_kind: no kind 'nowhere'",
        "unique: 'nane' is no parameter of the kind (did you mean 'name'?)",
        "indexes: 'tags' cannot be in an index of several",
        "indexes: 'size' is no parameter of the kind",
      ].sort(),
    );
    await expectNoDrift(project);
  });

  it('has faults of rules and lists in one answer', async () => {
    const body = { id: 'k', parameters: ['name'], unique: [['nope']], access: { read: 'eq(nope,1)' } };
    expect(refusalOf(await project.post('/kind/unit', body))).toEqual({
      status: 400,
      messages: ['filter.unknown_parameter access', 'kind.bad_definition unique'],
    });
  });

  it('has an unknown reference of a parameter reported first', async () => {
    const reply = await project.post('/unit/unit', { id: 'lost', reference_kind: 'nowhere', wat: 1 });
    expect(refusalOf(reply)).toEqual({
      status: 400,
      messages: ['parameter.unknown wat', 'parameter.bad_reference reference_kind'],
    });
  });

  it('because two of its parameters get the same id from their labels', async () => {
    const parameters = [
      { label: 'Same name', kind_id: 'string' },
      { label: 'same NAME', kind_id: 'string' },
      { id: 'other', kind_id: 'integer' },
    ];
    const reply = await project.post('/kind/unit', { id: 'k', parameters });
    expect(refusalOf(reply)).toEqual({ status: 400, messages: ['parameter.duplicate parameters'] });
  });
});

describe('a rejected edit of a kind', () => {
  const edit = (name: string, body: unknown, messages: string[], path = 'taken'): RefusalRow => ({
    name,
    call: ['PUT', `/kind/unit/${path}`, body],
    status: 400,
    messages,
  });
  itRefuses(project, [
    edit('by another id', { id: 'other' }, ['parameter.immutable id']),
    edit('by another kind_id', { kind_id: 'other' }, ['parameter.immutable kind_id']),
    edit('by an unknown key', { lable: 1 }, ['parameter.unknown lable']),
    edit('by a label of null', { label: null }, ['parameter.null label']),
    edit('by a parameter that is not there', { parameters: ['name', 'nope'] }, ['kind.bad_definition parameters']),
    {
      ...edit(
        'by a parameter that exists, defined otherwise in place',
        { parameters: [{ id: 'name', kind_id: 'string', hidden: true }] },
        ['parameter.exists parameters'],
      ),
      status: 409,
    },
    { ...edit('that is not there, whatever the body', { nonsense: 1 }, ['unit.unknown'], 'nowhere'), status: 404 },
    { ...edit('whose id is no identifier', {}, ['unit.unknown'], 'No%20Where'), status: 404 },
    { ...edit('of a name of JavaScript', {}, ['unit.unknown'], 'toString'), status: 404 },
  ]);
});

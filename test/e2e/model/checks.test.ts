/** Checks of a kind: conditions over its own parameters that every unit satisfies, however it is written. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';

const folder = new FunctionsFolder({
  'trip.ts': `
    import { kind } from 'kind';
    const trip = kind('trip');
    export default trip.module({
      functions: {
        book: trip.function({
          description: 'Books', access: 'anyone',
          run: ({ units }) => units('trip').create({ starts: '2024-02-02', ends: '2024-02-01' }),
        }),
        ...Object.fromEntries(['booking', 'offer'].map((id) => [id, trip.function({
          description: 'Books as the system', access: 'anyone',
          run: ({ system }) => system.units(id).create({ guests: id === 'offer' ? 5 : 9 }),
        })])),
      },
      hooks: {
        before_create: ({ values }) => (values.note === 'many' ? { guests: 9 } : values.note === 'few' ? { guests: 1 } : undefined),
        before_update: ({ values }) => (values.note === 'many' ? { guests: 9 } : undefined),
      },
    });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
const ann = await asMember(project);

const DATES = { id: 'dates', filter: 'lte_field(starts,ends)', text: 'It cannot end before it starts' };
const FEW = { id: 'few', filter: 'and(gte(guests,0),lte(guests,8))', text: 'At most eight guests' };
const MANY_TESTS = `or(${Array.from({ length: 200 }, () => 'lte_field(starts,ends)').join()})`;
const checks = [DATES, FEW];
const OPEN = { create: 'member', update: 'member', read: 'member', delete: 'member' };
const parameters = [
  { id: 'code', kind_id: 'string', unique: true },
  { id: 'starts', kind_id: 'date' },
  { id: 'ends', kind_id: 'date' },
  { id: 'guests', kind_id: 'integer' },
  { id: 'note', kind_id: 'string' },
];
await defineKinds(
  project,
  { id: 'booking', access: OPEN, parameters, checks },
  {
    id: 'every',
    parameters: [
      { id: 'word', kind_id: 'string', indexed: true },
      { id: 'words', kind_id: 'string', multiple: true },
      { id: 'whole', kind_id: 'integer' },
      { id: 'exact', kind_id: 'decimal' },
      { id: 'rough', kind_id: 'float' },
      { id: 'flag', kind_id: 'boolean' },
      { id: 'moment', kind_id: 'datetime' },
      { id: 'clock', kind_id: 'time' },
      { id: 'loose', kind_id: 'json' },
    ],
  },
  { id: 'trip', access: OPEN, parameters: parameters.map(({ id }) => id), checks },
  { id: 'leg', access: OPEN, parameters: [{ id: 'trip', kind_id: 'unit', reference_kind: 'trip' }] },
);

const BAD = { starts: '2024-02-02', ends: '2024-02-01' };
const GOOD = { starts: '2024-02-01', ends: '2024-02-02' };
const failed = ({ id, text }: typeof DATES, more: object = {}) => ({ code: 'unit.check', text, check: id, ...more });
const refused = (...messages: object[]) => ({ status: 400, messages });
const answer = async (call: ReturnType<typeof ann.put>) => {
  const { status, body } = await call;
  return { status, messages: body.messages };
};
const kindOf = async (id: string) => (await ok(project.get(`/kind/unit/${id}`))) as Record<string, unknown>;

describe('a write', () => {
  it('is refused by all checks that the unit fails', async () => {
    expect(await answer(ann.post('/booking/unit', { ...BAD, guests: 9 }))).toEqual(refused(failed(DATES), failed(FEW)));
    expect(await answer(ann.post('/booking/unit', BAD))).toEqual(refused(failed(DATES)));
    await ok(ann.post('/booking/unit', GOOD));
    await ok(ann.post('/booking/unit', { ends: '2024-01-01' }));
  });

  it('of several tells which', async () => {
    const bodies = [GOOD, { ...BAD, guests: -1 }, { guests: 8 }, { guests: 9 }];
    const all = refused(failed(DATES, { index: 1 }), failed(FEW, { index: 1 }), failed(FEW, { index: 3 }));
    expect(await answer(ann.post('/booking/unit', bodies))).toEqual(all);
    expect(await answer(ann.post('/booking/unit', [BAD]))).toEqual(refused(failed(DATES, { index: 0 })));
  });

  it('is judged by what will be stored', async () => {
    const id = await createdId(ann.post('/booking/unit', { ...GOOD, guests: 8 }));
    const put = (body: object) => answer(ann.put(`/booking/unit/${id}`, body));
    expect(await put({ starts: '2024-03-01' })).toEqual(refused(failed(DATES)));
    expect(await put({ ends: '2024-01-01', guests: { $inc: 1 } })).toEqual(refused(failed(DATES), failed(FEW)));
    expect(await put({ ends: null, starts: '2024-03-01', guests: { $inc: -8 } })).toMatchObject({ status: 200 });
    expect(await put({ guests: { $inc: -1 } })).toEqual(refused(failed(FEW)));
    expect(await put({ ends: '2024-02-01' })).toEqual(refused(failed(DATES)));
  });

  it('may be an upsert, also of several, or an edit by filter', async () => {
    await ok(
      ann.post('/booking/unit', [
        { code: 'a', ...GOOD },
        { code: 'b', ...GOOD, guests: 8 },
      ]),
    );
    const upsert = (body: object) => answer(ann.post('/booking/unit?on_conflict=update&by=code', body));
    expect(await upsert({ code: 'a', starts: '2024-03-01' })).toEqual(refused(failed(DATES)));
    expect(
      await upsert([
        { code: 'a', guests: 7 },
        { code: 'c', ...BAD },
      ]),
    ).toEqual(refused(failed(DATES, { index: 1 })));
    const edits = [
      { code: 'a', guests: 1, starts: '2025-01-01' },
      { code: 'b', guests: -1, starts: '2024-01-01' },
    ];
    expect(await upsert(edits)).toEqual(refused(failed(DATES, { index: 0 }), failed(FEW, { index: 1 })));
    const { items } = await ok(ann.get('/booking/unit?filter=eq(code,b)'));
    const unit = items[0].id as string;
    const all = (body: object) => answer(ann.put('/booking/unit?filter=in(code,a,b)&max_affected=9', body));
    expect(await all({ guests: { $inc: 1 }, starts: '2024-03-01' })).toMatchObject(
      refused(failed(DATES), failed(FEW, { unit })),
    );
    expect(await all({ note: 'x' })).toMatchObject({ status: 200 });
  });

  it('may come from a hook or a function', async () => {
    expect(await answer(ann.post('/trip/unit', { ...BAD, note: 'many' }))).toEqual(refused(failed(DATES), failed(FEW)));
    await ok(ann.post('/trip/unit', { ...GOOD, guests: 9, note: 'few' }));
    const id = await createdId(ann.post('/trip/unit', GOOD));
    expect(await answer(ann.put(`/trip/unit/${id}`, { ends: '2020-01-01', note: 'many' }))).toEqual(
      refused(failed(DATES), failed(FEW)),
    );
    expect(await answer(ann.post('/trip/function/book', {}))).toMatchObject(refused(failed(DATES)));
    const everyone = await answer(ann.put('/trip/unit?filter=isnull(code)&max_affected=99', { note: 'many' }));
    expect(everyone).toMatchObject(refused(failed(FEW)));
  });

  it('may be of a nested unit, or of another kind by the system', async () => {
    const nested = { parameter: 'trip', text: `trip: ${DATES.text}` };
    expect(await answer(ann.post('/leg/unit', { trip: BAD }))).toEqual(refused(failed(DATES, nested)));
    expect(await answer(ann.post('/leg/unit', [{}, { trip: BAD }]))).toEqual(
      refused(failed(DATES, { ...nested, index: 1 })),
    );
    const told = failed(FEW, { text: `booking: ${FEW.text}` });
    expect(await answer(ann.post('/trip/function/booking', {}))).toEqual(refused(told));
    const meant = { code: 'unit.check', text: 'booking: The unit would fail a check of its kind' };
    expect(await answer(anonymous(project).post('/trip/function/booking', {}))).toEqual(refused(meant));
  });

  it('may be an import, a batch or a dry run', async () => {
    const csv = 'starts,ends,guests\n2024-01-01,2024-01-02,1\n2024-01-02,2024-01-01,9\n,,-1\n';
    const headers = { 'content-type': 'text/csv' };
    const faults = [failed(DATES, { line: 3 }), failed(FEW, { line: 3 }), failed(FEW, { line: 4 })];
    expect(await answer(ann.call('POST', '/booking/import', csv, { headers }))).toMatchObject(refused(...faults));
    const skipped = await ok(ann.call('POST', '/booking/import?errors=skip', csv, { headers }));
    expect(skipped).toMatchObject({ created: 1, failed: 2, errors: faults });
    const batch = { operations: [{ method: 'POST', path: '/booking/unit', body: { ...BAD, guests: 9 } }] };
    expect(await answer(ann.post('/batch', batch))).toEqual(
      refused(failed(DATES, { operation: 0 }), failed(FEW, { operation: 0 })),
    );
    expect(await answer(ann.post('/booking/unit?dry_run=true', BAD))).toEqual(refused(failed(DATES)));
  });

  it('does not tell a check of parameters that the caller may not read', async () => {
    await defineKinds(project, {
      id: 'offer',
      access: { create: 'anyone', read: 'member' },
      parameters: ['guests', { id: 'most', kind_id: 'integer', read_access: 'admin', default_integer: 3 }],
      checks: [{ id: 'most', filter: 'lte_field(guests,most)', text: 'Three at most' }, FEW],
    });
    const meant = { code: 'unit.check', text: 'The unit would fail a check of its kind' };
    const told = refused(meant);
    expect(await answer(anonymous(project).post('/offer/unit', { guests: 4 }))).toEqual(told);
    const bySystem = await answer(ann.post('/trip/function/offer', {}));
    expect(bySystem).toEqual(refused({ ...meant, text: `offer: ${meant.text}` }));
    expect(await answer(project.post('/offer/unit', { guests: 9 }))).toMatchObject(
      refused({ check: 'most', text: 'Three at most' }, failed(FEW)),
    );
  });
});

describe('the checks of a definition', () => {
  const define = (...given: object[]) => ({ id: 'stay', parameters: ['starts', 'ends', 'guests'], checks: given });
  const put = (body: object, query = '') => answer(project.put(`/kind/unit/stay${query}`, body));

  it('are kept, shown to administrators, and judged from then on', async () => {
    expect(await kindOf('booking')).toMatchObject({ checks });
    expect((await ok(ann.get('/kind/unit/booking'))) as object).toMatchObject({ checks: null });
    await ok(project.post('/kind/unit', define()));
    await ok(project.post('/stay/unit', [BAD, { ...BAD, guests: 9 }, GOOD]));
    const text = "2 units of 'stay' would violate the check 'dates'";
    expect(await put({ checks })).toEqual({
      status: 409,
      messages: [
        { code: 'parameter.violated', text, parameter: 'checks' },
        { code: 'parameter.violated', text: "1 unit of 'stay' would violate the check 'few'", parameter: 'checks' },
      ],
    });
    await ok(project.call('DELETE', '/stay/unit?filter=lt_field(ends,starts)&max_affected=9'));
    expect(await put({ checks })).toMatchObject({ status: 200 });
    expect(await answer(project.post('/stay/unit', BAD))).toEqual(refused(failed(DATES)));
  });

  it('may change, also in their text alone', async () => {
    expect(await put({ checks: [{ ...DATES, text: 'Other' }] })).toMatchObject({ status: 200 });
    expect(await answer(project.post('/stay/unit', BAD))).toEqual(refused(failed({ ...DATES, text: 'Other' })));
    await ok(project.post('/stay/unit', { guests: 99 }));
    expect(await put({ checks: [{ ...DATES, filter: 'lt_field(ends,starts)' }] })).toMatchObject({ status: 409 });
    await ok(project.call('DELETE', '/stay/unit?filter=all()&max_affected=9'));
    expect(await put({ checks: [{ ...DATES, filter: 'lt_field(ends,starts)' }] })).toMatchObject({ status: 200 });
    expect(await answer(project.post('/stay/unit', GOOD))).toEqual(refused(failed(DATES)));
    await ok(project.post('/stay/unit', BAD));
    expect(await put({ checks: [] })).toMatchObject({ status: 200 });
    await ok(project.post('/stay/unit', GOOD));
  });

  it('count what units get in new parameters', async () => {
    const added = (value: number) => ({
      parameters: ['starts', 'ends', 'guests', { id: 'stars', kind_id: 'integer', default_integer: value }],
      checks: [{ id: 'stars', filter: 'lte(stars,5)', text: 'Five stars at most' }],
    });
    expect((await put(added(6))).messages).toMatchObject([
      { text: "2 units of 'stay' would violate the check 'stars'" },
    ]);
    expect(await put(added(5))).toMatchObject({ status: 200 });
    expect(await answer(project.post('/stay/unit', { stars: 6 }))).toMatchObject(refused({ check: 'stars' }));
  });

  it('keep their parameters, unless they go with them', async () => {
    const without = { parameters: ['starts', 'ends', 'guests'] };
    const text = "'stars' is named by the check 'stars' of 'stay'; ?cascade=true takes the check too";
    expect(await put(without)).toMatchObject({
      status: 409,
      messages: [{ code: 'parameter.in_check', text, parameter: 'stars', check: 'stars' }],
    });
    const runTime = await answer(project.put('/integer/unit/stars', { only_run_time: true, persistence: 'run_time' }));
    expect(runTime).toMatchObject({ status: 409, messages: [{ code: 'parameter.in_check' }] });
    expect(await put(without, '?cascade=true')).toMatchObject({ status: 200 });
    expect((await kindOf('stay'))['checks']).toEqual([]);
    expect(await put({ checks })).toMatchObject({ status: 409 });
    await ok(project.call('DELETE', '/stay/unit?filter=all()&max_affected=9'));
    expect(await put({ checks })).toMatchObject({ status: 200 });
    await ok(project.post('/date/unit', { id: 'later' }));
    expect(await answer(project.call('DELETE', '/integer/unit/guests?cascade=true'))).toMatchObject({ status: 200 });
    expect((await kindOf('stay'))['checks']).toEqual([DATES]);
    await ok(project.post('/stay/unit', GOOD));
  });

  it('that come while units are written are contradicted by none of them', async () => {
    await ok(project.post('/kind/unit', { id: 'visit', parameters: ['starts', 'ends'] }));
    const writes = Array.from({ length: 30 }, (_, at) => project.post('/visit/unit', at % 3 === 2 ? BAD : GOOD));
    const [added, ...written] = await Promise.all([project.put('/kind/unit/visit', { checks: [DATES] }), ...writes]);
    const bad = await ok(project.get('/visit/unit?filter=lt_field(ends,starts)&count=exact'));
    const stored = written.filter(({ status }) => status === 200);
    expect(new Set(written.map(({ status }) => status))).toEqual(new Set(stored.length < 30 ? [200, 400] : [200]));
    if (added.status === 200) expect(bad.items).toEqual([]);
    else expect(bad.items.length).toBeGreaterThan(0);
  });

  it('are steps of a dry run', async () => {
    const { body } = await project.put('/kind/unit/stay?dry_run=changes', {
      checks: [{ ...DATES, id: 'other' }],
    });
    expect(body).toMatchObject({
      changes: {
        definitions: [{ id: 'stay', settings: ['checks'] }],
        tables: [
          { step: 'drop_check', table: 'stay', check: 'dates' },
          { step: 'add_check', table: 'stay', check: 'other' },
        ],
      },
    });
    expect((await kindOf('stay'))['checks']).toEqual([DATES]);
  });

  it('cannot keep a unit that a deletion leads to', async () => {
    await defineKinds(
      project,
      { id: 'room', parameters: ['note'] },
      {
        id: 'key',
        parameters: [{ id: 'room', kind_id: 'unit', reference_kind: 'room', on_delete: 'set_null' }],
        checks: [{ id: 'room', filter: 'isnull(room,false)', text: 'A key has a room' }],
      },
    );
    const room = await createdId(project.post('/room/unit', { note: 'a' }));
    await ok(project.post('/key/unit', { room }));
    expect(await answer(project.post('/key/unit', {}))).toMatchObject(refused({ check: 'room' }));
    expect(await answer(project.call('DELETE', `/room/unit/${room}`))).toMatchObject({
      status: 409,
      messages: [{ code: 'unit.referenced' }],
    });
  });

  const bad = (checks: unknown) =>
    answer(project.post('/kind/unit', { id: 'bad', parameters: BAD_PARAMETERS, checks }));
  const BAD_PARAMETERS = [
    'starts',
    'ends',
    'note',
    { id: 'data', kind_id: 'json' },
    'room',
    { id: 'pass', kind_id: 'string', hidden: true },
    { id: 'typed', kind_id: 'string', persistence: 'run_time', only_run_time: true },
  ];

  it.each([
    ['eq(starts,@now)', '@'],
    ['eq(starts,"@now-1d")', '@'],
    ['in(starts,2026-01-01,"@now")', '@'],
    ['eq(note,@member.id)', '@'],
    ['eq(note,@before.note)', '@'],
    ['eq(@member.id,x)', '@'],
    ['eq(room.note,a)', 'room.note'],
    ['eq(data.a,1)', 'data.a'],
    ['gt(count_related(key.room),1)', 'without functions'],
    ['exists(key.room)', 'without functions'],
    ['near(starts,ends,1,1,1)', 'without functions'],
    ['all()', 'names no parameter'],
    ['eq(id,a)', "no parameter 'id'"],
    ['isnull(inserted_at)', "no parameter 'inserted_at'"],
    ['eq(pass,a)', "no parameter 'pass'"],
    ['eq(typed,a)', "no parameter 'typed'"],
    ['eq(guests,1)', "no parameter 'guests'"],
    ['lt_field(starts,note)', 'one type'],
    ['eq(starts,yesterday)', 'wants'],
    ['lt(starts', ''],
  ])('cannot be %s', async (filter, text) => {
    const { status, messages } = await bad([{ id: 'x', filter, text: 'x' }]);
    expect({ status, messages }).toMatchObject({
      status: 400,
      messages: [{ code: 'kind.bad_definition', parameter: 'checks', check: 'x' }],
    });
    expect(messages[0]?.text).toMatch(/^checks\[0\]\.filter: /);
    expect(messages[0]?.text).toContain(text);
  });

  it.each([
    ['x', 'checks: must be a list'],
    [['x'], 'checks[0]: must be an object'],
    [[{ ...DATES, id: 'No' }], 'checks[0].id'],
    [[DATES, { ...FEW, id: 'dates' }], "checks[1].id: 'dates' is there twice"],
    [[{ ...DATES, filter: 1 }], 'checks[0].filter'],
    [[{ ...DATES, text: ' ' }], 'checks[0].text'],
    [[{ ...DATES, text: 'x'.repeat(501) }], 'checks[0].text'],
    [[{ ...DATES, more: 1 }], 'checks[0].more'],
    [
      Array.from({ length: 3 }, (_, at) => ({ ...DATES, id: `c${at}`, filter: MANY_TESTS })),
      'checks: at most 500 tests in all of them, got 600',
    ],
    [Array.from({ length: 21 }, (_, at) => ({ ...DATES, id: `c${at}` })), 'at most 20'],
  ])('are refused in another form (%#)', async (given, text) => {
    const { status, messages } = await bad(given);
    expect({ status, messages }).toMatchObject({ status: 400, messages: [{ code: 'kind.bad_definition' }] });
    expect(messages[0]?.text).toContain(text);
  });

  it('are none of remote kinds and built-in ones', async () => {
    const far = { id: 'far', remote: true, parameters: ['starts', 'ends'], checks: [DATES] };
    expect(await answer(project.post('/kind/unit', far))).toMatchObject({
      status: 400,
      messages: [{ code: 'kind.bad_definition', text: 'checks: a remote kind has none' }],
    });
    expect(await answer(project.put('/kind/unit/kind', { checks: [DATES] }))).toMatchObject({ status: 403 });
  });
});

describe('a check', () => {
  it.each([
    // The value that fails, and one that passes; null is unknown, and passes too.
    ['eq(word,"it\'s \\\\")', 'x', "it's \\"],
    ['ne(word,a)', 'a', 'b'],
    ['not(eq(word,a))', 'a', 'b'],
    ['not(not(eq(word,a)))', 'b', 'a'],
    ['not(or(eq(word,a),eq(word,b)))', 'b', 'c'],
    ['in(word,a,"b,\\"",c)', 'b', 'b,"'],
    ['not(in(word,a,b))', 'b', 'c'],
    ['startswith(word,"%")', 'a%', '%a'],
    ['icontains(word,ÄB)', 'cab', 'cäbc'],
    ['not(endswith(word,z))', 'az', 'za'],
    ['startswith(word,"@")', 'ann', '@ann'],
    ['lt(whole,9007199254740991)', 9007199254740991, -9007199254740991],
    ['gte(exact,0.10)', '0.09', '0.1'],
    ['lte(rough,1.5)', 1.6, 1.5],
    ['eq(flag,true)', false, true],
    ['ne(flag,true)', true, false],
    ['gt(moment,"2024-01-01T00:00:00+01:00")', '2023-12-31T23:00:00Z', '2023-12-31T23:00:01Z'],
    ['lt(clock,"12:00")', '12:00:00', '11:59:59'],
    ['contains(words,"a,b")', ['a', 'b'], ['x', 'a,b']],
    ['in(words,a,b)', ['c'], ['c', 'b']],
    ['eq(words,[a,"b c"])', ['a'], ['a', 'b c']],
    ['not(contains(words,a))', ['a'], ['b']],
    ['eq(loose,1)', 2, 1],
    ['lt_field(exact,rough)', 9, 1],
  ])('%s', async (filter, fails, passes) => {
    const parameter = /word(?!s)|words|whole|exact|rough|flag|moment|clock|loose/.exec(filter)?.[0] ?? '';
    const checks = [{ id: 'is', filter, text: 'no' }];
    await ok(project.put('/kind/unit/every?cascade=true', { checks: [] }));
    await ok(project.put('/kind/unit/every', { checks }));
    const made = (value: unknown) => answer(project.post('/every/unit', { rough: 3, [parameter]: value }));
    expect(await made(fails)).toEqual({ status: 400, messages: [{ code: 'unit.check', text: 'no', check: 'is' }] });
    expect(await made(passes)).toMatchObject({ status: 200 });
    expect(await made(null)).toMatchObject({ status: 200 });
    // Stored units are judged in the same way.
    await ok(project.put('/kind/unit/every', { checks: [] }));
    await ok(project.post('/every/unit', { rough: 3, [parameter]: fails }));
    const { status, messages } = await answer(project.put('/kind/unit/every', { checks }));
    expect({ status, text: messages[0]?.text }).toEqual({
      status: 409,
      text: "1 unit of 'every' would violate the check 'is'",
    });
    await ok(project.call('DELETE', '/every/unit?filter=all()&max_affected=9'));
  });

  it('knows whether a value is null', async () => {
    const checks = [{ id: 'one', filter: 'not(and(isnull(word),isnull(whole)))', text: 'One of both' }];
    await ok(project.put('/kind/unit/every', { checks }));
    expect(await answer(project.post('/every/unit', {}))).toMatchObject(refused({ check: 'one' }));
    await ok(project.post('/every/unit', [{ word: 'a' }, { whole: 1 }]));
    await ok(project.call('DELETE', '/every/unit?filter=all()&max_affected=9'));
  });
});

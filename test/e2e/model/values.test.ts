/** Values of every type are stored, shown again and found again; what does not fit is 400. */
import { describe, expect, it } from 'vitest';
import { inQuotes, ok, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';
import { brief, EDGES, shownOf, TYPES } from '../../support/values.js';

const service = await sharedService();
const project = await service.project();
for (const type of TYPES) {
  const parameters = [
    { id: `${type}_one`, kind_id: type },
    { id: `${type}_many`, kind_id: type, multiple: true },
    { id: `${type}_gone`, kind_id: type, only_run_time: true },
  ];
  await ok(project.post('/kind/unit', { id: `of_${type}`, parameters }));
}
const held = await project.documented();

describe.each(TYPES)('%s', (type) => {
  const path = `/of_${type}/unit`;

  it.each(EDGES[type].accepted.map((each) => [brief(each[0]), each] as const))('stores %s', async (_, each) => {
    const [given] = each;
    const shown = shownOf(each);
    // JSON.parse and JSON.stringify keep `__proto__`; an object literal would not.
    const body = `{"${type}_one":${given},"${type}_many":[${given},${given}],"${type}_gone":${given}}`;
    const made = (await ok(held.post(path, body))) as Record<string, unknown>;
    expect(made[`${type}_one`]).toEqual(shown);
    expect(made[`${type}_many`]).toEqual([shown, shown]);
    expect(made).not.toHaveProperty(`${type}_gone`);
    const id = String(made['id']);
    expect(await ok(held.get(`${path}/${id}`))).toEqual(made);
    expect(await ok(held.put(`${path}/${id}`, `{"${type}_one":${given}}`))).toMatchObject({
      [`${type}_one`]: shown,
    });
    // As it is shown it can be sent again.
    await ok(held.put(`${path}/${id}`, { [`${type}_one`]: shown, [`${type}_many`]: [shown] }));
    if (type !== 'json' && given.length < 4000) {
      const text = typeof shown === 'string' ? inQuotes(shown) : encodeURIComponent(JSON.stringify(shown));
      expect(await ok(held.get(`${path}?filter=and(eq(${type}_one,${text}),eq(id,${id}))`))).toMatchObject({
        count: 1,
      });
      expect(await ok(held.get(`${path}?filter=and(contains(${type}_many,${text}),eq(id,${id}))`))).toMatchObject({
        count: 1,
      });
    }
  });

  it.each(EDGES[type].refused.map(([given, code]) => [brief(given), given, code] as const))(
    'refuses %s',
    async (_, given, code) => {
      const message = (suffix: string) => ({ status: 400, messages: [`${code} ${type}_${suffix}`] });
      expect(refusalOf(await held.post(path, `{"${type}_one":${given}}`))).toEqual(message('one'));
      expect(refusalOf(await held.post(path, `{"${type}_gone":${given}}`))).toEqual(message('gone'));
      const list = await held.post(path, `{"${type}_many":[${given}]}`);
      expect(refusalOf(list)).toEqual(message('many'));
      expect(list.body.messages[0]?.text).toContain(`${type}_many[0]`);
    },
  );

  it('accepts null, but not in a list, and no list for a single value', async () => {
    const made = (await ok(held.post(path, { [`${type}_one`]: null, [`${type}_many`]: null }))) as object;
    expect(made).toMatchObject({ [`${type}_one`]: null, [`${type}_many`]: null });
    expect(await ok(held.post(path, { [`${type}_many`]: [] }))).toMatchObject({
      [`${type}_one`]: null,
      [`${type}_many`]: [],
    });
    expect(refusalOf(await held.post(path, { [`${type}_many`]: [null] }))).toEqual({
      status: 400,
      messages: [`parameter.null ${type}_many`],
    });
    expect(refusalOf(await held.post(path, { [`${type}_many`]: 'x' }))).toEqual({
      status: 400,
      messages: [`parameter.bad_type ${type}_many`],
    });
    if (type !== 'json')
      expect(refusalOf(await held.post(path, { [`${type}_one`]: [] }))).toEqual({
        status: 400,
        messages: [`parameter.bad_type ${type}_one`],
      });
  });
});

describe('rules of a body', () => {
  it('required, nullable and defaults are independent', async () => {
    await ok(
      project.post('/kind/unit', {
        id: 'rules',
        parameters: [
          { id: 'must', kind_id: 'string', required: true },
          { id: 'must_default', kind_id: 'string', required: true, default_string: 'd' },
          { id: 'never_null', kind_id: 'string', nullable: false, default_string: 'n' },
          { id: 'plain_default', kind_id: 'integer', default_integer: 0 },
          { id: 'strict', kind_id: 'string', required: true, nullable: false },
        ],
      }),
    );
    expect(refusalOf(await project.post('/rules/unit', {}))).toEqual({
      status: 400,
      messages: ['parameter.required must', 'parameter.required strict'],
    });
    const made = (await ok(project.post('/rules/unit', { must: null, strict: 's' }))) as { id: string };
    expect(made).toMatchObject({ must: null, must_default: 'd', never_null: 'n', plain_default: 0, strict: 's' });
    // A default applies when the key is absent, not when it is null.
    expect(
      await ok(project.post('/rules/unit', { must: 'm', must_default: null, plain_default: null, strict: 's' })),
    ).toMatchObject({ must_default: null, plain_default: null });
    expect(refusalOf(await project.post('/rules/unit', { must: 'm', never_null: null, strict: null }))).toEqual({
      status: 400,
      messages: ['parameter.null never_null', 'parameter.null strict'],
    });
    // An edit asks for nothing and defaults nothing.
    expect(await ok(project.put(`/rules/unit/${made.id}`, { plain_default: null }))).toMatchObject({
      must: null,
      plain_default: null,
      strict: 's',
    });
    expect(refusalOf(await project.put(`/rules/unit/${made.id}`, { strict: null }))).toEqual({
      status: 400,
      messages: ['parameter.null strict'],
    });
  });

  it('a unique list has no duplicate elements', async () => {
    const parameters = ['string', 'integer', 'decimal', 'datetime', 'time'].map((type) => ({
      id: `set_${type}`,
      kind_id: type,
      multiple: true,
      unique: true,
    }));
    await ok(
      project.post('/kind/unit', {
        id: 'sets',
        parameters: [...parameters, { id: 'set_json', kind_id: 'json', multiple: true, unique: true }],
      }),
    );
    const twice = [
      { set_string: ['a', 'a'] },
      { set_integer: [0, -0] },
      { set_decimal: ['1.0', 1] },
      {
        set_json: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      },
      { set_datetime: ['2024-01-31T09:30:00Z', '2024-01-31T10:30:00.000+01:00'] },
    ];
    for (const body of [...twice, { set_time: ['09:00:00.10', '09:00:00.1'] }]) {
      expect(refusalOf(await project.post('/sets/unit', body))).toEqual({
        status: 400,
        messages: [`parameter.duplicate ${Object.keys(body)[0] ?? ''}`],
      });
    }
    const many = Array.from({ length: 50_000 }, (_, at) => `${at}`);
    expect(refusalOf(await project.post('/sets/unit', { set_string: [...many, '7'] }))).toEqual({
      status: 400,
      messages: ['parameter.duplicate set_string'],
    });
    await ok(project.post('/sets/unit', [{ set_string: ['a', 'A'] }, { set_string: ['a', 'A'] }]));
  });

  it('unique values and compounds occur once, nulls excepted', async () => {
    const parameters = ['string', 'integer', 'float', 'decimal', 'boolean', 'date', 'time', 'datetime'].map((type) => ({
      id: `only_${type}`,
      kind_id: type,
      unique: true,
    }));
    await ok(
      project.post('/kind/unit', {
        id: 'onlys',
        parameters: [...parameters, { id: 'p1', kind_id: 'string' }, { id: 'p2', kind_id: 'integer' }],
        unique: [['p1', 'p2']],
      }),
    );
    const same: readonly [object, object][] = [
      [{ only_string: 'a' }, { only_string: 'a' }],
      [{ only_integer: 0 }, { only_integer: -0 }],
      [{ only_float: 0.1 }, { only_float: 0.1 }],
      [{ only_decimal: '1.50' }, { only_decimal: 1.5 }],
      [{ only_boolean: true }, { only_boolean: true }],
      [{ only_date: '2024-01-01' }, { only_date: '2024-01-01' }],
      [{ only_time: '09:00:00.10' }, { only_time: '09:00:00.1' }],
      [{ only_datetime: '2024-01-01T00:00:00Z' }, { only_datetime: '2024-01-01T01:00:00+01:00' }],
    ];
    for (const [first, second] of same) {
      await ok(project.post('/onlys/unit', first));
      expect(refusalOf(await project.post('/onlys/unit', second))).toEqual({
        status: 409,
        messages: [`parameter.not_unique ${Object.keys(second)[0] ?? ''}`],
      });
    }
    await ok(project.post('/onlys/unit', [{}, {}, { only_string: 'A' }]));
    await ok(project.post('/onlys/unit', [{ p1: 'x', p2: 1 }, { p1: 'x', p2: 2 }, { p1: 'x' }, { p1: 'x' }]));
    expect(refusalOf(await project.post('/onlys/unit', { p1: 'x', p2: 1 }))).toEqual({
      status: 409,
      messages: ['unit.not_unique'],
    });
    // A bulk write tells which object is to blame.
    const bulk = await project.post('/onlys/unit', [{ only_string: 'b' }, { only_string: 'c' }, { only_string: 'b' }]);
    expect(bulk).toMatchObject({
      status: 409,
      body: { messages: [{ code: 'parameter.not_unique', parameter: 'only_string', index: 2 }] },
    });
    expect(await ok(project.get('/onlys/unit?filter=eq(only_string,c)'))).toMatchObject({ count: 0 });
  });

  it('a reference to a missing unit or with an invalid id is 400', async () => {
    await ok(
      project.post('/kind/unit', { id: 'land', parameters: [{ id: 'iso', kind_id: 'string', is_primary: true }] }),
    );
    await ok(project.post('/kind/unit', { id: 'plain' }));
    await ok(
      project.post('/kind/unit', {
        id: 'points',
        parameters: [
          { id: 'to_land', kind_id: 'unit', reference_kind: 'land' },
          { id: 'to_plain', kind_id: 'unit', reference_kind: 'plain' },
        ],
      }),
    );
    await ok(project.post('/land/unit', { iso: 'IT' }));
    const plain = (await ok(project.post('/plain/unit', {}))) as { id: string };
    expect(await ok(project.post('/points/unit', { to_land: 'IT', to_plain: plain.id.toUpperCase() }))).toMatchObject({
      to_land: 'IT',
      to_plain: plain.id,
    });
    for (const body of [{ to_land: 'FR' }, { to_plain: '0198c0de-0000-7000-8000-000000000000' }, { to_plain: 'x' }]) {
      expect(refusalOf(await project.post('/points/unit', body))).toEqual({
        status: 400,
        messages: [`parameter.bad_reference ${Object.keys(body)[0] ?? ''}`],
      });
    }
    for (const value of [5, true, []])
      expect(refusalOf(await project.post('/points/unit', { to_land: value }))).toEqual({
        status: 400,
        messages: ['parameter.bad_type to_land'],
      });
    const bulk = await project.post('/points/unit', [{ to_land: 'IT' }, { to_land: 'ES' }]);
    expect(bulk).toMatchObject({
      status: 400,
      body: { messages: [{ code: 'parameter.bad_reference', parameter: 'to_land', index: 1 }] },
    });
  });
});

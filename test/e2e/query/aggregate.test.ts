/** `GET /{kind_id}/aggregate`: functions, groups, filters, order and pages, and what bad input gets. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(
  project,
  {
    id: 'land',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'name', kind_id: 'string' },
    ],
  },
  {
    id: 'city',
    parameters: [
      'name',
      { id: 'people', kind_id: 'integer' },
      { id: 'area', kind_id: 'decimal' },
      { id: 'height', kind_id: 'float' },
      { id: 'open', kind_id: 'boolean' },
      { id: 'founded', kind_id: 'date' },
      { id: 'seen', kind_id: 'datetime' },
      { id: 'closes', kind_id: 'time' },
      { id: 'photo', kind_id: 'binary' },
      { id: 'meta', kind_id: 'json' },
      { id: 'tags', kind_id: 'string', multiple: true },
      { id: 'marks', kind_id: 'integer', multiple: true },
      { id: 'land', kind_id: 'unit', reference_kind: 'land' },
      { id: 'secret', kind_id: 'string', hidden: true },
    ],
  },
);
await ok(project.post('/land/unit', { code: 'it', name: 'Italy' }));
await ok(project.post('/land/unit', { code: 'fr', name: 'France' }));
const CITIES = [
  {
    name: 'Rome',
    people: 2_800_000,
    area: '1285.31',
    height: 21.5,
    open: true,
    founded: '0001-04-21',
    seen: '2024-03-31T00:30:00Z',
    closes: '22:00:00',
    meta: { color: 'red', size: 3 },
    tags: ['old', 'big', 'old'],
    marks: [1, 2],
    land: 'it',
    secret: 'x',
  },
  {
    name: 'Milan',
    people: 1_400_000,
    area: '181.67',
    height: 120.25,
    open: false,
    founded: '2024-02-29',
    seen: '2024-03-31T23:30:00Z',
    closes: '02:00:00',
    meta: { color: 'blue' },
    tags: ['big'],
    marks: [2],
    land: 'it',
  },
  {
    name: 'Paris',
    people: 2_100_000,
    area: '105.4',
    height: 35,
    open: true,
    seen: '2023-12-31T23:59:59.999999Z',
    meta: { color: 'red' },
    tags: [],
    land: 'fr',
  },
  { name: null, people: null, tags: null, meta: null },
];
for (const city of CITIES) await createdId(project.post('/city/unit', city));

interface Groups {
  readonly count: number;
  readonly items: Record<string, unknown>[];
}
const aggregate = async (query: string, path = '/city/aggregate') =>
  (await ok(project.get(`${path}?${query}`))) as Groups;
const one = async (select: string) => (await aggregate(`select=${select}`)).items[0];

describe('functions', () => {
  it.each<[string, unknown]>([
    ['count()', { count: 4 }],
    ['count(people)', { count_people: 3 }],
    ['count(eq(open,true))', { count: 2 }],
    ['count(name,eq(open,false))', { count_name: 1 }],
    ['open:count(eq(open,true)),all:count()', { open: 2, all: 4 }],
    ['count_distinct(land)', { count_distinct_land: 2 }],
    ['count_distinct(meta.color)', { count_distinct_meta_color: 2 }],
    ['count_distinct(tags)', { count_distinct_tags: 3 }],
    ['sum(people)', { sum_people: 6_300_000 }],
    ['sum(area)', { sum_area: '1572.38' }],
    ['sum(height)', { sum_height: 176.75 }],
    ['sum(people,eq(land.name,Italy))', { sum_people: 4_200_000 }],
    ['avg(people)', { avg_people: '2100000' }],
    ['avg(area)', { avg_area: '524.1266666666666667' }],
    ['avg(height)', { avg_height: 58.916666666666664 }],
    ['min(people),max(people)', { min_people: 1_400_000, max_people: 2_800_000 }],
    ['min(area),max(area)', { min_area: '105.4', max_area: '1285.31' }],
    ['min(name),max(name)', { min_name: 'Milan', max_name: 'Rome' }],
    ['min(founded),max(founded)', { min_founded: '0001-04-21', max_founded: '2024-02-29' }],
    ['max(seen)', { max_seen: '2024-03-31T23:30:00.000000Z' }],
    ['min(closes)', { min_closes: '02:00:00' }],
    ['min(open),max(open)', { min_open: false, max_open: true }],
    ['min(land.name),max(land.name)', { min_land_name: 'France', max_land_name: 'Italy' }],
    ['min(meta.color)', { min_meta_color: 'blue' }],
    ['max(land)', { max_land: 'it' }],
    ['first(name),last(name)', { first_name: 'Rome', last_name: null }],
    ['first(meta)', { first_meta: { color: 'red', size: 3 } }],
    ['first(meta.size)', { first_meta_size: 3 }],
    ['first(tags),first(marks)', { first_tags: ['old', 'big', 'old'], first_marks: [1, 2] }],
    ['first(land.name)', { first_land_name: 'Italy' }],
    ['last(seen,isnull(seen,false))', { last_seen: '2023-12-31T23:59:59.999999Z' }],
    ['first(height),first(area)', { first_height: 21.5, first_area: '1285.31' }],
    ['first(open,eq(name,nobody))', { first_open: null }],
    ['[count( name ),  total : sum( people )]', { count_name: 3, total: 6_300_000 }],
  ])('%s', async (select, expected) => {
    expect(await one(encodeURIComponent(select))).toEqual(expected);
  });

  it('take units that a filter selects, and without any a count is 0 and the rest null', async () => {
    expect(
      await aggregate(
        'select=[count(),count(name),sum(people),avg(area),min(name),first(name)]&filter=eq(name,nobody)',
      ),
    ).toEqual({
      count: 1,
      items: [{ count: 0, count_name: 0, sum_people: null, avg_area: null, min_name: null, first_name: null }],
    });
  });

  it('a sum of integers is a string where a number would lose digits', async () => {
    await defineKinds(project, { id: 'coin', parameters: [{ id: 'worth', kind_id: 'integer' }] });
    const max = Number.MAX_SAFE_INTEGER;
    await ok(project.post('/coin/unit', [{ worth: max - 1 }, { worth: 1 }]));
    expect(await aggregate('select=sum(worth)', '/coin/aggregate')).toMatchObject({ items: [{ sum_worth: max }] });
    await ok(project.post('/coin/unit', { worth: 1 }));
    const beyond = await aggregate('select=sum(worth)&having=gt(sum_worth,9007199254740991)', '/coin/aggregate');
    expect(beyond.items).toEqual([{ sum_worth: '9007199254740992' }]);
  });
});

describe('groups', () => {
  it.each<[string, Record<string, unknown>[]]>([
    [
      'group=land&select=count()',
      [
        { land: 'fr', count: 1 },
        { land: 'it', count: 2 },
        { land: null, count: 1 },
      ],
    ],
    [
      'group=land.name&select=sum(people)',
      [
        { land_name: 'France', sum_people: 2_100_000 },
        { land_name: 'Italy', sum_people: 4_200_000 },
        { land_name: null, sum_people: null },
      ],
    ],
    [
      'group=[open,land]',
      [
        { open: false, land: 'it' },
        { open: true, land: 'fr' },
        { open: true, land: 'it' },
        { open: null, land: null },
      ],
    ],
    [
      'group=each(tags)&select=count()',
      [
        { each_tags: 'big', count: 2 },
        { each_tags: 'old', count: 1 },
        { each_tags: null, count: 2 },
      ],
    ],
    [
      'group=meta.color&select=count()',
      [
        { meta_color: 'blue', count: 1 },
        { meta_color: 'red', count: 2 },
        { meta_color: null, count: 1 },
      ],
    ],
    [
      'group=year(seen)&select=count()',
      [
        { year_seen: '2023-01-01T00:00:00.000000Z', count: 1 },
        { year_seen: '2024-01-01T00:00:00.000000Z', count: 2 },
        { year_seen: null, count: 1 },
      ],
    ],
    ['group=y:year(seen)&timezone=Europe/Rome&filter=eq(name,Paris)', [{ y: '2023-12-31T23:00:00.000000Z' }]],
    ['group=day(seen)&timezone=Europe/Rome&filter=eq(name,Milan)', [{ day_seen: '2024-03-31T22:00:00.000000Z' }]],
    ['group=hour(seen)&filter=eq(name,Rome)', [{ hour_seen: '2024-03-31T00:00:00.000000Z' }]],
    [
      'group=[quarter(founded),month(founded),week(founded)]&filter=eq(name,Milan)',
      [{ quarter_founded: '2024-01-01', month_founded: '2024-02-01', week_founded: '2024-02-26' }],
    ],
    [
      'group=bucket(people,1000000)&select=count()',
      [
        { bucket_people: 1_000_000, count: 1 },
        { bucket_people: 2_000_000, count: 2 },
        { bucket_people: null, count: 1 },
      ],
    ],
    [
      'group=[bucket(area,0.5),bucket(height,0.1)]&filter=eq(name,Milan)',
      [{ bucket_area: '181.5', bucket_height: 120.2 }],
    ],
    ['group=meta&filter=eq(name,Rome)', [{ meta: { color: 'red', size: 3 } }]],
    ['group=tags&filter=isnull(people,false)', [{ tags: [] }, { tags: ['big'] }, { tags: ['old', 'big', 'old'] }]],
    ['group=kind_id&select=count()', [{ kind_id: 'city', count: 4 }]],
  ])('%s', async (query, items) => {
    expect(await aggregate(query)).toEqual({ count: items.length, items });
  });

  it('are filtered, ordered and paged by the names of the answer', async () => {
    const all = 'group=land&select=[n:count(),people:sum(people)]';
    expect((await aggregate(`${all}&having=gt(n,1)`)).items).toEqual([{ land: 'it', n: 2, people: 4_200_000 }]);
    expect((await aggregate(`${all}&order=people;desc`)).items.map(({ land }) => land)).toEqual([null, 'it', 'fr']);
    expect((await aggregate(`${all}&order=n;asc`)).items.map(({ land }) => land)).toEqual(['fr', null, 'it']);
    expect(await aggregate(`${all}&limit=1&offset=1`)).toEqual({
      count: 3,
      items: [{ land: 'it', n: 2, people: 4_200_000 }],
    });
    expect(await aggregate(`${all}&limit=0`)).toEqual({ count: 3, items: [] });
    expect(await aggregate('select=count()&having=gt(count,9)')).toEqual({ count: 0, items: [] });
  });

  it('of a list of lists are every pair of elements', async () => {
    const { items } = await aggregate('group=[each(tags),each(marks)]&filter=eq(name,Rome)');
    expect(items).toEqual([
      { each_tags: 'big', each_marks: 1 },
      { each_tags: 'big', each_marks: 2 },
      { each_tags: 'old', each_marks: 1 },
      { each_tags: 'old', each_marks: 2 },
    ]);
  });
});

describe('bad input', () => {
  it.each<[string, string, RegExp]>([
    ['', 'query.bad_value select', /at least one function, such as count\(\), or a group/],
    ['select=', 'filter.syntax select', /select: expected a function such as count\(\) at character 1/],
    [
      'select=name',
      'filter.syntax select',
      /a function such as count\(\) at character 1 \(a value alone is none: group by 'name'\)/,
    ],
    ['select=count', 'filter.syntax select', /expected '\('/],
    ['select=total(people)', 'filter.unknown_operator select', /unknown function 'total'.*there are count/],
    ['select=summ(people)', 'filter.unknown_operator select', /'sum'/],
    ['select=sum(peeple)', 'parameter.unknown select', /no parameter 'peeple' in 'city'.*people/],
    ['select=sum(secret)', 'parameter.unknown select', /no parameter 'secret'/],
    ['select=sum(name)', 'query.bad_value select', /sum wants a number, and 'name' is string, at character 1/],
    ['select=avg(tags)', 'query.bad_value select', /avg wants a number, and 'tags' is a list of string/],
    ['select=min(photo)', 'query.bad_value select', /min wants a value that has an order, and 'photo' is binary/],
    ['select=max(meta)', 'query.bad_value select', /max wants/],
    ['select=sum()', 'filter.syntax select', /expected a parameter at character 5/],
    ['select=sum(people', 'filter.syntax select', /expected ',' or '\)' at character 11/],
    ['select=sum(people,eq(open,maybe))', 'filter.bad_value select', /select: 'open' wants/],
    ['select=count()&select=count(open)&select=count()', 'query.bad_value select', /two fields are named 'count'/],
    [
      'select=Total:count()',
      'filter.syntax select',
      /a name of lower-case letters, digits and _ before the colon at character 1/,
    ],
    ['group=nope', 'parameter.unknown group', /no parameter 'nope'/],
    ['group=hour(founded)', 'query.bad_value group', /hour wants a datetime, and 'founded' is date/],
    ['group=year(name)', 'query.bad_value group', /year wants a date or datetime/],
    ['group=each(name)', 'query.bad_value group', /each wants a list of values/],
    ['group=bucket(people)', 'filter.syntax group', /expected ','/],
    ['group=bucket(people,0)', 'filter.syntax group', /a number above zero at character 15/],
    ['group=bucket(name,5)', 'query.bad_value group', /bucket wants a number/],
    ['group=land&having=eq(city,x)', 'filter.unknown_parameter having', /no parameter 'city' in the answer/],
    ['group=land&having=eq(land', 'filter.syntax having', /having: expected/],
    ['group=land&order=people;asc', 'parameter.unknown order', /no parameter 'people' in the answer/],
    ['group=tags&order=tags;asc', 'query.bad_value order', /'tags' is a list of \w+, which has no order/],
    [
      'group=land&timezone=Mars',
      'query.bad_value timezone',
      /the name of a time zone such as Europe\/Rome, got 'Mars'/,
    ],
    // PostgreSQL lacks some names that Node has.
    ['group=year(seen)&timezone=AGT', 'query.bad_value timezone', /time zone/],
    ['group=land&timezone=%2B02:00', 'query.bad_value timezone', /time zone/],
    ['group=land&offset=9990&limit=11', 'query.bad_value offset', /together are at most 10000/],
    ['group=land&limit=1001', 'query.bad_value limit', /0 to 1000/],
    ['group=land&include=name', 'query.unknown include', /No query parameter 'include'/],
    [
      `select=${Array.from({ length: 51 }, (_, at) => `n${at}:count()`).join()}`,
      'query.bad_value select',
      /at most 50 fields/,
    ],
    [
      `select=${Array.from({ length: 11 }, (_, at) => `n${at}:count_distinct(name)`).join()}`,
      'query.too_large select',
      /at most 10 count_distinct/,
    ],
  ])('%s', async (query, message, text) => {
    const { status, body } = await project.get(`/city/aggregate?${query}`);
    const [first] = body.messages;
    expect([status, `${first?.code} ${first?.parameter}`, first?.text]).toEqual([
      400,
      message,
      expect.stringMatching(text),
    ]);
  });

  it('is answered with all faults at once', async () => {
    const { body } = await project.get(
      '/city/aggregate?select=sum(name),avg(nope)&group=each(people)&having=eq(&filter=eq(x,1)',
    );
    expect(body.messages.map(({ code, parameter }) => `${code} ${parameter}`).sort()).toEqual(
      [
        'filter.syntax having',
        'filter.unknown_parameter x',
        'parameter.unknown select',
        'query.bad_value group',
        'query.bad_value select',
      ].sort(),
    );
  });

  it('is answered with the faults of `having` and `order` beside others', async () => {
    const { body } = await project.get('/city/aggregate?select=count()&having=gt(x,1)&order=y&filter=eq(z,1)');
    expect(body.messages.map(({ code, parameter }) => `${code} ${parameter}`)).toEqual([
      'filter.unknown_parameter z',
      'filter.unknown_parameter having',
      'parameter.unknown order',
    ]);
  });

  it('is answered with one message for a fault that all kinds of a group have', async () => {
    const { body } = await project.get('/group/parameter/aggregate?select=sum(nope)&filter=eq(nope,1)');
    expect(body.messages.map(({ code, parameter }) => `${code} ${parameter}`)).toEqual([
      'filter.unknown_parameter nope',
      'parameter.unknown select',
    ]);
  });
});

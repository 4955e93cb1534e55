/** Comparisons of two parameters, `near` and `distance`. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { scenarios, type Scenario } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const member = await asMember(project);
await defineKinds(
  project,
  {
    id: 'place',
    parameters: [
      { id: 'name', kind_id: 'string' },
      { id: 'latitude', kind_id: 'float', indexed: true },
      { id: 'longitude', kind_id: 'float' },
      { id: 'lat_decimal', kind_id: 'decimal' },
      { id: 'lon_decimal', kind_id: 'decimal' },
      { id: 'height', kind_id: 'integer' },
      { id: 'depth', kind_id: 'integer', read_access: 'admin' },
    ],
  },
  {
    id: 'trip',
    parameters: [
      'name',
      { id: 'departure', kind_id: 'datetime' },
      { id: 'arrival', kind_id: 'datetime' },
      { id: 'day', kind_id: 'date' },
      { id: 'alias', kind_id: 'string' },
      { id: 'note', kind_id: 'text' },
      { id: 'seats', kind_id: 'integer' },
      { id: 'fare', kind_id: 'decimal' },
      { id: 'weight', kind_id: 'float' },
      { id: 'tags', kind_id: 'string', multiple: true },
      { id: 'labels', kind_id: 'string', multiple: true },
      { id: 'meta', kind_id: 'json' },
      { id: 'start', kind_id: 'unit', reference_kind: 'place' },
      { id: 'goal', kind_id: 'unit', reference_kind: 'place' },
      { id: 'before', kind_id: 'unit', reference_kind: 'trip', on_delete: 'set_null' },
      { id: 'hidden_fare', kind_id: 'decimal', hidden: true },
      { id: 'open', kind_id: 'boolean' },
    ],
  },
);
const places: Record<string, string> = {};
for (const [name, latitude, longitude, height] of [
  ['rome', 41.9, 12.5, 21],
  ['milan', 45.46, 9.19, 120],
  ['suva', -18.14, 178.44, 5],
  ['apia', -13.83, -171.77, 2],
  ['pole', 90, 0, null],
  ['nowhere', null, null, null],
  ['far', 400, 12.5, null],
] as const) {
  const decimal = (value: number | null) => (value === null ? null : String(value));
  places[name] = await createdId(
    project.post('/place/unit', {
      name,
      latitude,
      longitude,
      lat_decimal: decimal(latitude),
      lon_decimal: decimal(longitude),
      height,
    }),
  );
}
const first = await createdId(
  project.post('/trip/unit', {
    name: 'a',
    alias: 'a',
    departure: '2024-01-01T10:00:00Z',
    arrival: '2024-01-01T09:00:00Z',
    seats: 3,
    fare: '3.00',
    weight: 3.5,
    tags: ['x'],
    labels: ['x'],
    meta: { a: 'q', b: 'q' },
    start: places['rome'],
    goal: places['milan'],
  }),
);
await ok(
  project.post('/trip/unit', [
    {
      name: 'b',
      alias: 'c',
      departure: '2024-01-01T10:00:00Z',
      arrival: '2024-01-01T12:00:00Z',
      seats: 2,
      fare: '0.1',
      weight: 0.1,
      tags: ['x'],
      labels: ['y'],
      meta: { a: 'q' },
      start: places['milan'],
      goal: places['milan'],
      before: first,
    },
    { name: 'c' },
  ]),
);
const named = async (query: string, kind = 'trip') => {
  const { items } = (await ok(project.get(`/${kind}/unit?include=name&${query}`))) as { items: { name: string }[] };
  return items.map(({ name }) => name).join(' ');
};

describe('two parameters', () => {
  it.each([
    ['gt_field(departure,arrival)', 'a'],
    ['lt_field(departure,arrival)', 'b'],
    ['not(gt_field(departure,arrival))', 'b c'],
    ['eq_field(name,alias)', 'a'],
    ['ne_field(name,alias)', 'b c'],
    ['not(ne_field(name,alias))', 'a'],
    ['lt_field(name,alias)', 'b'],
    ['lte_field( name , alias )', 'a b'],
    ['eq_field(seats,fare)', 'a'],
    ['gte_field(seats,fare)', 'a b'],
    ['gt_field(weight,fare)', 'a'],
    ['eq_field(fare,weight)', 'b'],
    ['lt_field(weight,seats)', 'b'],
    ['eq_field(tags,labels)', 'a'],
    ['ne_field(tags,labels)', 'b c'],
    ['eq_field(meta.a,meta.b)', 'a'],
    ['eq_field(start,goal)', 'b'],
    ['eq_field(start.id,goal)', 'b'],
    ['eq_field(before,id)', ''],
    ['ne_field(before,id)', 'a b c'],
    ['lt_field(start.height,goal.height)', 'a'],
    ['gt_field(goal.height,seats)', 'a b'],
    ['gt_field(before.departure,arrival)', ''],
    ['eq_field(before.departure,departure)', 'b'],
    ['gt_field(count_related(trip.before),seats)', ''],
    ['lt_field(count_related(trip.before),seats)', 'a b'],
    ['and(gt_field(departure,arrival),eq(name,a))', 'a'],
    ['exists(trip.before,gt_field(arrival,departure))', 'a'],
    ['exists(trip.before,gt_field(departure,arrival))', ''],
  ])('%s', async (filter, expected) => {
    expect(await named(`filter=${encodeURIComponent(filter)}`)).toBe(expected);
  });

  it('are compared in filters of aggregations and groups too', async () => {
    const query = 'group=name&select=[n:count(gt_field(departure,arrival)),low:min(seats),high:max(weight)]';
    const having = 'having=gt_field(high,low)';
    const { items } = (await ok(project.get(`/trip/aggregate?${query}&${having}`))) as { items: unknown[] };
    expect(items).toEqual([{ name: 'a', n: 1, low: 3, high: 3.5 }]);
  });

  const refused = (filter: string, code: string, text: string, as: 'admin' | 'member' = 'admin', status = 400) =>
    ({
      name: filter,
      as,
      request: `GET /trip/unit?filter=${encodeURIComponent(filter)}`,
      expect: { status, code, text },
    }) as Scenario<'admin' | 'member'>;
  scenarios({ admin: project, member }, [
    refused('gt_field(departure)', 'filter.syntax', "expected ',' at character 19"),
    refused('gt_field(departure,arrival,day)', 'filter.syntax', "expected ')' at character 27"),
    refused('gt_field(departure,)', 'filter.syntax', 'expected a parameter at character 20'),
    refused(
      'gt_field(departure,day)',
      'filter.bad_operator',
      "gt_field compares values of one type: 'departure' is datetime, 'day' is date, at character 1",
    ),
    refused('eq_field(name,note)', 'filter.bad_operator', "'name' is string, 'note' is text"),
    refused('eq_field(name,seats)', 'filter.bad_operator', "'seats' is integer"),
    refused('lt_field(start,goal)', 'filter.bad_operator', "'start' is a reference, which has no lt_field"),
    refused(
      'eq_field(start,before)',
      'filter.bad_operator',
      "'start' is a reference, 'before' is a reference to units of another kind",
    ),
    refused('lt_field(tags,labels)', 'filter.bad_operator', "'tags' is a list of string, which has no lt_field"),
    refused('eq_field(tags,name)', 'filter.bad_operator', "'tags' is a list of string, 'name' is string"),
    refused('lt_field(open,open)', 'filter.bad_operator', 'has no lt_field'),
    refused('gt_field(departure,arival)', 'filter.unknown_parameter', "did you mean 'arrival'?"),
    refused('eq_field(hidden_fare,fare)', 'filter.unknown_parameter', "'hidden_fare'", 'member'),
    refused('eq_field(seats,start.depth)', 'access.denied', "'depth' of 'place'", 'member', 403),
    refused('gt_feld(departure,arrival)', 'filter.unknown_operator', "did you mean 'gt_field'?"),
  ]);
});

describe('near', () => {
  it.each([
    ['near(latitude,longitude,41.9,12.5,50)', 'rome'],
    ['near(latitude,longitude,41.9,12.5,0.001)', 'rome'],
    ['near(latitude,longitude,"41.9","12.5","600")', 'rome milan'],
    ['near(lat_decimal,lon_decimal,41.9,12.5,600)', 'rome milan'],
    ['near(latitude,longitude,-16,-180,1300)', 'suva apia'],
    ['near(latitude,longitude,-16,180,1300)', 'suva apia'],
    ['near(latitude,longitude,90,-90,10)', 'pole'],
    ['near(latitude,longitude,0,0,30000)', 'rome milan suva apia pole'],
    ['not(near(latitude,longitude,0,0,30000))', 'nowhere far'],
    ['near(height,height,21,21,1)', 'rome'],
  ])('%s', async (filter, expected) => {
    expect(await named(`filter=${encodeURIComponent(filter)}`, 'place')).toBe(expected);
  });

  it('works over references', async () => {
    expect(await named('filter=near(start.latitude,start.longitude,41.9,12.5,50)')).toBe('a');
  });

  it('orders by distance, nulls last, with pages and cursors', async () => {
    const order = 'order=distance(latitude,longitude,41.9,12.5);asc';
    const all = 'rome milan pole apia suva nowhere far';
    expect(await named(order, 'place')).toBe(all);
    expect(await named('order=distance(lat_decimal,lon_decimal,41.9,12.5)', 'place')).toBe(all);
    expect(await named('order=-distance(latitude,longitude,41.9,12.5)&limit=3', 'place')).toBe('nowhere far suva');
    expect(await named('order=distance(start.latitude,start.longitude,45,9)')).toBe('b a c');
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = (await ok(project.get(`/place/unit?${order}&limit=2&cursor=${cursor}`))) as {
        items: { name: string }[];
        next: string | null;
      };
      seen.push(...page.items.map(({ name }) => name));
      cursor = page.next;
    }
    expect(seen.join(' ')).toBe(all);
    await ok(project.post('/group/unit', { id: 'everything', kind_list: ['place', 'trip'] }));
    const { items } = (await ok(project.get(`/group/everything/unit?${order}&include=name&limit=2`))) as {
      items: unknown[];
    };
    expect(items).toEqual([{ name: 'rome' }, { name: 'milan' }]);
  });

  it('does not take a cursor of another point', async () => {
    const { next } = (await ok(project.get('/place/unit?order=distance(latitude,longitude,1,2)&limit=1&cursor='))) as {
      next: string;
    };
    const other = `/place/unit?order=distance(latitude,longitude,1,3)&limit=1&cursor=${next}`;
    expect((await project.get(other)).status).toBe(400);
  });

  const bad = (query: string, code: string, text: string, as: 'admin' | 'member' = 'admin') =>
    ({ name: query, as, request: `GET /place/unit?${query}`, expect: { status: 400, code, text } }) as Scenario<
      'admin' | 'member'
    >;
  scenarios({ admin: project, member }, [
    bad(
      'filter=near(latitude,longitude,91,0,5)',
      'filter.bad_value',
      "a latitude from -90 to 90, got '91', at character 25",
    ),
    bad('filter=near(latitude,longitude,0,-180.5,5)', 'filter.bad_value', 'a longitude from -180 to 180'),
    bad('filter=near(latitude,longitude,0,0,0)', 'filter.bad_value', 'a radius in kilometres above zero'),
    bad('filter=near(latitude,longitude,0,0,-1)', 'filter.bad_value', 'a radius in kilometres above zero'),
    bad('filter=near(latitude,longitude,x,0,1)', 'filter.bad_value', "got 'x'"),
    bad('filter=near(latitude,longitude,0,0)', 'filter.syntax', "expected ','"),
    bad('filter=near(latitude,longitude,0,0,)', 'filter.syntax', 'expected a number'),
    bad('filter=near(name,longitude,0,0,1)', 'filter.bad_operator', "near wants numbers, and 'name' is string"),
    bad('filter=near(latitude,depth,0,0,1)', 'filter.unknown_parameter', "'depth'", 'member'),
    bad('order=distance(latitude,longitude,91,0)', 'query.bad_value', 'order: distance wants a latitude'),
    bad('order=distance(latitude,longitude)', 'query.bad_value', "order: expected ','"),
    bad('order=distance(latitude,nope,1,2)', 'parameter.unknown', "order: no parameter 'nope'"),
  ]);
});

it('a rule compares two parameters, and goes to nobody with one of them', async () => {
  await defineKinds(project, {
    id: 'guarded',
    access: { read: 'and(gt_field(high,low),near(high,low,10,10,20000))' },
    parameters: [
      { id: 'high', kind_id: 'integer' },
      { id: 'low', kind_id: 'float' },
    ],
  });
  await ok(project.post('/guarded/unit', [{ high: 2, low: 1 }, { high: 1, low: 2 }, { high: 1 }]));
  expect(await ok(member.get('/guarded/unit'))).toMatchObject({ count: 1, items: [{ high: 2, low: 1 }] });
  await ok(project.delete('/kind/unit/guarded/link/parameter/float/unit/low?cascade=true'));
  expect(await ok(project.get('/kind/unit/guarded'))).toMatchObject({ access: { read: 'nobody' } });
});

it('an address of 32 KiB is taken', async () => {
  const start = `/place/unit?filter=${encodeURIComponent('eq(name,rome)')}&`;
  const name = 'include[]=name&';
  const address = start + name.repeat(Math.floor((32 * 1024 - start.length) / name.length));
  expect(address.length).toBeGreaterThan(32 * 1024 - name.length);
  expect(await ok(project.get(address))).toMatchObject({ items: [{ name: 'rome' }] });
});

/** `link.` in filters along links: the values of the link itself, in lists, groups, walks, aggregations and orders. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const member = await asMember(project);
await defineKinds(
  project,
  {
    id: 'city',
    parameters: [
      { id: 'name', kind_id: 'string' },
      { id: 'size', kind_id: 'integer' },
    ],
  },
  // A parameter with the name that leads to the values of links.
  {
    id: 'port',
    parameters: [{ id: 'code', kind_id: 'integer', is_primary: true }, 'name', { id: 'link', kind_id: 'json' }],
  },
  { id: 'base', access: { read: 'admin' }, parameters: ['name'] },
);
await ok(
  project.post('/link/unit', {
    id: 'road',
    parameters: [
      { id: 'weight', kind_id: 'integer' },
      { id: 'tags', kind_id: 'string', multiple: true },
      { id: 'note', kind_id: 'json' },
      { id: 'cost', kind_id: 'integer', read_access: 'admin' },
      { id: 'secret', kind_id: 'integer', hidden: true },
      'name',
    ],
  }),
);
await ok(project.post('/link/unit', { id: 'plain' }));
await ok(project.post('/group/unit', { id: 'places', kind_list: ['city', 'port'] }));
const ids = new Map<string, string>();
for (const [name, size] of [
  ['rome', 3],
  ['paris', 2],
  ['lyon', null],
] as const) {
  ids.set(name, `city/unit/${await createdId(project.post('/city/unit', { name, size }))}`);
}
await ok(project.post('/port/unit', { code: 7, name: 'ostia', link: { color: 'red' } }));
ids.set('ostia', 'port/unit/7');
ids.set('camp', `base/unit/${await createdId(project.post('/base/unit', { name: 'camp' }))}`);
const link = async (from: string, to: string, values: object, type = 'road') =>
  await ok(project.post(`/${ids.get(from)}/link/${type}/${ids.get(to)}`, values));
await link('rome', 'paris', { weight: 5, tags: ['toll'], note: { by: 'ann' }, name: 'A1', cost: 1, secret: 1 });
await link('rome', 'ostia', { weight: 2, name: 'ostia' });
await link('paris', 'lyon', { weight: 1 });
await link('lyon', 'ostia', {});
await link('paris', 'camp', { weight: 9 });
await link('lyon', 'rome', {}, 'plain');

const named = async (filter: string, path = '/city/unit', by = project): Promise<string> => {
  const content = await ok(by.get(`${path}?order=name&filter=${encodeURIComponent(filter)}`));
  const { count, items } = content as { count: number; items: { name: string }[] };
  expect(count).toBe(items.length);
  return items.map(({ name }) => name).join(' ');
};
const fault = async (filter: string, by = project): Promise<string> => {
  const { status, body } = await by.get(`/city/unit?filter=${encodeURIComponent(filter)}`);
  return [status, ...body.messages.map(({ code, text }) => `${code}: ${text}`)].join(' ');
};

describe('the values of a link', () => {
  it.each([
    ['linked(road,child,gt(link.weight,3))', 'paris rome'],
    ['linked(road,child,city,gt(link.weight,3))', 'rome'],
    ['linked(road,child,[city,port],lt(link.weight,3))', 'paris rome'],
    ['linked(road,parent,gt(link.weight,3))', 'paris'],
    ['linked(road,child,isnull(link.weight))', 'lyon'],
    ['linked(road,child,not(gt(link.weight,1)))', 'lyon paris'],
    ['not(linked(road,child,gt(link.weight,1)))', 'lyon'],
    // With conditions of the unit, in any combination.
    ['linked(road,child,and(gt(link.weight,3),eq(name,paris)))', 'rome'],
    ['linked(road,child,and(gt(link.weight,3),eq(name,ostia)))', ''],
    ['linked(road,child,or(gt(link.weight,8),eq(name,ostia)))', 'lyon paris rome'],
    ['linked(road,child,city,or(gt(link.weight,8),isnull(size)))', 'paris'],
    ['linked(road,child,or(gt(link.weight,8),eq(size,2)))', 'paris rome'],
    ['linked(road,child,gt_field(link.weight,size))', 'rome'],
    ['linked(road,child,eq_field(link.name,name))', 'rome'],
    ['linked(road,child,near(link.weight,link.weight,5,5,1))', 'rome'],
    ['linked(road,child,contains(link.tags,toll))', 'rome'],
    ['linked(road,child,eq(link.note.by,ann))', 'rome'],
    ['linked(road,child,eq(link.cost,1))', 'rome'],
    ['linked(road,child,gt(link.inserted_at,2020-01-01))', 'lyon paris rome'],
    ['linked(plain,child,lt(link.inserted_at,2020-01-01))', ''],
    ['linked(road,child,eq(link.child_id,7))', 'lyon rome'],
    // Inside one another, each leads to its own link.
    ['linked(road,child,and(gt(link.weight,3),linked(road,child,eq(link.weight,1))))', 'rome'],
    ['linked(road,child,linked(road,parent,eq(link.weight,2)))', 'lyon rome'],
    ['eq(count_linked(road,child,gt(link.weight,1)),2)', 'rome'],
    // A parameter of the unit that is called `link`.
    ['linked(road,child,isnull(link,false))', 'lyon rome'],
    ['linked(road,child,port,and(isnull(link,false),gt(link.weight,1)))', 'rome'],
  ])('%s', async (filter, names) => {
    expect(await named(filter)).toBe(names);
  });

  it('count for units that the caller may read, and of values that it may read', async () => {
    expect(await named('linked(road,child,gt(link.weight,3))', '/city/unit', member)).toBe('rome');
    expect(await named('linked(road,child,or(gt(link.weight,3),eq(name,nowhere)))', '/city/unit', member)).toBe('rome');
    expect(await fault('linked(road,child,eq(link.cost,1))', member)).toBe(
      "403 access.denied: You may not read 'cost' of 'road'",
    );
    expect(await fault('linked(road,child,eq(link.secret,1))', member)).toBe(await unknown('secret'));
    expect(await fault('linked(road,child,eq(link.secret,1))')).toBe(await unknown('secret'));
  });

  const unknown = async (name: string) =>
    (await fault(`linked(road,child,eq(link.${'x'.repeat(name.length)},1))`)).replace(/x+/, name);

  it('in groups, walks, orders, includes and aggregations', async () => {
    expect(await named('linked(road,parent,lt(link.weight,3))', '/group/places/unit')).toBe('lyon ostia');
    expect(await named('linked(road,child,gt(link.weight,3))', `/${ids.get('rome')}/link/child`)).toBe('paris');
    const heavy = 'count_linked(road,child,gt(link.weight,1))';
    const { items } = (await ok(project.get(`/city/unit?include=name,n:${heavy}&order=-${heavy},name`))) as {
      items: unknown[];
    };
    expect(items).toEqual([
      { name: 'rome', n: 2 },
      { name: 'paris', n: 1 },
      { name: 'lyon', n: 0 },
    ]);
    expect(await ok(project.get(`/city/aggregate?select=n:sum(${heavy})`))).toEqual({ count: 1, items: [{ n: 3 }] });
    expect(await ok(project.get(`/group/places/aggregate?group=kind_id&select=n:sum(${heavy})`))).toEqual({
      count: 2,
      items: [
        { kind_id: 'city', n: 3 },
        { kind_id: 'port', n: 0 },
      ],
    });
  });

  it.each([
    [
      'linked(road,child,gt(link.wight,3))',
      "400 filter.unknown_parameter: no parameter 'wight' in links of type 'road' (did you mean 'weight'?), at character 22",
    ],
    [
      'linked(plain,child,gt(link.weight,3))',
      "400 filter.unknown_parameter: no parameter 'weight' in links of type 'plain', at character 23",
    ],
    [
      'linked(road,child,gt(link.weight,many))',
      "400 filter.bad_value: 'weight' wants a whole number within ±9007199254740991 (integer), at character 34",
    ],
    [
      'linked(road,child,contains(link.weight,3))',
      "400 filter.bad_operator: 'weight' is integer, which has no contains, at character 19; it has eq, ne, lt, lte, gt, ge, gte, get, in, isnull",
    ],
    [
      'linked(road,child,gt(link.weight.more,3))',
      "400 filter.unknown_parameter: 'link.weight' leads no further: only the keys of a json parameter do, at character 22",
    ],
    ['gt(link.weight,3)', "400 filter.unknown_parameter: no parameter 'link' in 'city', at character 4"],
    [
      'linked(road,child,exists(city.name,gt(link.weight,3)))',
      "400 filter.unknown_parameter: 'city.name' is no reference, at character 26",
    ],
  ])('are refused where they make no sense: %s', async (filter, text) => {
    expect(await fault(filter)).toBe(text);
  });
});

/** Filters along links: `linked` and `count_linked`, with kinds or without, in lists, groups and walks. */
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
    id: 'country',
    parameters: [
      { id: 'name', kind_id: 'string' },
      { id: 'area', kind_id: 'integer' },
    ],
  },
  // An id that is no UUID, so that ids in links are of different types.
  {
    id: 'sea',
    parameters: [{ id: 'code', kind_id: 'integer', is_primary: true }, 'name', { id: 'depth', kind_id: 'integer' }],
  },
  { id: 'city', parameters: ['name', { id: 'country', kind_id: 'unit', reference_kind: 'country' }] },
  { id: 'secret', access: { read: 'admin' }, parameters: ['name'] },
  { id: 'asleep', parameters: ['name'] },
);
await ok(project.post('/link/unit', { id: 'borders', label: 'Borders' }));
await ok(project.post('/link/unit', { id: 'owns', label: 'Owns' }));
await ok(project.post('/group/unit', { id: 'places', label: 'Places', kind_list: ['country', 'city', 'sea'] }));
const make = async (kind: string, body: object): Promise<string> =>
  await createdId(project.post(`/${kind}/unit`, body));
const link = async (type: string, parentKind: string, parent: string, childKind: string, child: string) =>
  await ok(project.post(`/${parentKind}/unit/${parent}/link/${type}/${childKind}/unit/${child}`));

const italy = await make('country', { name: 'Italy', area: 300 });
const france = await make('country', { name: 'France', area: 600 });
const malta = await make('country', { name: 'Malta', area: 1 });
await make('country', { name: 'Nowhere' });
await ok(project.post('/sea/unit', { code: 7, name: 'Tyrrhenian', depth: 3000 }));
const rome = await make('city', { name: 'Rome', country: italy });
const paris = await make('city', { name: 'Paris', country: france });
const hidden = await make('secret', { name: 'base' });
const asleep = await make('asleep', { name: 'Z' });
await link('borders', 'country', italy, 'country', france);
await link('borders', 'country', italy, 'sea', '7');
await link('borders', 'country', france, 'sea', '7');
await link('owns', 'country', italy, 'city', rome);
await link('owns', 'country', france, 'city', paris);
await link('owns', 'country', malta, 'secret', hidden);
await link('owns', 'country', france, 'asleep', asleep);
await ok(project.put('/kind/unit/asleep', { active: false }));

const named = async (filter: string, path = '/country/unit', by = project): Promise<string> => {
  const content = await ok(by.get(`${path}?filter=${encodeURIComponent(filter)}`));
  const { count, items } = content as { count: number; items: { name: string }[] };
  expect(count).toBe(items.length);
  return items.map(({ name }) => name).join(' ');
};
const fault = async (filter: string, by = project, path = '/country/unit'): Promise<string> => {
  const { status, body } = await by.get(`${path}?filter=${encodeURIComponent(filter)}`);
  return [status, ...body.messages.map(({ code, text }) => `${code}: ${text}`)].join(' ');
};

describe('a linked unit exists', () => {
  it.each([
    ['linked(borders,child)', 'Italy France'],
    ['linked(borders,parent)', 'France'],
    ['not(linked(borders,child))', 'Malta Nowhere'],
    ['linked(borders,child,country)', 'Italy'],
    ['linked(borders,child,sea)', 'Italy France'],
    ['linked(borders,child,[country,city])', 'Italy'],
    ['linked(borders,child,country,gt(area,500))', 'Italy'],
    ['linked(borders,child,country,gt(area,1000))', ''],
    ['linked(borders,child,eq(name,Tyrrhenian))', 'Italy France'],
    ['linked(borders,child,[country,sea],eq(name,France))', 'Italy'],
    // The parameter of one kind alone is null in units of the others.
    ['linked(borders,child,gt(depth,1000))', 'Italy France'],
    ['linked(borders,child,isnull(depth))', 'Italy'],
    ['linked(borders,child,sea,eq(id,7))', 'Italy France'],
    ['linked(borders,child,eq(id,7))', 'Italy France'],
    [`linked(borders,child,eq(id,${france}))`, 'Italy'],
    [`linked(borders,child,country,eq(id,${france}))`, 'Italy'],
    ['linked(owns,child,city,eq(country.name,France))', 'France'],
    ['linked(owns,child,linked(owns,parent,country,eq(name,Italy)))', 'Italy'],
    ['linked(borders,child,country,linked(owns,child))', 'Italy'],
    ['linked(borders,child,country,exists(city.country,eq(name,Paris)))', 'Italy'],
    ['exists(city.country,linked(owns,parent,country,eq(name,France)))', 'France'],
    ['eq(count_linked(borders,child),2)', 'Italy'],
    ['eq(count_linked(borders,child,[country,sea],gt(depth,1)),1)', 'Italy France'],
    ['eq(count_linked(owns,child,[secret]),1)', 'Malta'],
    // Units of inactive kinds are not reached.
    ['gt(count_linked(owns,child),1)', ''],
    ['linked(owns,child,secret)', 'Malta'],
  ])('%s', async (filter, names) => {
    expect(await named(filter)).toBe(names);
  });

  it('for whoever may read it', async () => {
    expect(await named('linked(owns,child)', '/country/unit', member)).toBe('Italy France');
    expect(await named('linked(owns,child,eq(name,base))')).toBe('Malta');
    expect(await named('linked(owns,child,eq(name,base))', '/country/unit', member)).toBe('');
    expect(await fault('linked(owns,child,secret)', member)).toBe(
      "403 access.denied: 'secret': You may not read units of 'secret', at character 8",
    );
    await ok(project.put('/kind/unit/city', { access: { read: 'eq(name,Rome)' } }));
    expect(await named('linked(owns,child)', '/country/unit', member)).toBe('Italy');
    expect(await named('linked(owns,child,city)', '/country/unit', member)).toBe('Italy');
    expect(await named('not(linked(owns,child,isnull(area)))', '/country/unit', member)).toBe('France Malta Nowhere');
    await ok(project.put('/kind/unit/city', { access: {} }));
  });

  it('in groups, where other kinds have none', async () => {
    expect(await named('linked(borders,parent)', '/group/places/unit')).toBe('France Tyrrhenian');
    expect(await named('exists(city.country)', '/group/places/unit')).toBe('Italy France');
    const without = await named('eq(count_related(city.country),0)', '/group/places/unit');
    expect(without.split(' ').sort()).toEqual(['Malta', 'Nowhere', 'Paris', 'Rome', 'Tyrrhenian']);
    const { items } = (await ok(
      project.get(
        '/group/places/unit?include=name,n:count_linked(borders,child),a:related(city.country)&order=-count_linked(borders,child),name',
      ),
    )) as { items: { name: string; n: number; a: { name: string }[] }[] };
    expect(items.map(({ name, n, a }) => `${name} ${n} ${a.map((each) => each.name).join()}`)).toEqual([
      'Italy 2 Rome',
      'France 1 Paris',
      'Malta 0 ',
      'Nowhere 0 ',
      'Paris 0 ',
      'Rome 0 ',
      'Tyrrhenian 0 ',
    ]);
    expect(await fault('exists(city.name)', project, '/group/places/unit')).toBe(
      "400 filter.unknown_parameter: 'city.name' is no reference, at character 8",
    );
    const { items: groups } = (await ok(
      project.get('/group/places/aggregate?group=kind_id&select=sum(count_linked(borders,child))'),
    )) as { items: unknown[] };
    expect(groups).toEqual([
      { kind_id: 'city', sum_count_linked_borders_child: 0 },
      { kind_id: 'country', sum_count_linked_borders_child: 3 },
      { kind_id: 'sea', sum_count_linked_borders_child: 0 },
    ]);
  });

  it('in walks', async () => {
    const walk = `/country/unit/${italy}/link/child`;
    expect(await named('linked(owns,child)', walk)).toBe('France');
    expect(await named('exists(city.country)', walk)).toBe('France');
    expect(await named('linked(borders,parent,eq(name,France))', walk)).toBe('Tyrrhenian');
    const { items } = (await ok(
      project.get(`${walk}?include=name,n:count_linked(borders,parent)&order=-count_linked(borders,parent),name`),
    )) as { items: { name: string; n: number }[] };
    expect(items.map(({ name, n }) => `${name} ${n}`)).toEqual(['Tyrrhenian 2', 'France 1', 'Rome 0']);
  });

  it.each([
    [
      'linked(border,child)',
      "400 filter.unknown_parameter: no link type 'border' (did you mean 'borders'?), at character 8",
    ],
    ['linked(borders,up)', '400 filter.syntax: expected parent or child at character 16'],
    ['linked(borders)', "400 filter.syntax: expected ',' at character 15"],
    ['linked(borders,child,[])', '400 filter.syntax: expected a kind at character 23'],
    [
      'linked(borders,child,nothing)',
      "400 filter.unknown_parameter: no kind 'nothing' in this project, at character 8",
    ],
    ['linked(borders,child,string)', "400 filter.unknown_parameter: units of 'string' have no links, at character 8"],
    [
      'linked(borders,child,eq(nam,x))',
      "400 filter.unknown_parameter: no parameter 'nam' in any of these kinds (did you mean 'name'?), at character 25",
    ],
    [
      'linked(borders,child,country,eq(depth,1))',
      "400 filter.unknown_parameter: no parameter 'depth' in 'country', at character 33",
    ],
    ['linked(owns,child,asleep)', "403 kind.inactive: The kind 'asleep' is inactive"],
  ])('or it is refused: %s', async (filter, text) => {
    expect(await fault(filter)).toBe(text);
  });
});

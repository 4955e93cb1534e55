/** What `load_links` adds, by link type, kind, direction and the fields of the linked units, and what it refuses. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds, documented } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { scenarios } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const root = await service.project();
const member = await asMember(root);

const text = (id: string, more: object = {}) => ({ id, kind_id: 'string', ...more });
await defineKinds(
  root,
  {
    id: 'place',
    public: true,
    parameters: [
      text('code', { is_primary: true }),
      text('name'),
      text('note', { read_access: 'admin' }),
      { id: 'home', kind_id: 'unit', reference_kind: 'place' },
    ],
  },
  { id: 'trip', public: true, parameters: ['code', { id: 'days', kind_id: 'integer' }, text('link')] },
  { id: 'sealed', parameters: ['code', text('secret_name')], access: { read: 'admin' } },
  { id: 'idle', parameters: ['code'] },
  { id: 'apart', public: true, parameters: ['code', text('apart_name')] },
);
await ok(root.post('/link/unit', { id: 'road', parameters: [{ id: 'km', kind_id: 'integer' }] }));
await ok(root.put('/kind/unit/idle', { active: false }));
await ok(
  root.post('/place/unit', [
    ...['a', 'b'].map((code) => ({ code, name: code.toUpperCase(), note: 'n' })),
    { code: 'c', name: 'C', home: 'a' },
  ]),
);
await ok(root.post('/trip/unit', [{ code: 't', days: 3, link: 'x' }]));
await ok(root.post('/sealed/unit', { code: 's' }));
for (const [from, type, to, values] of [
  ['place/unit/a', 'link', 'place/unit/b'],
  ['place/unit/a', 'road', 'place/unit/b', { km: 5 }],
  ['place/unit/a', 'road', 'trip/unit/t', { km: 7 }],
  ['place/unit/a', 'link', 'sealed/unit/s'],
  ['trip/unit/t', 'link', 'place/unit/c'],
  ['place/unit/c', 'road', 'place/unit/a', { km: 9 }],
] as const) {
  await ok(root.post(`/${from}/link/${type}/${to}`, values));
}
await ok(root.post('/group/unit', { id: 'all', kind_list: ['place', 'trip'] }));
const { admin, ann, nobody } = await documented({ admin: root, ann: member, nobody: anonymous(root) });

interface Linked {
  readonly id: string;
  readonly kind_id: string;
  readonly link: { readonly link_id: string };
}
type Links = Readonly<Record<string, readonly Linked[]>>;

const linksOf = async (as: typeof admin, path: string): Promise<Record<string, string[]>> => {
  const { links } = (await ok(as.get(path))) as { links: Links };
  return Object.fromEntries(
    Object.entries(links).map(([direction, units]) => [
      direction,
      units.map(({ kind_id, id, link }) => `${link.link_id} ${kind_id}/${id}`),
    ]),
  );
};
const ofA = '/place/unit/a?load_links=true';

describe('load_links=true', () => {
  it('follows the links of some types', async () => {
    expect(await linksOf(ann, `${ofA}&link_id=road`)).toEqual({
      parent: ['road place/c'],
      child: ['road place/b', 'road trip/t'],
    });
    expect(await linksOf(ann, `${ofA}&link_id=[road,link]`)).toEqual(await linksOf(ann, ofA));
    expect(await linksOf(ann, `${ofA}&link_id=link&depth=3`)).toEqual({ parent: [], child: ['link place/b'] });
    expect(await ok(ann.get(`${ofA}&link_id=road&direction=child`))).toMatchObject({
      links: { child: [{ link: { km: 5 } }, { link: { km: 7 } }] },
    });
  });

  it('shows units of some kinds, and follows links through others', async () => {
    expect(await linksOf(ann, `${ofA}&kind_id=trip`)).toEqual({ parent: [], child: ['road trip/t'] });
    expect(await linksOf(ann, `${ofA}&kind_id=place&depth=2`)).toEqual({
      parent: ['road place/c'],
      child: ['link place/b', 'link place/c'],
    });
    expect(await linksOf(ann, `${ofA}&kind_id=trip&depth=2`)).toEqual({
      parent: ['link trip/t'],
      child: ['road trip/t'],
    });
    expect(await linksOf(admin, `${ofA}&kind_id=[sealed,trip]&direction=child`)).toEqual({
      child: ['link sealed/s', 'road trip/t'],
    });
  });

  it('adds one direction alone', async () => {
    expect(await linksOf(ann, `${ofA}&direction=parent`)).toEqual({ parent: ['road place/c'] });
    expect(await linksOf(ann, `${ofA}&direction=child`)).toEqual({ child: ['link place/b', 'road trip/t'] });
    expect(await ok(ann.get('/group/unit/all?load_links=true&direction=child'))).toMatchObject({
      links: { child: [] },
    });
  });

  it('includes some fields of the linked units', async () => {
    const { links } = (await ok(ann.get(`${ofA}&include_linked=name,days&include=code`))) as { links: Links };
    expect(links['child']?.map((unit) => ({ ...unit, link: undefined }))).toEqual([
      { name: 'B', days: null },
      { name: null, days: 3 },
    ]);
    expect(links['child']?.[0]).toMatchObject({ link: { link_id: 'link', parent_id: 'a', child_id: 'b' } });
    const ofB = (query: string) => ok(ann.get(`/place/unit/c?load_links=true&direction=parent&${query}`));
    expect(await ofB('include_linked=link,code&include=code')).toMatchObject({ links: { parent: [{ code: 't' }] } });
    expect(await ofB('include_linked=*')).toEqual(await ofB('depth=0'));
    expect(await ok(ann.get('/place/unit/a?load_links=true&direction=parent&include_linked=home.name'))).toMatchObject({
      links: { parent: [{ 'home.name': 'A', link: { km: 9 } }] },
    });
    expect(await ok(admin.get('/place/unit/b?load_links=true&include_linked=note&direction=parent'))).toMatchObject({
      links: { parent: [{ note: 'n' }] },
    });
  });

  it('takes names of kinds that nothing is linked with', async () => {
    expect(await ok(ann.get(`${ofA}&include_linked=apart_name&direction=parent`))).toMatchObject({
      links: { parent: [{ apart_name: null }] },
    });
  });

  it('does so in lists of kinds and of groups, with one statement', async () => {
    const query = 'load_links=true&link_id=road&direction=child&kind_id=trip&include_linked=days&include=code';
    const expected = [
      { code: 'a', links: { child: [{ days: 3, link: { km: 7 } }] } },
      { code: 'b', links: { child: [] } },
      { code: 'c', links: { child: [] } },
    ];
    for (const [list, items] of [
      ['/place/unit', expected],
      ['/group/all/unit', [...expected, { code: 't', links: { child: [] } }]],
    ] as const) {
      expect(await ok(ann.get(`${list}?${query}`))).toMatchObject({ items });
      expect(await ann.statements(() => ann.get(`${list}?${query}`))).toBe(1);
    }
    expect(await ok(ann.get(`/group/all/unit/a?${query}`))).toMatchObject(expected[0] ?? {});
    expect(await ok(ann.get(`/place/by/code/a?${query}`))).toMatchObject(expected[0] ?? {});
  });
});

describe('load_links=count', () => {
  it('counts the links of some types, to units of some kinds, in one direction', async () => {
    const count = async (as: typeof admin, query: string) => {
      const { links } = (await ok(as.get(`/place/unit/a?load_links=count&${query}`))) as { links: object };
      return links;
    };
    expect(await count(ann, 'depth=0')).toEqual({ parent: { road: 1 }, child: { link: 1, road: 2 } });
    expect(await count(ann, 'link_id=road')).toEqual({ parent: { road: 1 }, child: { road: 2 } });
    expect(await count(ann, 'link_id=link,road&direction=child')).toEqual({ child: { link: 1, road: 2 } });
    expect(await count(ann, 'kind_id=trip')).toEqual({ parent: {}, child: { road: 1 } });
    expect(await count(admin, 'kind_id=sealed&direction=child')).toEqual({ child: { link: 1 } });
    expect(await ok(ann.get('/group/unit/all?load_links=count&direction=parent'))).toMatchObject({
      links: { parent: {} },
    });
  });
});

const bad = (parameter: string, message: string) => {
  return { status: 400, code: 'query.bad_value', parameter, text: message } as const;
};
describe.each(['/place/unit', '/place/unit/a', '/group/all/unit', '/group/all/unit/a'])('%s', (path) => {
  const of = (query: string) => `GET ${path}?load_links=true&${query}`;
  scenarios({ ann, nobody, admin }, [
    {
      name: 'refuses an unknown link type',
      request: of('link_id=raod'),
      expect: {
        status: 404,
        code: 'link.unknown',
        parameter: 'link_id',
        text: "link_id: no link type 'raod' (did you mean 'road'?)",
      },
    },
    {
      name: 'refuses an unknown kind',
      request: of('kind_id=tripp'),
      expect: { status: 404, code: 'kind.unknown', parameter: 'kind_id', text: `(did you mean 'trip'?)` },
    },
    {
      name: 'refuses an unknown kind and one that may not be read alike without a token',
      as: 'nobody',
      request: of('kind_id=tripp'),
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'refuses a kind that may not be read',
      request: of('kind_id=sealed'),
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'refuses an inactive kind',
      as: 'admin',
      request: of('kind_id=idle'),
      expect: { status: 403, code: 'kind.inactive' },
    },
    {
      name: 'refuses a kind of the model',
      request: of('kind_id=group'),
      expect: { status: 404, code: 'link.unknown', parameter: 'kind_id', text: "'group'" },
    },
    {
      name: 'refuses another direction',
      request: of('direction=both'),
      expect: bad('direction', `wants parent, child, got 'both'`),
    },
    {
      name: 'refuses a name that no kind has',
      request: of('include_linked=nmae'),
      expect: {
        status: 400,
        code: 'parameter.unknown',
        parameter: 'include_linked',
        text: /^include_linked: no parameter 'nmae'.*did you mean 'name'/,
      },
    },
    {
      name: 'refuses a name that may not be read as one that is not there',
      request: of('include_linked=note'),
      expect: { status: 400, code: 'parameter.unknown', parameter: 'include_linked', text: /no parameter 'note'/ },
    },
    {
      name: 'refuses a name that only kinds have which may not be read',
      request: of('include_linked=secret_name'),
      expect: { status: 400, code: 'parameter.unknown', parameter: 'include_linked' },
    },
    {
      name: 'refuses a name that none of the chosen kinds has',
      request: of('kind_id=trip&include_linked=name'),
      expect: { status: 400, code: 'parameter.unknown', parameter: 'include_linked' },
    },
    {
      name: 'refuses related units',
      request: of('include_linked=n:count_linked(road,child)'),
      expect: bad('include_linked', 'wants names and dotted paths'),
    },
    {
      name: 'refuses malformed names',
      request: of('include_linked=home.'),
      expect: { status: 400, code: 'query.bad_value', parameter: 'include_linked' },
    },
    {
      name: 'reports faults together with those of the rest of the query',
      request: of('include=nope&nest=maybe&include_linked=nmae'),
      expect: { status: 400, code: ['query.bad_value', 'parameter.unknown', 'parameter.unknown'] },
    },
    {
      name: 'refuses a kind that may not be read before an unknown link type, and that before faults of the query',
      request: of('include=nope&link_id=raod&kind_id=sealed'),
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'refuses an unknown link type before faults of the query',
      request: of('include=nope&link_id=raod'),
      expect: { status: 404, code: 'link.unknown' },
    },
    {
      name: 'refuses included fields of numbers',
      request: `GET ${path}?load_links=count&include_linked=name`,
      expect: bad('include_linked', 'only with load_links=true, not with count'),
    },
    ...['link_id=road', 'kind_id=trip', 'direction=child', 'include_linked=name'].map((query) => ({
      name: `refuses ${query} without load_links`,
      request: `GET ${path}?${query}`,
      expect: bad(query.replace(/=.*/, ''), 'only with load_links'),
    })),
  ]);
});

describe('traversals and lists of definitions', () => {
  scenarios({ ann }, [
    ...['direction=child', 'include_linked=name'].map((query) => ({
      name: `a traversal has no ${query}`,
      request: `GET /place/unit/a/link/child?load_links=true&${query}`,
      expect: { status: 400, code: 'query.unknown' } as const,
    })),
    {
      name: 'the kinds of a group have no links',
      request: 'GET /group/all/kind?load_links=true&direction=child',
      expect: { status: 400, code: 'query.unknown' },
    },
  ]);
});

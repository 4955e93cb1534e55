/** The shortest path over links between two units: what it answers, over which units, and what it refuses. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds, documented } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { scenarios } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const root = await service.project();
const member = await asMember(root);

await defineKinds(
  root,
  {
    id: 'stop',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'name', kind_id: 'string' },
      { id: 'note', kind_id: 'string', read_access: 'admin' },
    ],
  },
  { id: 'ruled', parameters: ['code'], access: { read: 'startswith(code,open)' } },
  { id: 'sealed', parameters: ['code'], access: { read: 'admin' } },
  { id: 'idle', parameters: ['code'] },
);
await ok(
  root.post('/link/unit', {
    id: 'line',
    parameters: [
      { id: 'minutes', kind_id: 'integer' },
      { id: 'cost', kind_id: 'integer', read_access: 'admin' },
    ],
  }),
);
const stops = [...'abcdefghijklmnop'].map((code) => ({ code, name: code.toUpperCase(), note: 'n' }));
await ok(root.post('/stop/unit', stops));
await ok(root.post('/ruled/unit', [{ code: 'open' }, { code: 'shut' }]));
await ok(root.post('/sealed/unit', { code: 's' }));
await ok(root.post('/idle/unit', { code: 'i' }));
const link = (from: string, type: string, to: string, values?: object) =>
  ok(root.post(`/${from.replace('/', '/unit/')}/link/${type}/${to.replace('/', '/unit/')}`, values));
// A long way in one line, a short one over units that not everybody may read, and two of the same length.
for (const [at, from] of [...'abcdefghijkl'].entries()) {
  await link(`stop/${from}`, 'line', `stop/${'bcdefghijklm'[at]}`, { minutes: at, cost: 1 });
}
await link('stop/a', 'link', 'ruled/shut');
await link('ruled/shut', 'link', 'stop/d');
await link('stop/b', 'link', 'sealed/s');
await link('sealed/s', 'link', 'stop/g');
await link('stop/a', 'link', 'idle/i');
await link('idle/i', 'link', 'stop/m');
await link('stop/n', 'link', 'stop/p');
await link('stop/n', 'link', 'stop/o');
await link('stop/o', 'line', 'ruled/open', { minutes: 2 });
await link('stop/p', 'link', 'ruled/open');
await ok(root.put('/kind/unit/idle', { active: false }));

const { admin, ann, nobody } = await documented({ admin: root, ann: member, nobody: anonymous(root) });

interface Item {
  readonly kind_id: string;
  readonly id: string;
  readonly link: { readonly link_id: string; readonly depth: number };
}
const path = '/stop/unit/a/link/path';
const to = (target: string, more = '') => {
  const [kind, id] = target.split('/');
  return `to_kind=${kind}&to_id=${id}${more}`;
};
const way = async (as: typeof admin, target: string, more?: string, from = path): Promise<string> => {
  const { count, items } = (await ok(as.get(`${from}?${to(target, more)}`))) as { count: number; items: Item[] };
  expect(items).toHaveLength(count);
  expect(items.map((item) => item.link.depth)).toEqual(items.map((_, at) => at));
  return items.map(({ kind_id, id, link: { link_id } }) => `${link_id} ${kind_id}/${id}`).join(', ');
};

describe('the shortest path', () => {
  it('has the units on the way and the target, each with the link that leads to it', async () => {
    expect(await ok(ann.get(`${path}?${to('stop/c', '&include=name')}`))).toMatchObject({
      count: 2,
      items: [
        { name: 'B', link: { link_id: 'line', parent_id: 'a', child_id: 'b', depth: 0, minutes: 0 } },
        { name: 'C', link: { link_id: 'line', parent_id: 'b', child_id: 'c', depth: 1, minutes: 1 } },
      ],
    });
    const { items } = (await ok(ann.get(`${path}?${to('stop/b')}`))) as { items: { link: object }[] };
    const known = (await ok(ann.get('/stop/unit/b'))) as object;
    expect(items).toEqual([{ ...known, link: items[0]?.link }]);
    expect(items[0]?.link).not.toHaveProperty('cost');
    expect(await ok(admin.get(`${path}?${to('stop/b')}`))).toMatchObject({ items: [{ note: 'n', link: { cost: 1 } }] });
  });

  it('leads over units alone that the caller may read', async () => {
    expect(await way(admin, 'stop/d')).toBe('link ruled/shut, link stop/d');
    expect(await way(ann, 'stop/d')).toBe('line stop/b, line stop/c, line stop/d');
    expect(await way(admin, 'stop/g')).toBe('line stop/b, link sealed/s, link stop/g');
    expect(await way(ann, 'stop/g', '&link_id=line')).toMatch(/^line stop\/b, (.*), line stop\/g$/);
  });

  it('follows the links of some types, to children or to parents', async () => {
    expect(await way(admin, 'stop/d', '&link_id=line')).toBe('line stop/b, line stop/c, line stop/d');
    expect(await way(admin, 'stop/d', '&link_id=[line,link]')).toBe('link ruled/shut, link stop/d');
    expect(await way(ann, 'stop/a', '&direction=parent', '/stop/unit/c/link/path')).toBe('line stop/b, line stop/a');
    expect(await ok(ann.get(`/stop/unit/c/link/path?${to('stop/a', '&direction=parent&include=id')}`))).toMatchObject({
      items: [{ link: { parent_id: 'b', child_id: 'c' } }, { link: { parent_id: 'a', child_id: 'b' } }],
    });
  });

  it('is empty from a unit to itself', async () => {
    expect(await ok(ann.get(`${path}?${to('stop/a')}`))).toEqual({ count: 0, items: [] });
  });

  it('ends, of several of the same length, with the link that is first by type and id', async () => {
    expect(await way(ann, 'ruled/open', '', '/stop/unit/n/link/path')).toBe('link stop/o, line ruled/open');
    expect(await way(ann, 'ruled/open', '&link_id=link', '/stop/unit/n/link/path')).toBe(
      'link stop/p, link ruled/open',
    );
  });

  it('is found with one statement, of any length up to eleven steps', async () => {
    expect(await way(ann, 'stop/l')).toMatch(/^line stop\/b, .* line stop\/l$/);
    expect(await ann.statements(() => way(ann, 'stop/l'))).toBe(1);
    expect(await way(ann, 'stop/c', '&depth=1')).toBe('line stop/b, line stop/c');
  });

  it('explains itself to administrators', async () => {
    expect(await ok(admin.get(`${path}?${to('stop/d', '&explain=true')}`))).toMatchObject({
      count: 2,
      explain: { statements: [{ plan: {} }] },
    });
  });

  const none = { status: 404, code: 'link.no_path' } as const;
  const missing = { status: 404, code: 'unit.unknown' } as const;
  const bad = (parameter: string, text: string | RegExp) => {
    return { status: 400, code: 'query.bad_value', parameter, text } as const;
  };
  scenarios({ ann, nobody, admin }, [
    ...['', '&depth=10'].map((depth) => ({
      name: `to a unit that is twelve steps away${depth}`,
      request: `GET ${path}?${to('stop/m', depth)}`,
      expect: { ...none, text: 'No path of at most 11 links leads to this unit' },
    })),
    { name: 'beyond the depth', request: `GET ${path}?${to('stop/c', '&depth=0')}`, expect: none },
    { name: 'against the direction', request: `GET ${path}?${to('stop/b', '&direction=parent')}`, expect: none },
    { name: 'without a link', request: `GET ${path}?${to('stop/p')}`, expect: none },
    { name: 'to a unit that is not there', request: `GET ${path}?${to('stop/zz')}`, expect: missing },
    { name: 'to one that a rule hides', request: `GET ${path}?${to('ruled/shut')}`, expect: missing },
    {
      name: 'to one of a kind that may not be read',
      request: `GET ${path}?${to('sealed/s')}`,
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'to one of an inactive kind',
      as: 'admin',
      request: `GET ${path}?${to('idle/i')}`,
      expect: { status: 403, code: 'kind.inactive' },
    },
    {
      name: 'to one of an unknown kind',
      request: `GET ${path}?${to('stpo/b')}`,
      expect: { status: 404, code: 'kind.unknown', text: 'stop' },
    },
    {
      name: 'to a unit of the model',
      request: `GET ${path}?${to('kind/stop')}`,
      expect: { status: 404, code: 'link.unknown', parameter: 'to_kind' },
    },
    { name: 'from a unit that is not there', request: `GET /stop/unit/zz/link/path?${to('stop/b')}`, expect: missing },
    {
      name: 'from one that is not there, with faults',
      request: 'GET /stop/unit/zz/link/path?depth=x',
      expect: missing,
    },
    {
      name: 'from one that is not there, to a kind that may not be read',
      request: `GET /stop/unit/zz/link/path?${to('sealed/s')}`,
      expect: missing,
    },
    {
      name: 'to one that is not there, with faults',
      request: `GET ${path}?${to('stop/zz', '&depth=x')}`,
      expect: missing,
    },
    {
      name: 'from a unit of the model',
      request: `GET /kind/unit/stop/link/path?${to('stop/b')}`,
      expect: { status: 404, code: 'link.unknown' },
    },
    {
      name: 'without a token',
      as: 'nobody',
      request: `GET ${path}?${to('stop/b')}`,
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'without a target',
      request: `GET ${path}`,
      expect: { status: 400, code: ['query.bad_value', 'query.bad_value'], text: 'to_kind: wants the id of a kind' },
    },
    {
      name: 'without its id',
      request: `GET ${path}?to_kind=stop`,
      expect: bad('to_id', 'to_id: wants the id of a unit'),
    },
    {
      name: 'with two targets',
      request: `GET ${path}?${to('stop/b')}&to_id=c`,
      expect: bad('to_id', 'more than once'),
    },
    {
      name: 'with a depth that is none',
      request: `GET ${path}?${to('stop/b', '&depth=11')}`,
      expect: bad('depth', 'from 0 to 10'),
    },
    {
      name: 'with a direction that is none',
      request: `GET ${path}?${to('stop/b', '&direction=down')}`,
      expect: bad('direction', `wants child, parent, got 'down'`),
    },
    {
      name: 'with an unknown link type',
      request: `GET ${path}?${to('stop/b', '&link_id=lyne')}`,
      expect: { status: 404, code: 'link.unknown', text: `'line'` },
    },
    {
      name: 'with a name that may not be read',
      request: `GET ${path}?${to('stop/b', '&include=note')}`,
      expect: { status: 400, code: 'parameter.unknown', parameter: 'include' },
    },
    {
      name: 'with include and exclude',
      request: `GET ${path}?${to('stop/b', '&include=code&exclude=name')}`,
      expect: { status: 400, code: 'query.conflict' },
    },
    {
      name: 'with a filter',
      request: `GET ${path}?${to('stop/b', '&filter=eq(name,B)')}`,
      expect: { status: 400, code: 'query.unknown' },
    },
    {
      name: 'with explain from a member',
      request: `GET ${path}?${to('stop/b', '&explain=true')}`,
      expect: { status: 403, code: 'access.denied' },
    },
  ]);
});

/**
 * The names of our own SQL as names of kinds, parameters and link types, in queries over related units and links, in
 * aggregations and searches, and in the access of link types: they have no effect on the answers.
 */
import { expect, it } from 'vitest';
import { RESERVED_LINK_PARAMETERS } from '../../../src/model/build/link-types.js';
import { RESERVED_LINK_TYPES } from '../../../src/model/model.js';
import { RESERVED_KINDS } from '../../../src/model/built-in/built-in.js';
import { defineKinds, signUp } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { dealt } from '../../support/runs.js';
import { sharedService, type TestProject } from '../../support/service.js';
import { sqlNames } from '../../support/sql-names.js';

const service = await sharedService();
const TAKEN = new Set([
  ...['id', 'links', 'metadata', 'inserted_at', 'updated_at', 'kind_id', 'first_access_time'],
  ...RESERVED_KINDS,
  ...RESERVED_LINK_PARAMETERS,
  ...RESERVED_LINK_TYPES,
]);
const NAMES = sqlNames().filter((name) => !TAKEN.has(name));
const CHUNK = 40;

interface Page {
  readonly count: number;
  readonly items: readonly Record<string, unknown>[];
}
const page = async (caller: TestProject, path: string) => (await ok(caller.get(path))) as Page;

async function tryNames(names: readonly string[]): Promise<void> {
  const [one = '', many = '', key = '', back = '', type = '', both = '', list = '', number = '', ...texts] = names;
  const [text = '', other = ''] = texts;
  const project = await service.project();
  await defineKinds(
    project,
    { id: 'person', parameters: [] },
    {
      id: one,
      parameters: [
        { id: key, kind_id: 'string', is_primary: true },
        ...texts.map((id) => ({ id, kind_id: 'string', search: 'simple' })),
        { id: list, kind_id: 'string', multiple: true },
        { id: number, kind_id: 'integer' },
      ],
    },
    { id: many, parameters: [{ id: back, kind_id: 'unit', reference_kind: one }, ...texts, list, number] },
  );
  await ok(project.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person'] }));
  await ok(project.post('/group/unit', { id: both, kind_list: [one, many] }));
  const rule = (end: string) =>
    [...texts, number].map((name) => `or(isnull(${end}.${name}),isnull(${end}.${name},false))`);
  const create = `and(${[...rule('parent'), ...rule('child'), 'ne(parent.id,@member.id)'].join()})`;
  await ok(
    project.post('/link/unit', { id: type, parameters: [...texts, number], access: { create, delete: create } }),
  );
  const values = (salt: string, of = 1) => ({
    ...Object.fromEntries(texts.map((name) => [name, `${name} ${salt}`])),
    [number]: of,
  });
  await ok(
    project.post(`/${one}/unit`, [
      { [key]: 'a', ...values('wordbig', 1), [list]: ['x', 'y'] },
      { [key]: 'b', ...values('wordsmall', 2) },
      { [key]: 'c' },
    ]),
  );
  const referring = [values('wordfirst', 5), values('wordlast', 7)].map((each) => ({ ...each, [back]: 'a' }));
  const ids = ((await ok(project.post(`/${many}/unit`, referring))) as Page).items.map(({ id }) => String(id));
  const [p = '', q = ''] = ids;
  const ann = project.as((await signUp(project, 'ann')).accessToken);

  // Links, under the access of their type.
  const link = `/${one}/unit/a/link/${type}/${many}/unit/${p}`;
  expect(await ok(ann.post(link, values('tie', 3)))).toMatchObject({ link_id: type, ...values('tie', 3) });
  expect(await ok(ann.put(link, { [text]: 'tied' }))).toMatchObject({ [text]: 'tied', [number]: 3 });
  const items = [
    { kind_id: many, id: p },
    { kind_id: many, id: q, [number]: 9 },
    { kind_id: one, id: 'b', [number]: 1 },
  ];
  expect(await ok(ann.post(`/${one}/unit/a/link/${type}/child`, { items }))).toMatchObject({ count: 3 });
  expect(await ok(ann.post(`/${one}/unit/c/link/${type}/parent`, { items: items.slice(2) }))).toMatchObject({
    count: 1,
  });
  expect(
    await ok(ann.post(`/${one}/unit/a/link/${type}/child`, { items: items.slice(1), replace: true })),
  ).toMatchObject({ items: [{ [number]: 9 }, { [number]: 1 }] });
  expect((await ann.delete(link)).status).toBe(404);

  // Traversals by the values of links.
  const walk = `/${one}/unit/a/link/child`;
  expect(await page(ann, `${walk}?filter=gt(link.${number},3)`)).toMatchObject({ count: 1, items: [{ id: q }] });
  for (const query of [
    `depth=2&order=-link.${number}&filter=or(isnull(link.${text}),isnull(${other}))&load_links=true`,
    `order=link.${text}&order=${other}&cursor=&limit=3&load_links=count`,
    `depth=2&include=${text},x_number:count_linked(${type},child),x_list:related(${many}.${back},order=-${number})`,
  ]) {
    expect((await page(ann, `${walk}?${query}`)).items.length).toBe(query.includes('depth=2') ? 3 : 2);
  }
  const path = `/${one}/unit/a/link/path?to_kind=${one}&to_id=c&include=${text}`;
  expect(await page(ann, path)).toMatchObject({ count: 2, items: [{ link: { [number]: 1 } }, {}] });

  // Lists.
  const list1 = `/${one}/unit?include=${key}`;
  const tests = texts.map((name) => `isnull(${name},false)`).join();
  for (const [filter, expected] of [
    [`exists(${many}.${back},and(${tests},eq_field(${text},${text}),gt(${number},6)))`, ['a']],
    [`exists(${many}.${back},gt_field(${number},${back}.${number}))`, ['a']],
    [`linked(${type},child,${many},and(${tests},gt(link.${number},8)))`, ['a']],
    [`linked(${type},child,or(eq(${number},2),gt(link.${number},8)))`, ['a']],
    [`gt(count_linked(${type},parent,isnull(link.${text})),0)`, ['b', 'c']],
    [`near(${number},${number},1,1,50)`, ['a']],
    [`eq_field(${text},${other})`, []],
  ] as const) {
    const found = await page(ann, `${list1}&filter=${filter}`);
    expect([filter, found.items.map((unit) => unit[key])]).toEqual([filter, expected]);
  }
  const sum = `sum_related(${many}.${back},mul(${number},${back}.${number}))`;
  const include = `${text},x_sum:${sum},x_number:count_related(${many}.${back}),x_list:related(${many}.${back},order=-${number}),snippet(${text})`;
  const searched = `/${one}/unit?search=wordbig&include=${include}`;
  for (const order of [
    `-count_related(${many}.${back})`,
    `-${sum}`,
    '-rank()',
    `distance(${number},${number},0,0)`,
    `similarity(${text},wordbig)`,
  ]) {
    expect(await page(ann, `${searched}&order=${order}&load_links=count`)).toMatchObject({
      count: 1,
      items: [
        {
          x_sum: 12,
          x_number: 2,
          x_list: [{ [number]: 7 }, { [number]: 5 }],
          links: { child: { [type]: 2 }, parent: {} },
        },
      ],
    });
  }
  for (const query of [
    `search=wordbig or wordfirst&order=-rank()&cursor=&include=kind_id,snippet(${text})`,
    `filter=or(exists(${many}.${back}),linked(${type},parent))&order=-${number}&load_links=true&include_linked=${text}`,
    `include=${text},x_number:count_related(${many}.${back})&order=-count_linked(${type},parent)&limit=2`,
  ]) {
    expect((await page(ann, `/group/${both}/unit?${query}`)).items.length).toBeGreaterThan(1);
  }

  // Aggregations, whose answers have these names too.
  const named = texts.slice(2, 5);
  const [first = '', second = '', third = ''] = named;
  const select = `select=[${first}:sum(${number}),${second}:count(exists(${many}.${back})),${third}:first(${text}),x_max:max(add(${number},${number})),x_less:sub(x_max,${first})]`;
  const groups = `group=[${text},${list}:each(${list}),${number}:bucket(${number},2)]&${select}`;
  expect(
    await page(ann, `/${one}/aggregate?${groups}&having=gte(${first},1)&order=-${third}&order=${number}`),
  ).toMatchObject({
    count: 3,
    items: [{ [first]: 2, x_max: 4, x_less: 2 }, { [first]: 1, [second]: 1 }, { [list]: 'y' }],
  });
  expect(await page(ann, `/group/${both}/aggregate?${groups}&search=wordbig or wordfirst or wordlast`)).toMatchObject({
    count: 4,
  });
  for (const query of [`${list1}&filter=exists(${many}.${back})`, `${walk}?depth=2`, `/${one}/aggregate?${groups}`]) {
    await ok(project.get(`${query}&explain=true`));
  }
  await ok(ann.delete(`/${one}/unit/a/link/${type}/${many}/unit/${q}`));
}

it(
  'every name in our SQL may be a name in a query of related units, links and groups',
  { timeout: 300_000 },
  async () => {
    const [names = []] = dealt(NAMES, 1);
    for (let at = 0; at + CHUNK <= names.length; at += CHUNK) await tryNames(names.slice(at, at + CHUNK));
    await tryNames(names.slice(-CHUNK));
  },
);

it('a rule of a link type may name a parameter that is called `t`', async () => {
  const others = NAMES.filter((name) => name !== 't').slice(0, CHUNK - 1);
  await tryNames([...others, 't']);
});

/** Lists that are requested again and again: the same answers, current units and current rights. */
import { expect, it } from 'vitest';
import { defineKinds, tokensOf } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { observeStatements } from '../../support/sent-statements.js';
import { sharedService, type TestProject } from '../../support/service.js';
import type { Statement } from '../../../src/sql/fragment.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(project, { id: 'person' });
await ok(project.post('/group/unit/kind_auth_member/link/group/kind/unit/person'));
const personOf = async (username: string): Promise<[string, TestProject]> => {
  const id = await createdId(project.post('/person/unit', { username, email: `${username}@example.com` }));
  return [id, project.as((await tokensOf(project, 'person', id)).access_token)];
};
const [annId, ann] = await personOf('ann');
const [bobId, bob] = await personOf('bob');
await defineKinds(
  project,
  { id: 'topic', access: { read: 'ne(name,secret)' }, parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'note',
    access: { read: 'or(eq(owner,@member.id),eq(state,open))' },
    parameters: [
      { id: 'text', kind_id: 'string' },
      { id: 'state', kind_id: 'string' },
      { id: 'rating', kind_id: 'integer', read_access: 'admin' },
      { id: 'topic', kind_id: 'unit', reference_kind: 'topic' },
      { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
    ],
  },
);
const garden = await createdId(project.post('/topic/unit', { name: 'garden' }));
const secret = await createdId(project.post('/topic/unit', { name: 'secret' }));
await ok(
  project.post('/note/unit', [
    { text: "it's", state: 'open', rating: 1, topic: garden, owner: annId },
    { text: 'a\\', state: 'closed', rating: 2, topic: secret, owner: annId },
    { text: '$1', state: 'closed', rating: 3, topic: garden, owner: bobId },
  ]),
);

/** More than the service needs to store the statement. */
const REPETITIONS = 5;

async function repeat(by: TestProject, path: string): Promise<unknown> {
  const first = await ok(by.get(path));
  for (let request = 1; request < REPETITIONS; request += 1) expect(await ok(by.get(path))).toEqual(first);
  return first;
}

const listOf = (query: string, kind = 'note') =>
  `/${kind}/unit?include=text&${query.replace(/=(.*)$/, (_, value: string) => `=${encodeURIComponent(value)}`)}`;

it.each([
  [`filter=eq(text,it's)`, ["it's"]],
  ['filter=eq(text,a\\)', ['a\\']],
  ['filter=in(text,$1,"a\\\\")', ['a\\', '$1']],
  ['filter=and(gte(rating,2),startswith(state,clo))', ['a\\', '$1']],
  ['filter=eq(topic.name,secret)', ['a\\']],
  ['order=-rating', ['$1', 'a\\', "it's"]],
])('%s has the same answer each time', async (query, texts) => {
  expect(await repeat(project, listOf(query))).toEqual({ count: texts.length, items: texts.map((text) => ({ text })) });
});

it('a repeated list has the units that were created since, and its values as parameters', async () => {
  const path = listOf('filter=eq(state,new)');
  expect(await repeat(project, path)).toEqual({ count: 0, items: [] });
  await ok(project.post('/note/unit', { text: 'late', state: 'new' }));
  const statements: Statement[] = [];
  const stop = observeStatements(project.service.database, (statement) => statements.push(statement));
  expect(await ok(project.get(path))).toEqual({ count: 1, items: [{ text: 'late' }] });
  stop();
  const sent = statements.filter(({ text }) => text.includes('"note"'));
  expect(sent.map(({ values }) => values[0])).toEqual(['new']);
});

it('members see their own units with the same query, and nothing of what is masked', async () => {
  const path = '/note/unit?include=*,topic.name';
  const read = async (by: TestProject) =>
    ((await ok(by.get(path))) as { items: Record<string, unknown>[] }).items.map((unit) => [
      unit['text'],
      unit['topic.name'],
      unit['rating'],
    ]);
  for (let request = 0; request < REPETITIONS; request += 1) {
    expect([await read(ann), await read(bob)]).toEqual([
      [
        ["it's", 'garden', undefined],
        ['a\\', null, undefined],
      ],
      [
        ["it's", 'garden', undefined],
        ['$1', 'garden', undefined],
      ],
    ]);
  }
  expect((await read(project)).map(([, , rating]) => rating)).toEqual([1, 2, 3, null]);
});

it('load_links counts the links that there are now, also the first ones of a kind among many', async () => {
  const path = '/topic/unit?load_links=count&include=name&filter=eq(name,garden)';
  const counted = async () => ((await ok(project.get(path))) as { items: { links: object }[] }).items[0]?.links;
  const expectCount = async (links: object) => {
    for (let request = 0; request < 4; request += 1) expect(await counted()).toEqual({ parent: {}, child: links });
  };
  await expectCount({});
  await ok(project.post(`/topic/unit/${garden}/link/link/topic/unit/${secret}`));
  await expectCount({ link: 1 });
  const kinds = Array.from({ length: 12 }, (_, at) => `kind${at}`);
  await defineKinds(project, ...kinds.map((id) => ({ id, parameters: ['text'] })));
  await expectCount({ link: 1 });
  const other = await createdId(project.post('/kind7/unit', { text: 'x' }));
  await ok(project.post(`/topic/unit/${garden}/link/link/kind7/unit/${other}`));
  await expectCount({ link: 2 });
});

it('a list of a group has the units and the kinds that it has now, for each member its own', async () => {
  await defineKinds(project, { id: 'letter', parameters: ['text', 'owner'], access: { read: 'eq(owner,@member.id)' } });
  await ok(project.post('/group/unit', { id: 'texts', kind_list: ['note', 'letter'] }));
  await ok(project.post('/letter/unit', [{ text: 'from Ann', owner: annId }]));
  const path = '/group/texts/unit?filter=isnull(text,false)&order=text&include=text,rating';
  const read = async (by: TestProject) => {
    const { count, items } = (await ok(by.get(path))) as { count: number; items: { text: string }[] };
    expect(count).toBe(items.length);
    return items.map(({ text }) => text);
  };
  await ok(project.put('/integer/unit/rating', { read_access: null }));
  for (let request = 0; request < 5; request += 1) {
    expect([await read(ann), await read(bob)]).toEqual([
      ['a\\', 'from Ann', "it's"],
      ['$1', "it's"],
    ]);
  }
  await ok(project.post('/letter/unit', [{ text: 'from Bob', owner: bobId }]));
  expect([await read(ann), await read(bob)]).toEqual([
    ['a\\', 'from Ann', "it's"],
    ['$1', 'from Bob', "it's"],
  ]);
  await ok(project.put('/group/unit/texts', { kind_list: ['letter', 'topic'] }));
  await ok(project.put('/integer/unit/rating', { read_access: 'admin' }));
  expect((await bob.get(path)).status).toBe(400);
  await ok(project.put('/group/unit/texts', { kind_list: ['letter'] }));
  expect(await ok(bob.get(path.replace(',rating', '')))).toEqual({ count: 1, items: [{ text: 'from Bob' }] });
});

it('members see a field by its rule, in each repetition', async () => {
  await defineKinds(project, {
    id: 'card',
    parameters: [
      { id: 'pin', kind_id: 'string', read_access: ['eq(holder,@member.id)'] },
      { id: 'holder', kind_id: 'unit', reference_kind: 'person' },
    ],
  });
  const cards = [annId, bobId].map((holder, at) => ({ pin: `${at}`, holder }));
  await ok(project.post('/card/unit', cards));
  for (let request = 0; request < REPETITIONS; request += 1) {
    const [hers, his] = [await ok(ann.get('/card/unit?include=pin')), await ok(bob.get('/card/unit?include=pin'))];
    expect([hers, his]).toEqual([
      { count: 2, items: [{ pin: '0' }, {}] },
      { count: 2, items: [{}, { pin: '1' }] },
    ]);
  }
});

it('a change of the access or of the mask applies to the next request', async () => {
  const path = '/note/unit?filter=eq(state,closed)&include=*';
  await repeat(ann, path);
  await ok(project.put('/kind/unit/note', { access: { read: 'eq(owner,@member.id)' } }));
  expect(await ok(bob.get(path))).toMatchObject({ count: 1, items: [{ text: '$1' }] });
  await repeat(ann, path);
  await ok(project.put('/string/unit/state', { read_access: 'admin' }));
  expect((await ann.get(path)).status).toBe(400);
  await ok(project.put('/string/unit/state', { read_access: null }));
  await repeat(ann, path);
  await ok(project.put('/kind/unit/note', { access: { read: 'nobody' } }));
  expect((await ann.get(path)).status).toBe(403);
  expect((await project.get(path)).status).toBe(403);
});

it('an aggregation has the same answer each time, of current units, for each member its own', async () => {
  await defineKinds(project, {
    id: 'sale',
    access: { read: 'eq(owner,@member.id)' },
    parameters: [
      'owner',
      { id: 'price', kind_id: 'integer' },
      { id: 'cost', kind_id: 'integer', read_access: 'admin' },
    ],
  });
  await ok(project.post('/group/unit', { id: 'sales', kind_list: ['sale'] }));
  const sell = (owner: string, price: number) => ok(project.post('/sale/unit', { owner, price, cost: 1 }));
  await sell(annId, 1);
  await sell(bobId, 2);
  const query = 'select=[count(),sum(price)]&filter=gt(price,0)';
  for (const path of [`/sale/aggregate?${query}`, `/group/sales/aggregate?${query}`]) {
    const total = async (by: TestProject) => ((await repeat(by, path)) as { items: object[] }).items;
    const [before] = (await total(ann)) as { sum_price: number }[];
    expect([await total(ann), await total(bob)]).toEqual([
      [{ count: expect.anything() as number, sum_price: before?.sum_price }],
      [{ count: 1, sum_price: 2 }],
    ]);
    await sell(annId, 10);
    expect(await total(ann)).toMatchObject([{ sum_price: (before?.sum_price ?? 0) + 10 }]);
    expect(await total(project)).toMatchObject([{ sum_price: (before?.sum_price ?? 0) + 12 }]);
  }
  const masked = '/sale/aggregate?select=sum(cost)';
  expect(await repeat(project, masked)).toMatchObject({ count: 1 });
  for (let request = 0; request < REPETITIONS; request += 1) expect((await ann.get(masked)).status).toBe(400);
});

it('a traversal has the links and units that there are now, for each member its own', async () => {
  await defineKinds(project, {
    id: 'stop',
    access: { read: 'or(eq(owner,@member.id),eq(state,open))' },
    parameters: ['owner', 'state', 'text'],
  });
  const stopOf = (values: object) => createdId(project.post('/stop/unit', values));
  const [start, other] = [
    await stopOf({ state: 'open', text: 'start' }),
    await stopOf({ state: 'open', text: 'other' }),
  ];
  const linked = async (from: string, values: object) => {
    const id = await stopOf(values);
    await ok(project.post(`/stop/unit/${from}/link/link/stop/unit/${id}`));
    return id;
  };
  const hers = await linked(start, { owner: annId, text: 'hers' });
  await linked(start, { owner: bobId, text: 'his' });
  const pathOf = (id: string) => `/stop/unit/${id}/link/child?filter=isnull(text,false)&include=text&order=text`;
  const texts = async (by: TestProject, id = start) =>
    ((await repeat(by, pathOf(id))) as { items: { text: string }[] }).items.map(({ text }) => text);
  expect([await texts(ann), await texts(bob), await texts(project)]).toEqual([['hers'], ['his'], ['hers', 'his']]);
  await linked(hers, { state: 'open', text: 'beyond' });
  await linked(start, { state: 'open', text: 'ours' });
  expect([await texts(ann), await texts(bob), await texts(ann, other)]).toEqual([
    ['hers', 'ours'],
    ['his', 'ours'],
    [],
  ]);
  const deeper = (by: TestProject) => repeat(by, `${pathOf(start)}&depth=1`);
  expect([await deeper(ann), await deeper(bob)]).toMatchObject([{ count: 3 }, { count: 2 }]);
  await ok(project.put(`/stop/unit/${start}`, { state: 'closed' }));
  expect([(await ann.get(pathOf(start))).status, (await project.get(pathOf(start))).status]).toEqual([404, 200]);
});

it('a list with faults is refused each time', async () => {
  for (let request = 0; request < 5; request += 1) {
    expect((await project.get('/topic/unit?filter=eq(nme,x)&limit=2000')).body.messages).toHaveLength(2);
  }
});

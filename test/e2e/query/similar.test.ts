/** `similar` and `order=similarity()`: which texts are like one another, by PostgreSQL's trigrams. */
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
    id: 'customer',
    parameters: [
      { id: 'name', kind_id: 'string', indexed: true },
      { id: 'notes', kind_id: 'text' },
      { id: 'age', kind_id: 'integer' },
      { id: 'aliases', kind_id: 'string', multiple: true },
      { id: 'meta', kind_id: 'json' },
      { id: 'tax_id', kind_id: 'string', read_access: 'admin' },
      { id: 'boss', kind_id: 'unit', reference_kind: 'customer' },
    ],
  },
  { id: 'ticket', parameters: [{ id: 'customer', kind_id: 'unit', reference_kind: 'customer' }, 'notes'] },
);
const john = await createdId(
  project.post('/customer/unit', { name: 'Jon Smith', notes: 'first', meta: { nick: 'Johnny' }, tax_id: 'x1' }),
);
await ok(
  project.post('/customer/unit', [
    { name: 'JOHN SMITH', notes: 'second', boss: john },
    { name: 'Joan Smythe' },
    { name: 'Peter, Paul' },
    { name: null },
  ]),
);
await ok(project.post('/ticket/unit', { customer: john, notes: 'Jon Smith called' }));
await ok(project.post('/group/unit', { id: 'all_of_them', kind_list: ['customer', 'ticket'] }));

const namesFor = async (query: string, as = project): Promise<unknown[]> => {
  const { items } = (await ok(as.get(`/customer/unit?include=name&${query}`))) as { items: { name: unknown }[] };
  return items.map(({ name }) => name);
};
const similar = (expression: string) => namesFor(`filter=${encodeURIComponent(expression)}`);

describe('similar', () => {
  it.each<[string, unknown[]]>([
    ['similar(name,"Jon Smith")', ['Jon Smith', 'JOHN SMITH']],
    ['similar(name,Jon Smith,0.2)', ['Jon Smith', 'JOHN SMITH', 'Joan Smythe']],
    ['similar(name,Jon Smith,0.7)', ['Jon Smith']],
    ['similar(name,jon smith,1)', ['Jon Smith']],
    ['similar(name,jon smith,0.1)', ['Jon Smith', 'JOHN SMITH', 'Joan Smythe']],
    ['and(similar(name,jon smith,0.9),similar(notes,first,0.3))', ['Jon Smith']],
    ['similar(name,"Peter, Paul",0.9)', ['Peter, Paul']],
    ['not(similar(name,Jon Smith))', ['Joan Smythe', 'Peter, Paul', null]],
    ['similar(boss.name,Jon Smith,0.8)', ['JOHN SMITH']],
    ['exists(ticket.customer,similar(notes,Jon Smith called))', ['Jon Smith']],
    ['similar(name,"")', []],
    ['similar(name,"",0)', ['Jon Smith', 'JOHN SMITH', 'Joan Smythe', 'Peter, Paul']],
  ])('%s', async (expression, names) => {
    expect(await similar(expression)).toEqual(names);
  });

  it('is asked of groups, edits by filter and aggregations too', async () => {
    const group = '/group/all_of_them/unit?filter=or(similar(name,Jon Smith,0.9),similar(notes,Jon Smith called))';
    expect(await ok(project.get(group))).toMatchObject({ count: 2 });
    const edited = await ok(project.put('/customer/unit?filter=similar(name,Peter Paul,0.9)', { age: 7 }));
    expect(edited).toMatchObject({ count: 1 });
    const path =
      '/customer/aggregate?select=[count(similar(name,Jon Smith)),n:max(age)]&filter=similar(name,Peter Paul)';
    expect(await ok(project.get(path))).toMatchObject({ items: [{ count: 0, n: 7 }] });
  });
});

it('both are asked of walks', async () => {
  await ok(project.post('/link/unit', { id: 'knows' }));
  const { items } = (await ok(project.get('/customer/unit?filter=isnull(name,false)&include=id'))) as {
    items: { id: string }[];
  };
  const others = items.map(({ id }) => ({ kind_id: 'customer', id })).filter(({ id }) => id !== john);
  await ok(project.post(`/customer/unit/${john}/link/knows/child`, { items: others }));
  const walk = `/customer/unit/${john}/link/child?include=name`;
  const names = async (query: string) =>
    ((await ok(project.get(`${walk}&${query}`))) as { items: { name: string }[] }).items.map(({ name }) => name);
  expect(await names('filter=similar(name,Jon Smith,0.2)')).toEqual(['JOHN SMITH', 'Joan Smythe']);
  expect(await names('order=similarity(name,Peter);desc')).toMatchObject({ 0: 'Peter, Paul', length: 3 });
  expect(await names('filter=isnull(sum_related(customer.boss,age))&order=name')).toHaveLength(3);
});

describe('order=similarity', () => {
  const order = `order=${encodeURIComponent('similarity(name,"Jon Smith");desc')}`;

  it('has the most similar ones first', async () => {
    const filter = 'filter=isnull(name,false)';
    expect(await namesFor(`${order}&${filter}`)).toEqual(['Jon Smith', 'JOHN SMITH', 'Joan Smythe', 'Peter, Paul']);
    expect(await namesFor(`order=-similarity(boss.name,Jon Smith)&filter=isnull(boss,false)`)).toEqual(['JOHN SMITH']);
  });

  it('pages with a cursor', async () => {
    const found: unknown[] = [];
    for (let next = ''; ;) {
      const path = `/customer/unit?include=name&limit=2&filter=isnull(name,false)&${order}&cursor=${next}`;
      const page = (await ok(project.get(path))) as { items: { name: string }[]; next: string | null };
      found.push(...page.items.map(({ name }) => name));
      if (page.next === null) break;
      next = page.next;
    }
    expect(found).toEqual(['Jon Smith', 'JOHN SMITH', 'Joan Smythe', 'Peter, Paul']);
  });

  it('of several kinds: units of one without the text are last', async () => {
    const path = `/group/all_of_them/unit?limit=1&order=${encodeURIComponent('similarity(notes,Jon Smith called);desc')}`;
    expect(await ok(project.get(`${path}&filter=isnull(notes,false)`))).toMatchObject({
      items: [{ notes: 'Jon Smith called' }],
    });
  });
});

describe('bad input', () => {
  const long = 'x'.repeat(201);
  it.each<[string, string, RegExp]>([
    ['filter=similar(age,5)', 'filter.bad_operator', /similar wants a text, and 'age' is integer, at character 9/],
    ['filter=similar(aliases,x)', 'filter.bad_operator', /'aliases' is a list of string/],
    ['filter=similar(meta.nick,x)', 'filter.bad_operator', /'meta' is json/],
    ['filter=similar(boss,x)', 'filter.bad_operator', /'boss' is a reference,/],
    ['filter=similar(count_related(ticket.customer),x)', 'filter.bad_operator', /wants a text/],
    ['filter=similar(nam,x)', 'filter.unknown_parameter', /did you mean 'name'/],
    ['filter=similar(name)', 'filter.syntax', /expected ',' at character 13/],
    [
      'filter=similar(name,a,1.5)',
      'filter.bad_value',
      /similar wants a number from 0 to 1, got '1.5', at character 16/,
    ],
    ['filter=similar(name,a,b)', 'filter.bad_value', /a number from 0 to 1/],
    ['filter=similar(name,a,0.5,1)', 'filter.syntax', /expected '\)'/],
    [`filter=similar(name,${long})`, 'filter.too_large', /at most 200 characters are compared/],
    [`order=similarity(name,${long})`, 'query.bad_value', /order: at most 200 characters/],
    ['order=similarity(age,5)', 'query.bad_value', /order: similarity wants a text/],
    ['order=similarity(name)', 'query.bad_value', /order: expected ','/],
  ])('%s', async (query, code, text) => {
    const { status, body } = await project.get(`/customer/unit?${query}`);
    expect([status, body.messages[0]?.code, body.messages[0]?.text]).toEqual([400, code, expect.stringMatching(text)]);
  });

  it('of what the caller may not read', async () => {
    const { status, body } = await member.get('/customer/unit?filter=similar(tax_id,x1)');
    expect([status, body.messages[0]?.code]).toEqual([400, 'filter.unknown_parameter']);
  });

  it('in rules and checks, and of groups', async () => {
    const rule = await project.put('/kind/unit/customer', { access: { read: 'similar(name,x)' } });
    expect([rule.status, rule.body.messages[0]?.text]).toEqual([
      400,
      expect.stringMatching(/similar is for the filters/),
    ]);
    const checks = [{ id: 'like', filter: 'similar(name,x)', text: 'no' }];
    expect((await project.put('/kind/unit/customer', { checks })).status).toBe(400);
    const having = await project.get('/customer/aggregate?group=name&having=similar(name,x)');
    expect([having.status, having.body.messages[0]?.text]).toEqual([400, expect.stringMatching(/texts of units/)]);
  });
});

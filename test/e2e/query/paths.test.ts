/** Dotted paths over references: in filters, orders and `include`, over at most three of them. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { scenarios, type Scenario } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const reference = (id: string, kind = id) => ({ id, kind_id: 'unit', reference_kind: kind });
const LONG = 'of_which_the_name_is_nearly_as_long_as_any_name_is_allowed_to';
await defineKinds(
  project,
  { id: 'planet', parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'continent',
    parameters: [{ id: 'code', kind_id: 'string', is_primary: true }, 'name', reference('planet')],
  },
  {
    id: 'country',
    parameters: [
      'name',
      reference('continent'),
      { id: 'area', kind_id: 'decimal' },
      { id: 'tags', kind_id: 'string', multiple: true },
      { id: 'extra', kind_id: 'json' },
      { id: 'since', kind_id: 'datetime' },
      { id: LONG, kind_id: 'string' },
    ],
  },
  {
    id: 'city',
    parameters: ['name', reference('country'), reference('twin', 'city'), { id: 'size', kind_id: 'integer' }],
  },
);
await ok(project.put('/unit/unit/twin', { on_delete: 'set_null' }));
const make = async (kind: string, body: object): Promise<string> =>
  await createdId(project.post(`/${kind}/unit`, body));

const earth = await make('planet', { name: 'Earth' });
await make('continent', { code: 'EU', name: 'Europe', planet: earth });
await make('continent', { code: 'AF', name: 'Africa' });
const italy = await make('country', {
  name: 'Italy',
  continent: 'EU',
  area: '302068.5',
  tags: ['boot', 'sea'],
  extra: { color: 'green', 'a.b': { c: 1 } },
  since: '1861-03-17T12:00:00Z',
  [LONG]: 'Repubblica',
});
const mali = await make('country', { name: 'Mali', continent: 'AF', area: '1240192' });
const nowhere = await make('country', { name: null, extra: { color: 'grey' } });
const rome = await make('city', { name: 'Rome', country: italy, size: 3 });
const milan = await make('city', { name: 'Milan', country: italy, size: 2, twin: rome });
const bamako = await make('city', { name: 'Bamako', country: mali, size: 3, twin: milan });
const lost = await make('city', { name: 'Lost', country: nowhere, size: 1 });
const atlantis = await make('city', { name: 'Atlantis', size: 0 });

const NAMES = new Map([
  [rome, 'Rome'],
  [milan, 'Milan'],
  [bamako, 'Bamako'],
  [lost, 'Lost'],
  [atlantis, 'Atlantis'],
]);
const named = async (query: string): Promise<string> => {
  const { count, items } = (await ok(project.get(`/city/unit?${query}`))) as { count: number; items: { id: string }[] };
  expect(count).toBe(items.length);
  return items.map(({ id }) => NAMES.get(id)).join(' ');
};

describe('in a filter', () => {
  it.each([
    ['eq(country.name,Italy)', 'Rome Milan'],
    ['ne(country.name,Italy)', 'Bamako Lost Atlantis'],
    ['not(eq(country.name,Italy))', 'Bamako Lost Atlantis'],
    ['in(country.name,Italy,Mali)', 'Rome Milan Bamako'],
    ['not(in(country.name,Italy,Mali))', 'Lost Atlantis'],
    ['isnull(country.name)', 'Lost Atlantis'],
    ['isnull(country.name,false)', 'Rome Milan Bamako'],
    ['not(isnull(country.name,false))', 'Lost Atlantis'],
    ['icontains(country.name,TAL)', 'Rome Milan'],
    ['gt(country.area,400000)', 'Bamako'],
    ['eq(country.area,1240192.0)', 'Bamako'],
    ['contains(country.tags,sea)', 'Rome Milan'],
    ['eq(country.tags,[boot,sea])', 'Rome Milan'],
    ['ne(country.tags,[boot,sea])', 'Bamako Lost Atlantis'],
    ['lt(country.since,1900-01-01)', 'Rome Milan'],
    ['eq(country.extra.color,green)', 'Rome Milan'],
    ['eq(country.extra."a.b".c,1)', 'Rome Milan'],
    ['ne(country.extra.color,green)', 'Bamako Lost Atlantis'],
    ['eq(country.extra,{"color":"grey"})', 'Lost'],
    [`eq(country.id,${italy})`, 'Rome Milan'],
    ['isnull(country.id)', 'Atlantis'],
    ['eq(country.kind_id,country)', 'Rome Milan Bamako Lost'],
    ['isnull(country.kind_id)', 'Atlantis'],
    ['gt(country.inserted_at,2000-01-01)', 'Rome Milan Bamako Lost'],
    ['eq(country.continent,EU)', 'Rome Milan'],
    ['eq(country.continent.code,EU)', 'Rome Milan'],
    ['eq(country.continent.name,Africa)', 'Bamako'],
    ['eq(country.continent.planet.name,Earth)', 'Rome Milan'],
    ['isnull(country.continent.planet.name)', 'Bamako Lost Atlantis'],
    ['eq(twin.country.name,Italy)', 'Milan Bamako'],
    ['eq(twin.twin.name,Rome)', 'Bamako'],
    ['eq(twin.twin.country.name,Italy)', 'Bamako'],
    ['and(eq(country.name,Italy),eq(size,2))', 'Milan'],
    ['or(eq(country.continent.name,Africa),eq(twin.name,Rome))', 'Milan Bamako'],
    ['not(or(eq(country.continent.name,Africa),eq(twin.name,Rome)))', 'Rome Lost Atlantis'],
    ['eq( country . name ,Italy)', 'Rome Milan'],
  ])('%s', async (filter, expected) => {
    expect(await named(`filter=${encodeURIComponent(filter)}`)).toBe(expected);
    const { count } = (await ok(project.get(`/city/unit?limit=0&filter=${encodeURIComponent(filter)}`))) as {
      count: number;
    };
    expect(count).toBe(expected.split(' ').length);
  });
});

describe('in an order', () => {
  it.each([
    ['order=country.name;asc', 'Rome Milan Bamako Lost Atlantis'],
    ['order=country.name;desc&order=name;desc', 'Lost Atlantis Bamako Rome Milan'],
    ['order[]=country.continent.name;asc&order[]=size;asc', 'Bamako Milan Rome Atlantis Lost'],
    ['order=[country.area;desc,size;desc]', 'Lost Atlantis Bamako Rome Milan'],
    ['order=country.extra.color;asc', 'Rome Milan Lost Bamako Atlantis'],
    ['order=country.kind_id;desc', 'Atlantis Rome Milan Bamako Lost'],
    ['order=twin.id;asc', 'Milan Bamako Rome Lost Atlantis'],
    ['order=twin.twin.name;asc&filter=eq(country.name,Italy)', 'Rome Milan'],
    ['order=country.name;asc&limit=3&count=none', 'Rome Milan Bamako'],
  ])('%s', async (query, expected) => {
    const { items } = (await ok(project.get(`/city/unit?${query}`))) as { items: { id: string }[] };
    expect(items.map(({ id }) => NAMES.get(id)).join(' ')).toBe(expected);
  });

  it.each([
    'country.name;asc',
    'country.name;desc',
    'country.continent.planet.name;desc',
    'country.extra.color;asc',
    'twin.id;asc',
  ])('pages by cursor: %s', async (order) => {
    const whole = await named(`order=${order}`);
    for (const limit of [1, 2, 3]) {
      const found: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = (await ok(
          project.get(`/city/unit?order=${order}&limit=${limit}&cursor=${encodeURIComponent(cursor)}`),
        )) as { count: number; items: { id: string }[]; next: string | null };
        expect(page.count).toBe(5);
        found.push(...page.items.map(({ id }) => NAMES.get(id) ?? ''));
        cursor = page.next;
      }
      expect(found.join(' ')).toBe(whole);
    }
  });

  it('has separate cursors for each direction', async () => {
    const { next } = (await ok(project.get('/city/unit?order=country.name;asc&limit=1&cursor='))) as { next: string };
    expect((await project.get(`/city/unit?order=twin.name;asc&limit=1&cursor=${next}`)).status).toBe(400);
    expect((await project.get(`/city/unit?order=name;asc&limit=1&cursor=${next}`)).status).toBe(400);
  });
});

describe('in include', () => {
  const record = async (id: string, include: string): Promise<unknown> => {
    const list = (await ok(project.get(`/city/unit?filter=eq(id,${id})&${include}`))) as { items: unknown[] };
    const paged = (await ok(project.get(`/city/unit?filter=eq(id,${id})&cursor=&${include}`))) as { items: unknown[] };
    const one: unknown = await ok(project.get(`/city/unit/${id}?${include}`));
    expect([list.items, paged.items]).toEqual([[one], [one]]);
    return one;
  };

  it.each([
    ['include=[name,country.name]', { name: 'Rome', 'country.name': 'Italy' }],
    ['include=country.name', { 'country.name': 'Italy' }],
    ['include[]=country&include[]=country.continent', { country: italy, 'country.continent': 'EU' }],
    ['include=country.continent.planet.name', { 'country.continent.planet.name': 'Earth' }],
    ['include=country.id,country.kind_id', { 'country.id': italy, 'country.kind_id': 'country' }],
    [
      'include=country.area,country.since',
      { 'country.area': '302068.5', 'country.since': '1861-03-17T12:00:00.000000Z' },
    ],
    ['include=country.tags', { 'country.tags': ['boot', 'sea'] }],
    ['include=country.extra', { 'country.extra': { color: 'green', 'a.b': { c: 1 } } }],
    [
      'include=country.extra.color,country.extra."a.b"',
      { 'country.extra.color': 'green', 'country.extra."a.b"': { c: 1 } },
    ],
    ['include=country.extra.none', { 'country.extra.none': null }],
    [
      'include=country.extra."a,b",name,country.extra."c(d",size',
      { name: 'Rome', size: 3, 'country.extra."a,b"': null, 'country.extra."c(d"': null },
    ],
    ['include=country.name, country."name"', { 'country.name': 'Italy' }],
    ['include=twin.name,twin.country.name', { 'twin.name': null, 'twin.country.name': null }],
    [`include=name,country.${LONG},size`, { name: 'Rome', size: 3, [`country.${LONG}`]: 'Repubblica' }],
  ])('%s', async (include, expected) => {
    expect(await record(rome, include)).toEqual(expected);
  });

  it('returns null for a null reference', async () => {
    const include = 'include=name,country.name,country.continent.name,country.id,country.kind_id,country.tags';
    expect(await record(atlantis, include)).toEqual({
      name: 'Atlantis',
      'country.name': null,
      'country.continent.name': null,
      'country.id': null,
      'country.kind_id': null,
      'country.tags': null,
    });
  });

  it.each([
    ['include=[name,country.name]', { name: 'Rome', country: { id: italy, name: 'Italy' } }],
    ['include=country.id', { country: { id: italy } }],
    ['include=country.id,country.name,country', { country: { id: italy, name: 'Italy' } }],
    ['include=country.continent', { country: { id: italy, continent: 'EU' } }],
    [
      'include=country.continent.planet.name,country.continent,country.continent.name,country.area',
      {
        country: {
          id: italy,
          continent: { id: 'EU', planet: { id: earth, name: 'Earth' }, name: 'Europe' },
          area: '302068.5',
        },
      },
    ],
    [
      'include=country.extra.color,country.extra."a.b".c',
      { country: { id: italy, extra: { color: 'green', 'a.b': { c: 1 } } } },
    ],
    [
      'include=country.extra.color,country.extra',
      { country: { id: italy, extra: { color: 'green', 'a.b': { c: 1 } } } },
    ],
    ['include=name,twin.name,twin.country.name', { name: 'Rome', twin: null }],
    [`include=country.${LONG}`, { country: { id: italy, [LONG]: 'Repubblica' } }],
    ['include=name,size', { name: 'Rome', size: 3 }],
    [
      `include=${Array.from({ length: 60 }, (_, at) => `country.extra.k${at}`).join()}`,
      { country: { id: italy, extra: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`k${at}`, null])) } },
    ],
  ])('nest=true&%s', async (include, expected) => {
    expect(await record(rome, `nest=true&${include}`)).toEqual(expected);
  });

  it('with nest is null where the reference is, on every step', async () => {
    expect(await record(lost, 'nest=true&include=country.continent.name')).toEqual({
      country: { id: nowhere, continent: null },
    });
    expect(await record(atlantis, 'nest=true&include=country.continent.name,name')).toEqual({
      name: 'Atlantis',
      country: null,
    });
  });

  it('with nest replaces the field of the reference, and can be switched off', async () => {
    const whole = (await record(rome, '')) as object;
    const nested = { ...whole, country: { id: italy, name: 'Italy' } };
    expect(await record(rome, 'nest=true&include=*,country.name')).toEqual(nested);
    expect(await record(rome, 'nest=false&include=*,country.name')).toEqual({ ...whole, 'country.name': 'Italy' });
    expect(await record(rome, 'nest=true')).toEqual(whole);
    expect(await record(rome, 'nest=true&exclude=size,id')).toEqual(await record(rome, 'exclude=size,id'));
    const linked = await record(rome, 'nest=true&include=country.name&load_links=true');
    expect(linked).toEqual({ country: { id: italy, name: 'Italy' }, links: { parent: [], child: [] } });
    const { headers } = await project.get(`/city/unit/${rome}?nest=true&include=country.name`);
    const again = await project.get(`/city/unit/${rome}?nest=true&include=country.name`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  it.each(['yes', '1', '', 'TRUE'])('nest=%s is refused', async (value) => {
    for (const path of ['/city/unit', `/city/unit/${rome}`]) {
      const { status, body } = await project.get(`${path}?nest=${value}&include=country.name`);
      expect({ status, messages: body.messages }).toMatchObject({
        status: 400,
        messages: [{ code: 'query.bad_value', parameter: 'nest' }],
      });
    }
  });

  it('has own fields in their order, then paths as requested, also with orders and filters', async () => {
    const query =
      'include=country.name,name,twin.name,id&order=country.name;desc&filter=eq(country.name,Italy)&limit=1';
    const { text } = await project.get(`/city/unit?${query}`);
    expect(text).toContain(`[{"id":"${rome}","name":"Rome","country.name":"Italy","twin.name":null}]`);
  });
});

const refused = (query: string, code: string, text: string, parameter: string) =>
  ({
    name: query,
    request: `GET /city/unit?${query}`,
    expect: { status: 400, code, text, parameter },
  }) as Scenario<'project'>;

describe('a path that leads nowhere', () => {
  scenarios({ project }, [
    refused(
      'filter=eq(country.nme,x)',
      'filter.unknown_parameter',
      "no parameter 'nme' in 'country' (did you mean 'name'?)",
      'nme',
    ),
    refused(
      'filter=eq(cuntry.name,x)',
      'filter.unknown_parameter',
      "no parameter 'cuntry' in 'city' (did you mean 'country'?), at character 4",
      'cuntry',
    ),
    refused(
      'filter=and(eq(size,1),eq(country.contnent.name,x))',
      'filter.unknown_parameter',
      "'contnent' in 'country' (did you mean 'continent'?), at character 19",
      'contnent',
    ),
    refused('filter=eq(name.x,y)', 'filter.unknown_parameter', "'name' leads no further", 'name'),
    refused('filter=eq(country.tags.x,y)', 'filter.unknown_parameter', "'tags' leads no further", 'tags'),
    refused('filter=eq(country.constructor,x)', 'filter.unknown_parameter', "'constructor'", 'constructor'),
    refused('filter=eq(twin.twin.twin.twin.name,x)', 'filter.too_large', 'at most 3 references', 'twin'),
    refused('filter=lt(country.continent,EU)', 'filter.bad_operator', 'has no lt', 'continent'),
    refused('filter=gt(country.area,many)', 'filter.bad_value', "'area' wants", 'area'),
    refused(
      'order=country.nme;asc',
      'parameter.unknown',
      "order: no parameter 'nme' in 'country' (did you mean 'name'?)",
      'order',
    ),
    refused('order=country.tags;asc', 'query.bad_value', "'tags' is a list", 'order'),
    refused('order=country.extra;asc', 'query.bad_value', "'extra' is json", 'order'),
    refused('order=name.x;asc', 'parameter.unknown', "'name' leads no further", 'order'),
    refused('order=twin.twin.twin.twin.name;asc', 'query.bad_value', 'at most 3 references', 'order'),
    refused('order=country..name;asc', 'query.bad_value', 'expected a parameter', 'order'),
    refused(
      'include=country.nme',
      'parameter.unknown',
      "include: no parameter 'nme' in 'country' (did you mean 'name'?)",
      'include',
    ),
    refused('include=name.x', 'parameter.unknown', "'name' leads no further", 'include'),
    refused('include=country.', 'query.bad_value', 'expected a parameter', 'include'),
    refused('include=twin.twin.twin.twin.name', 'query.bad_value', 'at most 3 references', 'include'),
    refused('exclude=country.name', 'parameter.unknown', "'country.name' is in no record", 'exclude'),
    refused(
      `include=${Array.from({ length: 101 }, (_, at) => `country.extra.k${at}`).join()}`,
      'query.bad_value',
      'at most 100',
      'include',
    ),
  ]);

  it('is reported with all other faults of the query', async () => {
    const query = 'filter=eq(country.nme,x)&order=country.nme;asc&include=country.nme,nme';
    const { body } = await project.get(`/city/unit?${query}`);
    expect(body.messages.map(({ code, parameter }) => `${code} ${parameter ?? ''}`)).toEqual([
      'parameter.unknown order',
      'filter.unknown_parameter nme',
      'parameter.unknown include',
      'parameter.unknown include',
    ]);
  });

  it('is not available in a struct', async () => {
    expect((await project.get('/city/struct?include=country.name')).status).toBe(400);
  });
});

it('takes one statement, however many paths and units', async () => {
  const query =
    'filter=or(eq(country.name,Italy),eq(twin.country.name,Mali))&order=country.continent.name;asc&include=name,country.name,twin.name';
  expect(await project.statements(() => project.get(`/city/unit?${query}`))).toBe(1);
  expect(await project.statements(() => project.get(`/city/unit?${query}&cursor=`))).toBe(1);
  expect(await project.statements(() => project.get(`/city/unit/${rome}?include=country.name`))).toBe(1);
});

it('answers the largest filter over the maximum of references', { timeout: 20_000 }, async () => {
  const ways = ['twin.twin.twin', 'twin.twin.country', 'twin.country.continent', 'country.continent.planet'];
  const tests = Array.from({ length: 200 }, (_, at) => `ne(${ways[at % 4] ?? ''}.name,${at})`);
  for (const op of ['and', 'or']) {
    expect(await named(`filter=${op}(${tests.join()})`)).toBe('Rome Milan Bamako Lost Atlantis');
  }
  const nested = tests.map((test) => `and(or(${test}),not(isnull(id)))`).slice(0, 90);
  expect(await named(`filter=and(${nested.join()})`)).toBe('Rome Milan Bamako Lost Atlantis');
});

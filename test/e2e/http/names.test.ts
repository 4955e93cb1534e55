/** Names that mean something to JavaScript or SQL are harmless wherever a client can put one (threats, classes 4 and 5). */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { dealt } from '../../support/runs.js';
import { play, scenarios, type Scenario } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const MAGIC = [
  'constructor',
  '__proto__',
  'toString',
  'prototype',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
  'then',
  'toJSON',
  'length',
];
const SQL = [
  `"`,
  `'`,
  `a"b`,
  `a'b`,
  `a;b`,
  '--',
  '/*',
  '$1',
  '$$',
  '\\',
  'a\\',
  `"; DROP TABLE city; --`,
  `' OR '1'='1`,
  '%s',
  '{0}',
  '${x}',
  'x'.repeat(200),
  '*',
  't',
  'now()',
  'null',
];
await defineKinds(project, {
  id: 'city',
  label: 'City',
  parameters: [
    { id: 'name', kind_id: 'string' },
    { id: 'meta', kind_id: 'json' },
    { id: 'code', kind_id: 'string', unique: true },
  ],
});
const { id } = (await project.post('/city/unit', { name: 'Rome', meta: { color: 'red' } })).body.content as {
  id: string;
};

function places(name: string): Scenario<never>[] {
  const text = encodeURIComponent(name);
  const json = JSON.stringify(name);
  const key = encodeURIComponent(json.replace(/\\\\/g, '\\\\'));
  const inParameter = { status: 400 } as const;
  return [
    { name: `${name} as a kind`, request: `GET /${text}/unit`, expect: { status: 404, code: 'kind.unknown' } },
    {
      name: `${name} as a kind to write`,
      request: `POST /${text}/unit`,
      body: '{}',
      expect: { status: 404, code: 'kind.unknown' },
    },
    {
      name: `${name} as a kind to describe`,
      request: `GET /${text}/struct`,
      expect: { status: 404, code: 'kind.unknown' },
    },
    { name: `${name} as a unit`, request: `GET /city/unit/${text}`, expect: { status: 404, code: 'unit.unknown' } },
    {
      name: `${name} as a unit to delete`,
      request: `DELETE /city/unit/${text}`,
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: `${name} as a definition`,
      request: `GET /kind/unit/${text}`,
      expect: { status: 404, code: 'unit.unknown' },
    },
    { name: `${name} as a group`, request: `GET /group/${text}/kind`, expect: { status: 404, code: 'group.unknown' } },
    {
      name: `${name} as a link type`,
      request: `POST /kind/unit/city/link/${text}/string/unit/name`,
      expect: { status: 404 },
    },
    {
      name: `${name} as a key of a body`,
      request: 'POST /city/unit',
      body: `{${json}: 1}`,
      expect: { status: 400, code: 'parameter.unknown' },
    },
    {
      name: `${name} as a key of an edit`,
      request: `PUT /city/unit/${id}`,
      body: `{${json}: {"name": "Oslo"}}`,
      expect: { status: 400, code: 'parameter.unknown' },
    },
    {
      name: `${name} as a key of a definition`,
      request: 'POST /kind/unit',
      body: `{"id": "other", ${json}: 1}`,
      expect: { status: 400 },
    },
    {
      name: `${name} as a key of an access`,
      request: 'POST /kind/unit',
      body: `{"id": "other", "access": {${json}: "anyone"}}`,
      expect: { status: 400 },
    },
    {
      name: `${name} as a query parameter`,
      request: `GET /city/unit?${text}=1`,
      expect: { status: 400, code: 'query.unknown' },
    },
    {
      name: `${name} as a query list`,
      request: `GET /city/unit?${text}[]=1`,
      expect: { status: 400, code: 'query.unknown' },
    },
    {
      name: `${name} in include`,
      request: `GET /city/unit?include[]=${text}`,
      expect: name === '*' ? { status: 200 } : inParameter,
    },
    { name: `${name} in exclude`, request: `GET /city/unit?exclude[]=${text}`, expect: inParameter },
    { name: `${name} in order`, request: `GET /city/unit?order=${text};asc`, expect: inParameter },
    {
      name: `${name} as a direction`,
      request: `GET /city/unit?order=name;${text}`,
      expect: { status: 400, code: 'query.bad_value' },
    },
    { name: `${name} as an operator`, request: `GET /city/unit?filter=${text}(name,x)`, expect: inParameter },
    {
      name: `${name} as a parameter of a filter`,
      request: `GET /city/unit?filter=eq(${key},x)`,
      expect: { status: 400, code: 'filter.unknown_parameter' },
    },
    {
      name: `${name} as a value of a filter`,
      request: `GET /city/unit?filter=eq(name,${key})`,
      expect: { status: 200, content: { count: 0, items: [] } },
    },
    {
      name: `${name} as a value to look for`,
      request: `GET /city/unit?filter=icontains(name,${key})`,
      expect: { status: 200 },
    },
    {
      name: `${name} as a JSON key of a filter`,
      request: `GET /city/unit?filter=isnull(meta.${key})`,
      expect: { status: 200, content: { count: 1 } },
    },
    {
      name: `${name} as a JSON key of an order`,
      request: `GET /city/unit?order=meta.${key};desc`,
      expect: { status: 200 },
    },
    {
      name: `${name} as a cursor`,
      request: `GET /city/unit?cursor=${text}`,
      expect: { status: 400, code: 'query.bad_value' },
    },
    {
      name: `${name} as a limit`,
      request: `GET /city/unit?limit=${text}`,
      expect: { status: 400, code: 'query.bad_value' },
    },
    {
      name: `${name} as a project`,
      request: 'GET /city/unit',
      headers: { 'kind-project-key': name },
      expect: { status: 401, code: 'project.unknown' },
    },
    {
      name: `${name} as a type`,
      request: 'POST /kind/unit',
      body: { id: 'other', parameters: [{ id: 'p', kind_id: name }] },
      expect: { status: 400 },
    },
    {
      name: `${name} as a referenced kind`,
      request: 'POST /unit/unit',
      body: { id: 'p', reference_kind: name },
      expect: { status: 400 },
    },
  ];
}

describe('names that JavaScript knows', () => scenarios({ admin: project }, MAGIC.flatMap(places)));
describe('names that SQL knows', () => scenarios({ admin: project }, dealt(SQL.flatMap(places), 1).flat()));

describe('as data', () => {
  it.each([...MAGIC, ...SQL])('%s is stored and found again, as a value and as a JSON key', async (name) => {
    const body = `{"name": ${JSON.stringify(name)}, "meta": {${JSON.stringify(name)}: {"__proto__": ${JSON.stringify(name)}}}, "code": ${JSON.stringify(name)}}`;
    const made = await project.post('/city/unit', body);
    expect(made.status, made.text).toBe(200);
    expect(JSON.stringify(made.body.content.meta)).toBe(JSON.stringify((JSON.parse(body) as { meta: unknown }).meta));
    const quoted = `"${name.replace(/["\\]/g, '\\$&')}"`;
    for (const filter of [
      `eq(name,${quoted})`,
      `eq(code,${quoted})`,
      `eq(meta.${quoted}."__proto__",${quoted})`,
      `and(contains(name,${quoted}),in(code,[${quoted}]))`,
    ]) {
      const found = await project.get(
        `/city/unit?filter=${encodeURIComponent(filter)}&order=meta.${encodeURIComponent(/[,;]/.test(quoted) ? 'x' : quoted)};asc`,
      );
      expect(found.body.content?.items, filter).toMatchObject([{ id: made.body.content.id, name }]);
    }
    expect((await project.post('/city/unit', { code: name })).body.messages).toMatchObject([
      { code: 'parameter.not_unique', parameter: 'code' },
    ]);
    await project.delete(`/city/unit/${made.body.content.id as string}`);
  });
});

describe('as valid ids', async () => {
  const own = await service.project();
  const ids = [
    'constructor',
    'prototype',
    'tostring',
    'hasownproperty',
    'valueof',
    'then',
    'length',
    'order',
    'select',
    'user',
    'table',
    'null',
    'true',
    'xmin',
    'ctid',
    'tableoid',
    'excluded',
    'made',
    'page',
    'r',
    'i',
    't',
    'u',
    'm',
    'e',
    'n',
    'keys',
    'item',
    'v',
    'tag',
    'body',
    'default',
    'name',
  ];
  it.each(ids)('%s is a kind and a parameter like any other', async (name) => {
    const parameter = { id: name, kind_id: 'string', indexed: true };
    const made = await own.post('/kind/unit', { id: name, label: name, parameters: [parameter] });
    expect(made.status, made.text).toBe(200);
    const unit = await own.post(`/${name}/unit`, { [name]: 'a' });
    expect(unit.body.content).toMatchObject({ kind_id: name, [name]: 'a' });
    const path = `/${name}/unit/${unit.body.content.id as string}`;
    expect(
      (await own.get(`/${name}/unit?filter=eq(${name},a)&order=${name};desc&include=${name}`)).body.content,
    ).toEqual({ count: 1, items: [{ [name]: 'a' }] });
    expect(
      (await own.get(`/${name}/unit?cursor=&order=${name};desc&filter=and(eq(kind_id,${name}),isnull(${name},false))`))
        .body.content,
    ).toMatchObject({ count: 1, next: null });
    expect((await own.put(path, { [name]: 'b' })).body.content).toMatchObject({ [name]: 'b' });
    expect((await own.get(`/${name}/struct`)).body.content.items).toMatchObject([{ id: name }, { id: 'metadata' }]);
    expect((await own.delete(path)).status).toBe(200);
  });

  it('an absent parameter with such a name is absent', async () => {
    await defineKinds(project, {
      id: 'magic',
      label: 'Magic',
      parameters: [
        { id: 'constructor', kind_id: 'string' },
        { id: 'valueof', kind_id: 'json' },
      ],
    });
    await play(project, {
      name: '',
      request: 'POST /magic/unit',
      body: {},
      expect: { status: 200, content: { constructor: null, valueof: null } },
    });
    await play(project, {
      name: '',
      request: 'POST /magic/unit',
      body: [{}, {}],
      expect: { status: 200, content: { count: 2, items: [{ constructor: null }, { constructor: null }] } },
    });
  });

  it('nothing reached the prototypes', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['name']).toBeUndefined();
  });
});

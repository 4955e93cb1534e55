/** `GET /{kind_id}/by/{unique_parameter}/{value}`: a unit by another unique parameter than its id. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { scenarios, type Scenario } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const member = await asMember(project);
const unique = (id: string, kind_id = 'string', more: object = {}) => ({ id, kind_id, unique: true, ...more });
await defineKinds(
  project,
  {
    id: 'land',
    parameters: [
      { id: 'iso', kind_id: 'string', is_primary: true },
      { id: 'name', kind_id: 'string' },
    ],
  },
  {
    id: 'city',
    access: { read: 'ne(hush,true)' },
    parameters: [
      unique('code'),
      unique('number', 'integer'),
      unique('price', 'decimal'),
      unique('day', 'date'),
      unique('secret', 'string', { hidden: true }),
      unique('closed', 'string', { read_access: 'admin' }),
      unique('tags', 'string', { multiple: true }),
      { id: 'extra', kind_id: 'json' },
      unique('twin', 'unit', { reference_kind: 'city', on_delete: 'set_null' }),
      { id: 'land', kind_id: 'unit', reference_kind: 'land' },
      { id: 'plain', kind_id: 'string' },
      { id: 'alone', kind_id: 'string' },
      { id: 'hush', kind_id: 'boolean' },
    ],
    unique: [['alone'], ['land', 'plain']],
  },
  { id: 'by', parameters: ['code'] },
);
await ok(project.post('/land/unit', { iso: 'it', name: 'Italy' }));
const rome = await createdId(
  project.post('/city/unit', {
    code: 'a/b c%é',
    number: 7,
    price: '1.50',
    day: '2024-01-31',
    secret: 's',
    closed: 'c',
    tags: ['x'],
    extra: { a: 1 },
    land: 'it',
    plain: 'p',
    alone: 'one',
  }),
);
const milan = await createdId(project.post('/city/unit', { code: 'M', twin: rome, alone: 'two' }));
await ok(project.post('/city/unit', { code: 'H', hush: true }));
await ok(project.post('/by/unit', { code: 'x' }));
const code = encodeURIComponent('a/b c%é');

describe('a unit', () => {
  it.each([
    [`code/${code}`],
    ['number/7'],
    ['number/007'],
    ['price/1.5'],
    ['price/1.50'],
    ['day/2024-01-31'],
    ['day/31-01-2024'],
    ['alone/one'],
    [`id/${rome}`],
  ])('is got by %s', async (path) => {
    const whole = await member.get(`/city/unit/${rome}`);
    const { status, text, headers } = await member.get(`/city/by/${path}`);
    expect({ status, text, etag: headers.get('etag') }).toEqual({
      status: 200,
      text: whole.text,
      etag: whole.headers.get('etag'),
    });
  });

  it('is got by a unique reference, and by the primary parameter', async () => {
    expect(await ok(member.get(`/city/by/twin/${rome}`))).toMatchObject({ id: milan });
    expect(await ok(member.get('/land/by/iso/it'))).toEqual(await ok(member.get('/land/unit/it')));
    expect(await ok(member.get('/land/by/id/it'))).toEqual(await ok(member.get('/land/unit/it')));
  });

  it('is shown as by its id: include, nest, load_links, If-None-Match, in one statement', async () => {
    for (const query of [
      'include=code,land.name',
      'include=*,land.name&nest=true',
      'load_links=true',
      'exclude=code',
    ]) {
      const [by, plain] = [
        await member.get(`/city/by/number/7?${query}`),
        await member.get(`/city/unit/${rome}?${query}`),
      ];
      expect({ text: by.text, etag: by.headers.get('etag') }).toEqual({
        text: plain.text,
        etag: plain.headers.get('etag'),
      });
    }
    const etag = (await member.get('/city/by/number/7')).headers.get('etag') ?? '';
    expect((await member.get('/city/by/number/7', { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect(await member.statements(() => member.get('/city/by/number/7?include=land.name'))).toBe(1);
  });

  it('of a kind named by is got too', async () => {
    const { items } = (await ok(project.get('/by/unit'))) as { items: { id: string }[] };
    expect(await ok(project.get('/by/by/code/x'))).toEqual(items[0]);
    expect(await ok(project.get(`/by/unit/${items[0]?.id ?? ''}`))).toEqual(items[0]);
  });
});

describe('what is refused', () => {
  const bad = (name: string, path: string, expected: Scenario<'member'>['expect']): Scenario<'member'> => ({
    name,
    as: 'member',
    request: `GET ${path}`,
    expect: expected,
  });
  scenarios({ member, admin: project, nobody: anonymous(project) }, [
    bad('an unknown value', '/city/by/code/nope', { status: 404, code: 'unit.unknown' }),
    bad('a unit that the caller may not read', '/city/by/code/H', { status: 404, code: 'unit.unknown' }),
    bad('a unit before faults of the query', '/city/by/code/H?include=nope', { status: 404, code: 'unit.unknown' }),
    bad('a fault of the query', '/city/by/code/M?include=nope', { status: 400, code: 'parameter.unknown' }),
    bad('an unknown query parameter', '/city/by/code/M?limit=1', { status: 400, code: 'query.unknown' }),
    bad('a value of another type', '/city/by/number/seven', {
      status: 400,
      code: 'filter.bad_value',
      parameter: 'number',
    }),
    bad('a date that is none', '/city/by/day/2024-02-31', { status: 400, code: 'filter.bad_value', parameter: 'day' }),
    bad('a NUL', '/city/by/code/a%00', { status: 400, code: 'filter.bad_value', parameter: 'code' }),
    bad('a parameter that is not unique', '/city/by/plain/p', {
      status: 400,
      code: 'parameter.no_key',
      parameter: 'plain',
      text: "'plain' of 'city' is not unique; those that are: 'code', 'number', 'price', 'day', 'twin', 'alone'",
    }),
    bad('a list', '/city/by/tags/x', { status: 400, code: 'parameter.no_key', parameter: 'tags' }),
    bad('JSON', '/city/by/extra/x', { status: 400, code: 'parameter.no_key', parameter: 'extra' }),
    bad('an unknown parameter', '/city/by/cod/x', {
      status: 400,
      code: 'parameter.unknown',
      parameter: 'cod',
      text: "No parameter 'cod' in 'city' (did you mean 'code'?)",
    }),
    bad('a hidden parameter is unknown', '/city/by/secret/s', { status: 400, code: 'parameter.unknown' }),
    bad('one that the caller may not read is unknown', '/city/by/closed/c', { status: 400, code: 'parameter.unknown' }),
    bad('a unknown kind', '/nope/by/code/x', { status: 404, code: 'kind.unknown' }),
    bad('credentials', '/kind_system_user/by/username/x', { status: 403, code: 'access.denied' }),
    bad('the definition of credentials', '/kind/by/id/kind_system_user', { status: 403, code: 'access.denied' }),
    bad('an empty value', '/city/by/code/', { status: 404, code: 'route.unknown' }),
    { name: 'no token', as: 'nobody', request: 'GET /city/by/code/M', expect: { status: 401, code: 'token.missing' } },
    { name: 'a write', as: 'admin', request: 'DELETE /city/by/code/M', expect: { status: 405, code: 'route.method' } },
  ]);

  it('a null is no value', async () => {
    expect((await project.get('/city/by/number/null')).status).toBe(400);
    expect((await project.get('/city/by/closed/')).status).toBe(404);
    expect((await project.get('/city/by/closed/c')).status).toBe(200);
  });
});

it('a group named by keeps its routes', async () => {
  await ok(project.post('/group/unit', { id: 'by', kind_list: ['land'] }));
  expect(await ok(project.get('/group/by/unit/it'))).toMatchObject({ id: 'it' });
  expect(await ok(project.get('/group/by/id/by'))).toMatchObject({ id: 'by', kind_list: ['land'] });
});

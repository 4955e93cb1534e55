/** The four routes of functions: rights, existence, state, parameters, and one transaction for all that a call does. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { scenarios } from '../../support/scenario.js';

const CITY = `
import { kind, filter, FunctionError, type ListOptions } from 'kind';
const city = kind('city');

const everything = {
  text: { type: 'string', required: true, max_length: 10, strip: true },
  size: { type: 'integer', min_value: 1, default: 3 },
  ratio: { type: 'float' },
  price: { type: 'decimal', scale: 2 },
  flag: { type: 'boolean' },
  day: { type: 'date' },
  any: { type: 'json' },
  tags: { type: 'string', multiple: true, unique: true },
  land: { type: 'unit', reference_kind: 'land' },
} as const;

export default city.module({
  functions: {
    echo: city.function({ description: 'Echoes', parameters: everything, run: ({ parameters }) => parameters }),
    nothing: city.function({ description: 'Nothing', run: () => undefined }),
    reads: city.function({ description: 'Takes GET', methods: ['GET'], run: () => 1 }),
    open: city.function({ description: 'Open', access: 'anyone', run: ({ member }) => member }),
    closed: city.function({ description: 'Closed', access: 'admin', run: ({ member }) => member !== null }),
    constructor: city.function({ description: 'A name', run: () => 'harmless' }),
    refuse: city.function({ description: 'Refuses', run: async ({ units }) => {
      await units('city').create({ name: 'Lost' });
      throw new FunctionError(418, 'city.teapot', 'No coffee', 'text');
    } }),
    fail: city.function({ description: 'Fails', run: () => { throw Object.assign(new Error('secret'), { status: 404 }); } }),
    throws: city.function({ description: 'Throws no error', run: () => { throw 'a text'; } }),
    circle: city.function({ description: 'Answers what is no JSON', run: async ({ units }) => {
      await units('city').create({ name: 'Circular' });
      const a: { a?: unknown } = {}; a.a = a; return a;
    } }),
    make: city.function({
      description: 'Makes cities', parameters: { names: { type: 'string', multiple: true, required: true } },
      run: async ({ units, parameters }) => (await units('city').createAll(parameters.names.map((name) => ({ name })))).length,
    }),
    attempt: city.function({ description: 'Goes on after a refusal', run: async ({ units }) => {
      const codes: string[] = [];
      for (const name of ['Rome', 'Rome', 'x'.repeat(60)]) {
        await units('city').create({ name }).catch((error: { code: string }) => codes.push(error.code));
      }
      const { items } = await units('city').list({ filter: filter\`eq(name,\${'Rome'})\` });
      return { codes, found: items.map(({ name }) => name) };
    } }),
    together: city.function({ description: 'Starts all at once', run: async ({ units }) =>
      (await Promise.all(['T1', 'T2', 'T3'].map((name) => units('city').create({ name })))).map(({ name }) => name) }),
    secret: city.function({ description: 'Sees what is hidden', run: async ({ units }) => {
      const [found] = (await units('city').list({ filter: 'eq(code,"c1")' })).items;
      return { unit: found, read: found?.code };
    } }),
    mine: city.function({ description: 'Acts as the caller', run: ({ units }) => units('vault').list() }),
    system: city.function({ description: 'Acts as the system', run: async ({ system }) => (await system.units('vault').list()).count }),
    blunder: city.function({ description: 'Lets a refusal of the system through', run: ({ system }) => system.units('vault').get('nothing') }),
    sealed: city.function({ description: 'Asks for credentials', run: ({ system }) => system.units('kind_system_user').list() }),
    define: city.function({ description: 'Changes the model', run: ({ system }) => system.units('kind').create({ id: 'x', label: 'X' }) }),
    text: city.function({ description: 'Answers a function', run: () => () => 1 }),
    all: city.function({ description: 'Reads a group', run: async ({ groups, units }) => {
      const { items } = await groups.units('places', { filter: 'eq(name,Oslo)' });
      return { items, read: items[0]?.code, kinds: (await units('group').get('places')).kind_list };
    } }),
    behind: city.function({ description: 'Follows a reference', run: async ({ units }) => {
      const { items } = await units('visit').list({ include: ['at.code'] });
      return { items, read: items[0]?.['at.code'] };
    } }),
    nested: city.function({ description: 'Follows a reference to an object', run: async ({ units }) => {
      const { items } = await units('visit').list({ include: ['at.code'], nest: true });
      return { items, read: (items[0]?.['at'] as { code: string }).code };
    } }),
    near: city.function({ description: 'Follows links', run: async ({ units, links }) => {
      const [oslo] = (await units('city').list({ filter: 'eq(name,Oslo)' })).items;
      const other = await units('city').create({ name: 'Ås', code: 'c3' });
      await links.create(oslo, other);
      const { items } = await links.list(oslo, 'child');
      return { items, read: items[0]?.code };
    } }),
    bare: city.function({ description: 'Asks for little', run: async ({ units, links, groups }) => {
      const [oslo] = (await units('city').list({ filter: 'eq(name,Oslo)' })).items;
      await links.create(oslo, await units('city').create({ name: 'Moss', code: 'c4' }));
      const asked = [{ exclude: ['kind_id'] }, { include: ['name', 'code'] }, { exclude: ['kind_id, name'] }];
      const pages = [];
      for (const options of asked) pages.push(await groups.units('places', options), await links.list(oslo, 'child', options));
      const items = pages.flatMap((page) => page.items);
      return { items, read: items.at(-1)?.code, kinds: items.map(({ kind_id }) => kind_id ?? null) };
    } }),
    around: city.function({ description: 'Loads links', run: async ({ units, links, groups }) => {
      const [oslo] = (await units('city').list({ filter: 'eq(name,Oslo)' })).items;
      await links.create(oslo, await units('city').create({ name: 'Drøbak', code: 'c5' }));
      const { items } = await groups.units('places', { load_links: true, filter: 'eq(name,Oslo)' } as ListOptions);
      const back = await links.list(oslo, 'child', { load_links: true, exclude: ['kind_id'] } as ListOptions);
      const [child] = (items[0]?.links as any).child;
      return { items: [...items, ...back.items], read: child.code, kinds: [child.kind_id, back.items[0]?.kind_id ?? null] };
    } }),
    none: city.function({ description: 'Asks for nothing', run: async ({ units, groups, links }) => {
      const told: string[] = [];
      const note = (error: Error) => { told.push(error.message); };
      const [unit] = (await units('city').list({ limit: 1, exclude: [], order: [] })).items;
      await units('city').list({ include: [] }).catch(note);
      await groups.units('places', { include: [] }).catch(note);
      for (const empty of [{ link_id: [] }, { kind_id: [] }]) await links.list(unit, 'child', empty).catch(note);
      try { filter\`in(name,\${[]})\`; } catch (error) { note(error as Error); }
      return told;
    } }),
    links: city.function({ description: 'Links', run: async ({ units, links }) => {
      const [a, b] = await units('city').createAll([{ name: 'LinkA' }, { name: 'LinkB' }]);
      await links.create(a, b);
      const { items } = await links.list(a, 'child');
      await links.remove(a, b);
      return [items.map(({ name }) => name), (await links.list(a, 'child')).count];
    } }),
  },
  unitFunctions: {
    name_of: city.unitFunction({ description: 'Its name', run: ({ unit }) => unit.name }),
    own: city.unitFunction({ description: 'By rule', access: 'eq(name,Oslo)', run: ({ unit }) => unit.name }),
  },
});
`;

const folder = new FunctionsFolder({ 'city.ts': CITY, 'broken.ts': 'export default 1;' });
const service = await sharedServiceWith(folder);
const admin = await service.project();
await defineKinds(
  admin,
  { id: 'land', label: 'Land', parameters: [{ id: 'iso', kind_id: 'string', is_primary: true }] },
  {
    id: 'city',
    label: 'City',
    parameters: [
      { id: 'name', kind_id: 'string', required: true, unique: true, max_length: 50 },
      { id: 'code', kind_id: 'string', hidden: true },
    ],
  },
  { id: 'vault', label: 'Vault', access: { read: 'nobody', create: 'anyone' } },
  { id: 'broken', label: 'Broken' },
  { id: 'plain', label: 'Plain' },
  { id: 'visit', label: 'Visit', parameters: [{ id: 'at', kind_id: 'unit', reference_kind: 'city' }] },
  { id: 'asleep', label: 'Asleep', active: false },
);
await admin.post('/land/unit', { iso: 'no' });
const id = await createdId(admin.post('/city/unit', { name: 'Oslo', code: 'c1' }));
const other = (await admin.post('/city/unit', { name: 'Bergen' })).body.content as { id: string };
await admin.post('/vault/unit', {});
await admin.post('/visit/unit', { at: id });
await admin.post('/group/unit', { id: 'places', label: 'Places', kind_list: ['city', 'plain'] });
const member = await asMember(admin);
const nobody = anonymous(admin);
const callers = { admin, member, nobody };
const unknown = { status: 404, code: 'function.unknown' } as const;

describe('who may call what', () => {
  scenarios(callers, [
    { name: 'a member', request: 'GET /city/function/nothing', as: 'member', expect: { status: 200, content: null } },
    {
      name: 'by POST too',
      request: 'POST /city/function/nothing',
      as: 'member',
      expect: { status: 200, content: null },
    },
    {
      name: 'nobody without a token',
      request: 'GET /city/function/nothing',
      as: 'nobody',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'nor learns what there is',
      request: 'GET /city/function/nope',
      as: 'nobody',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'nor of kinds',
      request: 'GET /nope/function/nope',
      as: 'nobody',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'nor that a module is broken',
      request: 'GET /broken/function/x',
      as: 'nobody',
      expect: { status: 401, code: 'token.missing' },
    },
    { name: 'an unknown kind', request: 'GET /nope/function/nope', expect: { status: 404, code: 'kind.unknown' } },
    {
      name: 'a bad body without a token',
      request: 'POST /city/function/echo',
      body: '{',
      as: 'nobody',
      expect: { status: 401, code: 'token.missing' },
    },
    { name: 'an open one', request: 'GET /city/function/open', as: 'nobody', expect: { status: 200, content: null } },
    {
      name: 'a closed one',
      request: 'GET /city/function/closed',
      as: 'member',
      expect: { status: 403, code: 'access.denied' },
    },
    { name: 'a closed one as an administrator', request: 'GET /city/function/closed', expect: { status: 200 } },
    {
      name: 'an unknown one',
      request: 'GET /city/function/ehco',
      expect: { ...unknown, text: "did you mean 'echo'?" },
    },
    {
      name: 'a method that it does not take',
      request: 'POST /city/function/reads',
      expect: { status: 405, code: 'route.method', headers: { allow: 'GET, HEAD, OPTIONS' } },
    },
    {
      name: 'a method that it does not take, as who may not call it',
      request: 'POST /city/function/reads',
      as: 'nobody',
      expect: { status: 401, code: 'token.missing', headers: { allow: null } },
    },
    {
      name: 'a method that a closed one does not take',
      request: 'POST /city/function/closed',
      as: 'member',
      expect: { status: 403, code: 'access.denied', headers: { allow: null } },
    },
    {
      name: 'a method that none takes',
      request: 'PUT /city/function/reads',
      expect: { status: 405, code: 'route.method', headers: { allow: 'GET, HEAD, POST, OPTIONS' } },
    },
    { name: 'a kind without a module', request: 'GET /plain/function/x', expect: unknown },
    {
      name: 'a kind of the model, as who may not call',
      request: 'GET /kind/function/x',
      as: 'member',
      expect: { status: 403, code: 'access.denied' },
    },
    { name: 'a kind of the model, which has none', request: 'GET /kind/function/x', expect: unknown },
    { name: 'nor has one of the others', request: 'GET /link/function/x', expect: unknown },
    {
      name: 'an inactive kind',
      request: 'GET /asleep/function/x',
      expect: { status: 403, code: 'kind.inactive' },
    },
    { name: 'a broken module', request: 'GET /broken/function/x', expect: { status: 503, code: 'function.broken' } },
    {
      name: 'a name of JavaScript that is declared',
      request: 'GET /city/function/constructor',
      expect: { status: 200 },
    },
    ...['__proto__', 'toString', 'hasOwnProperty', '..%2f..', '%00'].map((name) => ({
      name: `the name ${name}`,
      request: `GET /city/function/${name}`,
      expect: unknown,
    })),
  ]);
});

describe('functions of a unit', () => {
  scenarios(callers, [
    { name: 'get it', request: `GET /city/unit/${id}/function/name_of`, expect: { status: 200 } },
    {
      name: 'a unit that is not there',
      request: 'GET /city/unit/nope/function/name_of',
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'a function of the kind is none',
      request: `GET /city/unit/${id}/function/echo`,
      expect: { ...unknown, text: 'of the kind: /city/function/echo' },
    },
    {
      name: 'nor is one of a unit one of the kind',
      request: 'GET /city/function/name_of',
      expect: { ...unknown, text: 'of a unit: /city/unit/{id}/function/name_of' },
    },
    { name: 'nor the other way', request: 'GET /city/function/name_of', expect: unknown },
    { name: 'a rule that holds', request: `POST /city/unit/${id}/function/own`, as: 'member', expect: { status: 200 } },
    {
      name: 'a rule that does not',
      request: `POST /city/unit/${other.id}/function/own`,
      as: 'member',
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'rules are not for administrators',
      request: `POST /city/unit/${other.id}/function/own`,
      expect: { status: 200 },
    },
  ]);
});

describe('parameters', () => {
  const echoed = (content: object) => ({ status: 200, content }) as const;
  const nulls = { ratio: null, price: null, flag: null, day: null, any: null, tags: null, land: null };
  scenarios({ admin }, [
    {
      name: 'of a body',
      request: 'POST /city/function/echo',
      body: {
        text: ' a ',
        ratio: 1,
        price: '1.50',
        flag: false,
        day: '2024-02-29',
        any: { a: [1] },
        tags: ['x'],
        land: 'no',
      },
      expect: echoed({
        text: 'a',
        size: 3,
        ratio: 1,
        price: '1.5',
        flag: false,
        day: '2024-02-29',
        any: { a: [1] },
        tags: ['x'],
        land: 'no',
      }),
    },
    {
      name: 'of a query',
      request: 'GET /city/function/echo?text=a&size=7&ratio=-1.5e1&flag=true&any=%5B1%5D&tags=x&tags[]=y',
      expect: echoed({ ...nulls, text: 'a', size: 7, ratio: -15, flag: true, any: [1], tags: ['x', 'y'] }),
    },
    {
      name: 'a number of a query may begin with zeros',
      request: 'GET /city/function/echo?text=a&size=007',
      expect: echoed({ size: 7 }),
    },
    {
      name: 'absent ones are null',
      request: 'POST /city/function/echo',
      body: { text: 'a' },
      expect: echoed({ ...nulls, text: 'a', size: 3 }),
    },
    {
      name: 'all faults at once',
      request: 'POST /city/function/echo',
      body: { size: 0, ratio: '1', price: '1.234', flag: 1, day: 'x', tags: ['a', 'a'], txet: 1 },
      expect: {
        status: 400,
        code: [
          'parameter.unknown',
          'parameter.required',
          'parameter.too_small',
          'parameter.bad_type',
          'parameter.bad_value',
          'parameter.bad_type',
          'parameter.bad_value',
          'parameter.duplicate',
        ],
      },
    },
    {
      name: 'a query is read the same way',
      request: 'GET /city/function/echo?size=x&ratio=&flag=yes&any=%7B',
      expect: {
        status: 400,
        code: [
          'parameter.bad_value',
          'parameter.required',
          'parameter.bad_type',
          'parameter.bad_type',
          'parameter.bad_type',
        ],
      },
    },
    {
      name: 'once',
      request: 'GET /city/function/echo?text=a&text=b',
      expect: { status: 400, code: ['query.bad_value', 'parameter.required'] },
    },
    {
      name: 'names of every unit are unknown',
      request: 'POST /city/function/echo',
      body: { text: 'a', id: 'x', kind_id: 'city', links: 1 },
      expect: { status: 400, code: ['parameter.unknown', 'parameter.unknown', 'parameter.unknown'] },
    },
    {
      name: 'null for what is required',
      request: 'POST /city/function/echo',
      body: { text: null },
      expect: { status: 400, code: 'parameter.null' },
    },
    {
      name: 'a reference to nothing',
      request: 'POST /city/function/echo',
      body: { text: 'a', land: 'se' },
      expect: { status: 400, code: 'parameter.bad_reference', parameter: 'land' },
    },
    { name: 'no body where nothing is required', request: 'POST /city/function/nothing', expect: { status: 200 } },
    {
      name: 'null',
      request: 'POST /city/function/nothing',
      body: 'null',
      expect: { status: 400, code: 'body.not_object' },
    },
    { name: 'a list', request: 'POST /city/function/echo', body: [], expect: { status: 400, code: 'body.not_object' } },
    {
      name: 'no JSON',
      request: 'POST /city/function/echo',
      body: '{',
      expect: { status: 400, code: 'body.malformed' },
    },
    {
      name: 'a query beside a body',
      request: 'POST /city/function/nothing?a=1',
      body: {},
      expect: { status: 400, code: 'query.unknown' },
    },
    {
      name: 'of a name of JavaScript',
      request: 'POST /city/function/nothing',
      body: '{"__proto__": 1, "constructor": 2}',
      expect: { status: 400, code: ['parameter.unknown', 'parameter.unknown'] },
    },
  ]);
});

describe('a transaction', () => {
  const names = async () =>
    ((await admin.get('/city/unit?include=[name]')).body.content.items as { name: string }[]).map(({ name }) => name);

  it('commits its changes', async () => {
    expect(await admin.post('/city/function/make', { names: ['A', 'B'] })).toMatchObject({
      status: 200,
      body: { content: 2 },
    });
    expect(await names()).toEqual(expect.arrayContaining(['A', 'B']));
  });

  it('is rolled back by a FunctionError, whose text is the answer', async () => {
    const reply = await admin.post('/city/function/refuse');
    expect(reply).toMatchObject({
      status: 418,
      body: { content: null, messages: [{ code: 'city.teapot', text: 'No coffee', parameter: 'text' }] },
    });
    expect(await names()).not.toContain('Lost');
  });

  it('is rolled back if the answer is not JSON', async () => {
    expect((await admin.post('/city/function/circle')).body.messages).toMatchObject([{ code: 'server.error' }]);
    expect(await names()).not.toContain('Circular');
  });

  it.each(['fail', 'throws', 'text'])('reveals nothing of an error: %s', async (name) => {
    const reply = await admin.get(`/city/function/${name}`);
    expect(reply).toMatchObject({ status: 500, body: { messages: [{ code: 'server.error' }] } });
    expect(reply.text).not.toMatch(/secret|a text/);
  });

  it('continues after a rejected operation', async () => {
    const { body } = await admin.post('/city/function/attempt');
    expect(body.content).toEqual({ codes: ['parameter.not_unique', 'parameter.too_long'], found: ['Rome'] });
  });

  it('runs concurrent operations one after the other', async () => {
    expect((await admin.post('/city/function/together')).body.content).toEqual(['T1', 'T2', 'T3']);
  });

  it('reports faults of a list like the endpoint', async () => {
    const { status, body } = await admin.post('/city/function/make', { names: ['Ok', 'x'.repeat(51)] });
    expect([status, body.messages[0]]).toMatchObject([400, { code: 'parameter.too_long', index: 1 }]);
    expect(await names()).not.toContain('Ok');
  });

  it('rejects an empty list, instead of asking for everything', async () => {
    const { content } = (await admin.post('/city/function/none')).body;
    expect(content).toEqual([
      ...['include', 'include', 'link_id', 'kind_id'].map(
        (name) => `query.bad_value: ${name}: wants ids, separated by commas`,
      ),
      expect.stringMatching(/^filter: a list of no values/),
    ]);
  });

  it('links and follows links', async () => {
    expect((await admin.post('/city/function/links')).body.content).toEqual([['LinkB'], 0]);
  });

  it('takes one statement if nothing is done in it', async () => {
    await admin.get('/city/function/nothing');
    expect(await admin.statements(() => admin.get('/city/function/nothing'))).toBe(1);
  });
});

describe('rights inside', () => {
  it("are the caller's, except for hidden parameters, which no answer contains by accident", async () => {
    const { body } = await member.get('/city/function/secret');
    expect(body.content).toMatchObject({ unit: { name: 'Oslo' }, read: 'c1' });
    expect(body.content.unit).not.toHaveProperty('code');
  });

  it.each(['all', 'behind', 'nested', 'near'])('so in every list of units: %s', async (name) => {
    const { body, text } = await member.post(`/city/function/${name}`);
    expect(body.content).toMatchObject({ items: [{}], read: expect.stringMatching(/^c\d$/) as string });
    expect(text).not.toMatch(/"(at\.)?code"/);
  });

  it.each([
    ['where the kind is not asked for', 'bare', [null]],
    ['where links are loaded', 'around', ['city', null]],
  ])('so in lists of several kinds, %s', async (_, name, kinds) => {
    const { body, text } = await member.post(`/city/function/${name}`);
    expect(body.content).toMatchObject({ read: expect.stringMatching(/^c\d$/) as string });
    expect(new Set(body.content.kinds as unknown[])).toEqual(new Set(kinds));
    expect(text).not.toMatch(/"code"/);
  });

  scenarios(callers, [
    {
      name: 'what the caller may not read',
      request: 'GET /city/function/mine',
      expect: { status: 403, code: 'access.denied' },
    },
    { name: 'the system may', request: 'GET /city/function/system', as: 'member', expect: { status: 200 } },
    {
      name: 'a refusal of the system tells its code and the kind',
      request: 'GET /city/function/blunder',
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'credentials are closed',
      request: 'GET /city/function/sealed',
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'the model is not changed',
      request: 'POST /city/function/define',
      expect: { status: 404, code: 'kind.not_allowed_here' },
    },
  ]);
});

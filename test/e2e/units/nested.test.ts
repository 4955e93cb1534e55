/** Units inside units: an object in place of an id creates the unit that a reference leads to, all or nothing. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds, signUp } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const member = await asMember(project);
const nobody = anonymous(project);
const reference = (id: string, kind = id, more: object = {}) => ({
  id,
  kind_id: 'unit',
  reference_kind: kind,
  ...more,
});
const text = (id: string, more: object = {}) => ({ id, kind_id: 'string', ...more });
await defineKinds(
  project,
  { id: 'star', parameters: [text('name', { required: true, max_length: 20 })] },
  { id: 'planet', parameters: ['name', reference('star')] },
  { id: 'land', parameters: [text('code', { is_primary: true, pattern: '^[A-Z]{2}$' }), 'name', reference('planet')] },
  { id: 'district', parameters: ['name', reference('land')] },
  {
    id: 'town',
    parameters: [
      'name',
      'land',
      reference('district'),
      reference('twin', 'town'),
      reference('home', 'planet'),
      reference('mayor', 'person'),
    ],
  },
  { id: 'private', access: { create: 'admin' }, parameters: ['name'] },
  { id: 'unseen', access: { read: 'admin', create: 'member' }, parameters: ['name'] },
  { id: 'ruled', access: { create: 'eq(name,good)' }, parameters: ['name'] },
  { id: 'asleep', parameters: ['name'] },
  {
    id: 'shop',
    access: { create: 'anyone', read: 'anyone' },
    parameters: [
      reference('private'),
      reference('unseen'),
      reference('ruled'),
      reference('asleep'),
      reference('fixed', 'planet', { write_access: 'admin' }),
    ],
  },
);
await ok(project.put('/kind/unit/asleep', { active: false }));

const count = async (kind: string) => ((await ok(project.get(`/${kind}/unit?limit=0`))) as { count: number }).count;
const counts = async () =>
  Promise.all(['star', 'planet', 'land', 'district', 'town', 'person', 'shop', 'unseen', 'ruled'].map(count));
const created = async (kind: string, body: object) =>
  (await ok(project.post(`/${kind}/unit`, body))) as Record<string, unknown> & { id: string };
/** Expects a refusal that leaves nothing behind. */
const refused = async (caller: typeof project, path: string, body: unknown, status: number, messages: string[]) => {
  const before = await counts();
  const reply = await (path.includes('/unit/') ? caller.put(path, body) : caller.post(path, body));
  const told = refusalOf(reply);
  expect({ ...told, messages: [...told.messages].sort() }).toEqual({ status, messages: [...messages].sort() });
  expect(await counts()).toEqual(before);
  return reply.body.messages.map((message) => message.text);
};

describe('a create', () => {
  it('creates the units inside, up to three levels deep', async () => {
    const town = await created('town', {
      name: 'Rome',
      land: { code: 'IT', name: 'Italy', planet: { name: 'Earth', star: { name: 'Sun' } } },
      home: { name: 'Mars' },
      mayor: null,
    });
    expect(town).toMatchObject({ name: 'Rome', land: 'IT', mayor: null });
    expect(await ok(project.get(`/town/unit/${town.id}?include=land.planet.star.name,home.name,home`))).toEqual({
      home: town['home'],
      'home.name': 'Mars',
      'land.planet.star.name': 'Sun',
    });
  });

  it('is one transaction with a statement per kind and depth', async () => {
    const body = (at: string) => ({
      name: `t${at}`,
      land: { code: `A${at}`, name: 'x', planet: { name: 'p', star: { name: 's' } } },
      home: { name: 'h', star: { name: 'i' } },
      twin: { name: 'w', home: { name: 'v' } },
    });
    // planet, star and town stand at two depths.
    const one = await project.statements(() => project.post('/town/unit', body('A')));
    const letters = [...'BCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const many = await project.statements(async () => {
      const { items } = (await ok(project.post('/town/unit', letters.map(body)))) as { items: object[] };
      expect(items).toHaveLength(25);
    });
    expect(many).toBe(one);
    expect(one).toBe(7);
    const { items } = (await ok(
      project.get(
        '/town/unit?filter=eq(land.planet.star.name,s)&order=name;asc&include=name,land,twin.home.name,home.star.name',
      ),
    )) as { items: object[] };
    expect(items).toEqual(
      ['A', ...letters].map((at) => ({
        name: `t${at}`,
        land: `A${at}`,
        'twin.home.name': 'v',
        'home.star.name': 'i',
      })),
    );
  });

  it('takes one statement if no unit is inside', async () => {
    expect(await project.statements(() => project.post('/town/unit', { name: 'plain', land: 'IT' }))).toBe(1);
  });

  it('lets other units of the body refer to the new unit by its key', async () => {
    const { items } = (await ok(
      project.post('/town/unit', [
        { name: 'first', land: { code: 'ZA', name: 'South Africa' } },
        { name: 'second', land: 'ZA' },
      ]),
    )) as { items: object[] };
    expect(items).toMatchObject([{ land: 'ZA' }, { land: 'ZA' }]);
  });

  it('reports every fault with its place, and stores nothing', async () => {
    const texts = await refused(
      project,
      '/town/unit',
      { nme: 1, land: { code: 'italy', planet: { star: { name: 7 } } }, home: { name: 'x'.repeat(30) } },
      400,
      [
        'parameter.required land.planet.name',
        'parameter.bad_type land.planet.star.name',
        'parameter.pattern_mismatch land.code',
        'parameter.required land.name',
        'parameter.too_long home.name',
        'parameter.unknown nme',
        'parameter.required name',
      ],
    );
    expect(texts).toContain('land.planet.name: must be given');
    expect(texts).toContain('name: must be given');
    expect(texts.join('\n')).toMatch(/^home\.name: at most 20 characters/m);
  });

  it('reports the index in a bulk body', async () => {
    const reply = await project.post('/town/unit', [
      { name: 'a', home: { name: 'ok' } },
      { name: 'b', home: { nam: 'x' } },
      { name: 'c', land: { code: 'it', name: 'x' } },
    ]);
    expect(reply.body.messages.map(({ code, parameter, index }) => [code, parameter, index])).toEqual([
      ['parameter.unknown', 'home.nam', 1],
      ['parameter.required', 'home.name', 1],
      ['parameter.pattern_mismatch', 'land.code', 2],
    ]);
    expect(reply.body.messages[0]?.text).toContain("home.nam: 'planet' has no such parameter (did you mean 'name'?)");
  });

  it('reports conflicts of nested units with their place', async () => {
    expect(
      await refused(project, '/town/unit', { name: 'x', land: { code: 'IT', name: 'again' } }, 409, [
        'parameter.not_unique land.code',
      ]),
    ).toEqual(['land.code: another unit has that value']);
    const reply = await project.post('/town/unit', [
      { name: 'x', home: { name: 'lost' }, land: { code: 'QA', name: 'new' } },
      { name: 'y', land: { code: 'QA', name: 'twice' } },
    ]);
    expect(reply.body.messages).toMatchObject([{ code: 'parameter.not_unique', parameter: 'land.code', index: 1 }]);
    expect((await ok(project.get('/planet/unit?filter=eq(name,lost)&limit=0'))) as object).toMatchObject({ count: 0 });
  });

  it('reports invalid references inside with all other faults', async () => {
    const missing = '0190163d-8694-739b-aea5-966c26f8ad91';
    await refused(
      project,
      '/town/unit',
      { name: 'x', land: 'XX', home: { name: 'h', star: missing }, district: { name: 'd', land: 'YY' } },
      400,
      ['parameter.bad_reference home.star', 'parameter.bad_reference district.land', 'parameter.bad_reference land'],
    );
  });

  it.each([
    ['a list', []],
    ['a number', 5],
    ['a boolean', true],
  ])('says what would be right: %s', async (_, home) => {
    const [told] = await refused(project, '/town/unit', { name: 'x', home }, 400, ['parameter.bad_type home']);
    expect(told).toMatch(/must be the id of a unit \(a string\) or an object to create one of, got/);
  });

  it('is at most three levels deep', async () => {
    const deep = (levels: number): object => (levels === 0 ? { name: 'end' } : { name: 'x', twin: deep(levels - 1) });
    await created('town', deep(3));
    const [told] = await refused(project, '/town/unit', deep(4), 400, ['parameter.bad_value twin.twin.twin.twin']);
    expect(told).toContain('must be an id here');
  });

  it('does not accept a generated id', async () => {
    await refused(project, '/town/unit', { name: 'x', home: { id: 'y', name: 'z' } }, 400, [
      'parameter.read_only home.id',
    ]);
  });

  it('is safe with odd keys', async () => {
    const body = '{"name":"x","home":{"__proto__":{"name":"y"},"constructor":1,"name":"z"}}';
    expect((await project.post('/town/unit', body)).body.messages.map(({ parameter }) => parameter)).toEqual([
      'home.__proto__',
      'home.constructor',
    ]);
  });
});

describe('an edit', () => {
  it('creates the nested unit and refers to it', async () => {
    const { id } = await created('town', { name: 'Nova' });
    const edited = (await ok(project.put(`/town/unit/${id}`, { home: { name: 'Venus', star: { name: 'S' } } }))) as {
      home: string;
    };
    expect(await ok(project.get(`/town/unit/${id}?include=home,home.star.name`))).toEqual({
      home: edited.home,
      'home.star.name': 'S',
    });
  });

  it('stores nothing for a missing unit, another version, or a bad body', async () => {
    const { id } = await created('town', { name: 'Vetus' });
    const missing = '0190163d-8694-739b-aea5-966c26f8ad91';
    await refused(project, `/town/unit/${missing}`, { home: { name: 'x' } }, 404, ['unit.unknown']);
    await refused(project, `/town/unit/${missing}`, { home: { nme: 'x' } }, 404, ['unit.unknown']);
    await refused(project, `/town/unit/${missing}`, { land: { code: 'IT', name: 'x' } }, 404, ['unit.unknown']);
    await refused(project, `/town/unit/${id}`, { name: null, home: { name: 5 } }, 400, [
      'parameter.bad_type home.name',
    ]);
    const before = await counts();
    const stale = await project.put(`/town/unit/${id}`, { home: { name: 'x' } }, { headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
    expect(await counts()).toEqual(before);
  });
});

describe('the right to create', () => {
  it('is needed for every unit inside', async () => {
    await refused(member, '/shop/unit', { private: { name: 'x' } }, 403, ['access.denied']);
    await refused(nobody, '/shop/unit', { unseen: { name: 'x' } }, 401, ['token.missing']);
    await refused(member, '/shop/unit', { asleep: { name: 'x' } }, 403, ['kind.inactive']);
    // Access comes before input.
    await refused(member, '/shop/unit', { private: { nope: 1 }, nope: 1 }, 403, ['access.denied']);
    expect((await project.post('/shop/unit', { private: { name: 'x' } })).status).toBe(200);
  });

  it('needs no right to read', async () => {
    const reply = await member.post('/shop/unit', { unseen: { name: 'mine' } });
    expect(reply.status).toBe(200);
    expect(reply.body.content.unseen).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is held to its rule', async () => {
    await refused(member, '/shop/unit', { ruled: { name: 'bad' } }, 403, ['access.denied']);
    expect((await member.post('/shop/unit', { ruled: { name: 'good' } })).status).toBe(200);
    const before = await counts();
    expect((await member.post('/shop/unit', [{ ruled: { name: 'good' } }, { ruled: { name: 'bad' } }])).status).toBe(
      403,
    );
    expect(await counts()).toEqual(before);
  });

  it('does not include fields that may not be written', async () => {
    await refused(member, '/shop/unit', { fixed: { name: 'x' } }, 400, ['parameter.read_only fixed']);
  });

  it('of members belongs to administrators, and creates a complete member', async () => {
    await refused(member, '/town/unit', { name: 'x', mayor: { username: 'm', email: 'm@example.com' } }, 403, [
      'access.denied',
    ]);
    const town = await created('town', { name: 'x', mayor: { username: 'may', email: 'may@example.com' } });
    const mayor = (await ok(project.get(`/person/unit/${town['mayor'] as string}`))) as Record<string, unknown>;
    expect(mayor).toMatchObject({ username: 'may' });
    expect(mayor['kind_system_user']).toMatch(/^[0-9a-f-]{36}$/);
    expect(
      await refused(
        project,
        '/town/unit',
        { name: 'x', home: { name: 'h' }, mayor: { username: 'may', email: 'two@example.com' } },
        409,
        ['parameter.not_unique mayor.username'],
      ),
    ).toEqual(['mayor.username: another unit has that value']);
    await refused(project, '/town/unit', { mayor: { username: 'other', email: 'no address' } }, 400, [
      'parameter.bad_value mayor.email',
      'parameter.required name',
    ]);
  });

  it('applies to a sign-up too', async () => {
    const own = await service.project();
    await defineKinds(
      own,
      { id: 'club', parameters: [text('title')] },
      { id: 'forum', access: { create: 'anyone' }, parameters: ['title'] },
      { id: 'person', parameters: [reference('club'), reference('forum')] },
    );
    await ok(own.post('/group/unit/kind_auth_member/link/group/kind/unit/person'));
    await expect(signUp(own, 'eve', { club: { title: 'mine' } })).rejects.toThrow('token.missing');
    await signUp(own, 'ada', { forum: { title: 'ours' } });
    expect(((await ok(own.get('/club/unit'))) as { count: number }).count).toBe(0);
    expect(((await ok(own.get('/forum/unit'))) as { count: number }).count).toBe(1);
  });
});

it('is all or nothing under concurrency: of equal keys inside only one is created', async () => {
  const before = await count('town');
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      project.post('/town/unit', [
        { name: `r${at}`, home: { name: 'race' } },
        { name: `s${at}`, land: { code: 'RR', name: 'race' } },
      ]),
    ),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
  expect(await count('town')).toBe(before + 2);
  expect(((await ok(project.get('/planet/unit?filter=eq(name,race)'))) as { count: number }).count).toBe(1);
});

it('are limited in number per body', async () => {
  const grains = Array.from({ length: 20 }, (_, at) => reference(`grain${at}`, 'grain'));
  await defineKinds(project, { id: 'grain', parameters: [] }, { id: 'sack', parameters: grains });
  const sack = Object.fromEntries(grains.map(({ id }) => [id, {}]));
  const reply = await project.post('/sack/unit', [...Array.from({ length: 500 }, () => sack), { grain0: {} }]);
  expect(refusalOf(reply)).toEqual({ status: 400, messages: ['body.too_many'] });
  expect(reply.body.messages[0]?.text).toBe('At most 10000 units inside others in one body');
  expect(await Promise.all([count('grain'), count('sack')])).toEqual([0, 0]);
});

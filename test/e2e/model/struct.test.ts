/** Struct descriptors of kinds, units and groups. */
import { describe, expect, it } from 'vitest';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';
import { defineWide } from '../../support/wide-kind.js';

const service = await sharedService();
const project = await service.project();

interface Descriptor {
  readonly id: string;
  readonly [field: string]: unknown;
}

const PLAIN = {
  default: null,
  helper_text: null,
  required: false,
  multiple: false,
  strip: false,
  min_length: null,
  max_length: null,
  values: null,
};
const NAME = {
  ...PLAIN,
  id: 'name',
  label: 'Name',
  type: 'string',
  helper_text: 'Who?',
  required: true,
  strip: true,
  min_length: 1,
  max_length: 20,
  default: 'Rome',
  values: ['Rome', 'Oslo'],
};
const OPEN = { ...PLAIN, id: 'open', label: 'open', type: 'boolean', default: false };
const TAGS = { ...PLAIN, id: 'tags', label: 'tags', type: 'string', multiple: true, default: ['a'] };
const DRAFT = { ...PLAIN, id: 'draft', label: 'draft', type: 'json' };
const OWNER = { ...PLAIN, id: 'owner', label: 'owner', type: 'unit', reference_kind: 'kind_admin' };
const METADATA = { ...PLAIN, id: 'metadata', label: 'Metadata', type: 'json', default: {} };

await ok(
  project.post('/kind/unit', {
    id: 'city',
    label: 'City',
    parameters: [
      {
        id: 'name',
        label: 'Name',
        kind_id: 'string',
        helper_text: 'Who?',
        required: true,
        strip: true,
        min_length: 1,
        max_length: 20,
        default_string: 'Rome',
        values: ['Rome', 'Oslo'],
      },
      { id: 'open', kind_id: 'boolean', default_boolean: false },
      { id: 'tags', kind_id: 'string', multiple: true, default_string: ['a'] },
      { id: 'draft', kind_id: 'json', only_run_time: true },
      { id: 'owner', kind_id: 'unit', reference_kind: 'kind_admin' },
    ],
  }),
);
await ok(
  project.post('/kind/unit', {
    id: 'shop',
    parameters: [{ id: 'label', kind_id: 'string' }, { id: 'size', kind_id: 'integer' }, 'open'],
  }),
);
await ok(project.post('/kind/unit', { id: 'bare' }));
await ok(project.post('/group/unit', { id: 'places', label: 'Places', kind_list: ['shop', 'city', 'bare'] }));
const city = (await ok(project.post('/city/unit', {}))) as { id: string };
const [named, unnamed] = (
  (await ok(project.post('/shop/unit', [{ label: 'My shop' }, {}]))) as { items: [{ id: string }, { id: string }] }
).items;

describe('a struct', () => {
  it('of a kind is its parameters, with all fields of a descriptor', async () => {
    expect(await ok(project.get('/city/struct'))).toEqual({
      count: 6,
      items: [NAME, OPEN, TAGS, DRAFT, OWNER, METADATA],
    });
    expect(await ok(project.get('/bare/struct'))).toEqual({ count: 1, items: [METADATA] });
  });

  it.each([
    ['include=[open,name]', ['name', 'open']],
    ['include=open,name', ['name', 'open']],
    ['include[]=open&include[]=name', ['name', 'open']],
    ['include=open&include=name', ['name', 'open']],
    ['exclude=[open,name]', ['tags', 'draft', 'owner', 'metadata']],
    ['exclude[]=open&exclude[]=name', ['tags', 'draft', 'owner', 'metadata']],
    ['', ['name', 'open', 'tags', 'draft', 'owner', 'metadata']],
  ])('takes ?%s in every form', async (query, ids) => {
    const { items, count } = (await ok(project.get(`/city/struct?${query}`))) as { count: number; items: Descriptor[] };
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(count).toBe(ids.length);
    const { parameters } = (await ok(project.get(`/city/unit/${city.id}/struct?${query}`))) as {
      parameters: Descriptor[];
    };
    expect(parameters).toEqual(items);
    const group = (await ok(project.get(`/group/places/struct?${query}`))) as { parameters: Descriptor[] };
    expect(group.parameters.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });

  it.each([
    ['include=nane', ['parameter.unknown include']],
    ['exclude=name,nope', ['parameter.unknown exclude']],
    ['include=name&exclude=open', ['query.conflict exclude']],
    ['include=', ['query.bad_value include']],
    ['inclde=name', ['query.unknown inclde']],
  ])('refuses ?%s', async (query, messages) => {
    for (const path of ['/city/struct', `/city/unit/${city.id}/struct`, '/group/places/struct']) {
      expect(refusalOf(await project.get(`${path}?${query}`))).toEqual({ status: 400, messages });
    }
  });

  it('of a unit has the label of the unit or of its kind', async () => {
    expect(await ok(project.get(`/city/unit/${city.id}/struct`))).toEqual({
      label: 'City',
      parameters: [NAME, OPEN, TAGS, DRAFT, OWNER, METADATA],
    });
    expect(await ok(project.get(`/shop/unit/${named.id}/struct?include=size`))).toMatchObject({
      label: 'My shop',
      parameters: [{ id: 'size' }],
    });
    expect(await ok(project.get(`/shop/unit/${unnamed.id}/struct`))).toMatchObject({
      label: 'shop',
      parameters: [{ id: 'label' }, { id: 'size' }, { id: 'open' }, { id: 'metadata' }],
    });
    for (const id of ['0198c0de-0000-7000-8000-000000000000', 'x', city.id]) {
      expect(refusalOf(await project.get(`/shop/unit/${id}/struct`))).toEqual({
        status: 404,
        messages: ['unit.unknown'],
      });
    }
  });

  it('of a group is the union of its kinds, each parameter where it first appears', async () => {
    const { label, parameters } = (await ok(project.get('/group/places/struct'))) as {
      label: string;
      parameters: Descriptor[];
    };
    expect(label).toBe('Places');
    expect(parameters.map(({ id }) => id)).toEqual([
      'label',
      'size',
      'open',
      'metadata',
      'name',
      'tags',
      'draft',
      'owner',
    ]);
    expect(await ok(project.get('/group/places/struct?include=size,name'))).toMatchObject({
      parameters: [{ id: 'size' }, { id: 'name' }],
    });
    expect(refusalOf(await project.get('/group/nowhere/struct'))).toEqual({ status: 404, messages: ['group.unknown'] });
    await ok(project.post('/group/unit', { id: 'nobody_in_it' }));
    expect(await ok(project.get('/group/nobody_in_it/struct'))).toEqual({ label: 'nobody_in_it', parameters: [] });
  });

  it('of the kind of kinds describes the body of a kind', async () => {
    const { label, parameters } = (await ok(project.get('/kind/struct'))) as {
      label: string;
      parameters: Descriptor[];
    };
    expect(label).toBe('Kind');
    const byId = new Map(parameters.map((descriptor) => [descriptor.id, descriptor]));
    expect([...byId.keys()]).toEqual([
      'id',
      'label',
      'active',
      'remote',
      'public',
      'parameters',
      'unique',
      'indexes',
      'checks',
      'access',
      'accepted',
      'changes',
      'history_keep',
      'metadata',
    ]);
    expect(byId.get('remote')).toEqual({
      ...PLAIN,
      id: 'remote',
      label: 'Remote',
      type: 'boolean',
      required: true,
      default: false,
    });
    expect(byId.get('active')).toMatchObject({ type: 'boolean', default: true });
    expect(byId.get('parameters')).toMatchObject({ type: 'string', multiple: true, default: [] });
    expect(await ok(project.get('/kind/struct?include=[id,active]'))).toMatchObject({
      label: 'Kind',
      parameters: [{ id: 'id' }, { id: 'active' }],
    });
    expect(await ok(project.get('/kind/struct?exclude=label,metadata'))).toMatchObject({
      parameters: expect.not.arrayContaining([expect.objectContaining({ id: 'label' })]) as object,
    });
  });

  it('of a unit of the model has the label of the unit', async () => {
    expect(await ok(project.get('/kind/unit/city/struct?include=id'))).toMatchObject({
      label: 'City',
      parameters: [{ id: 'id' }],
    });
    expect(await ok(project.get('/string/unit/name/struct?include=max_length'))).toMatchObject({
      label: 'Name',
      parameters: [{ id: 'max_length', type: 'integer' }],
    });
    expect(await ok(project.get('/group/unit/places/struct'))).toMatchObject({ label: 'Places' });
  });

  it('of a parameter type has a default of the type, and of a group the fields of a body', async () => {
    const { items } = (await ok(project.get('/decimal/struct'))) as { items: Descriptor[] };
    const types = Object.fromEntries(items.map(({ id, type }) => [id, type]));
    expect(types).toMatchObject({
      id: 'string',
      label: 'string',
      default_decimal: 'decimal',
      min_value: 'decimal',
      scale: 'integer',
      required: 'boolean',
    });
    expect(Object.keys(types)).not.toContain('strip');
    const group = (await ok(project.get('/group/parameter/struct'))) as { label: string; parameters: Descriptor[] };
    expect(group.label).toBe('Parameter types');
    expect(group.parameters.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['default_string', 'default_json', 'reference_kind', 'scale']),
    );
    const groups = (await ok(project.get('/group/struct'))) as { items: Descriptor[] };
    expect(groups.items.map(({ id }) => id)).toEqual(['id', 'label', 'description', 'kind_list', 'metadata']);
  });

  it('of a member kind has the gained fields', async () => {
    const { items } = (await ok(project.get('/kind_admin/struct'))) as { items: Descriptor[] };
    expect(items.map(({ id }) => id)).toEqual(['username', 'email', 'first_name', 'last_name', 'metadata']);
  });

  it('of a member kind without sign-up describes a create', async () => {
    await ok(project.post('/kind/unit', { id: 'clerk', parameters: [{ id: 'desk', kind_id: 'integer' }] }));
    await ok(project.post('/group/unit/kind_auth_member/link/group/kind/unit/clerk'));
    const struct = async (kind: string) => (await ok(project.get(`/${kind}/struct`))) as { items: Descriptor[] };
    expect((await struct('clerk')).items.map(({ id }) => id)).toContain('password');
    await ok(project.put('/kind/unit/clerk', { access: { signup: 'nobody' } }));
    for (const kind of ['clerk', 'kind_admin']) {
      const given = new Map<string, unknown>([
        ['username', `new_${kind}`],
        ['email', `new@${kind}.example`],
      ]);
      const { items } = await struct(kind);
      const body = items.map(({ id, default: preset }) => [id, given.get(id) ?? preset]);
      const id = await createdId(project.post(`/${kind}/unit`, Object.fromEntries(body) as object));
      const unit = (await ok(project.get(`/${kind}/unit/${id}/struct`))) as { parameters: Descriptor[] };
      expect(unit.parameters).toEqual(items);
      // Fields that are not described can be left out by name, as everywhere.
      expect(await ok(project.get(`/${kind}/struct?exclude=last_access_time,kind_system_user`))).toEqual({
        count: items.length,
        items,
      });
    }
  });

  it('shows the referenced kind to callers who may do something with its units', async () => {
    await ok(
      project.post('/kind/unit', {
        id: 'letterbox',
        public: true,
        parameters: ['owner', { id: 'home', kind_id: 'unit', reference_kind: 'shop' }],
      }),
    );
    const kinds = async (as: typeof project) =>
      ((await ok(as.get('/letterbox/struct?exclude=metadata'))) as { items: Descriptor[] }).items.map(
        ({ reference_kind }) => reference_kind,
      );
    expect(await kinds(project)).toEqual(['kind_admin', 'shop']);
    expect(await kinds(project.as(undefined))).toEqual([null, null]);
    await ok(project.put('/kind/unit/shop', { access: { create: 'anyone' } }));
    expect(await kinds(project.as(undefined))).toEqual([null, 'shop']);
  });

  it('of a member kind describes a sign-up, so that a form made from it works', async () => {
    await ok(
      project.post('/kind/unit', {
        id: 'guest',
        parameters: [
          { id: 'vat', kind_id: 'string', required: true },
          { id: 'note', kind_id: 'text' },
        ],
      }),
    );
    await ok(project.post('/group/unit/kind_auth_member/link/group/kind/unit/guest'));
    const stranger = project.as(undefined);
    const { items } = (await ok(stranger.get('/guest/struct'))) as { items: Descriptor[] };
    expect(items.map(({ id }) => id)).toEqual([
      ...['kind_system_user', 'username', 'password', 'email', 'first_name', 'last_name'],
      ...['vat', 'note', 'metadata'],
    ]);
    const described = new Map(items.map((item) => [item.id, item]));
    expect(described.get('kind_system_user')).toEqual({
      ...PLAIN,
      ...{ id: 'kind_system_user', label: 'System user', type: 'json', required: true },
      helper_text: expect.any(String) as string,
    });
    expect(described.get('password')).toEqual({
      ...PLAIN,
      ...{ id: 'password', label: 'Password', type: 'string', required: true, persistence: 'run_time' },
      ...{ min_length: 8, max_length: 128 },
    });
    const [username, password, email] = ['gus', 'a long secret', 'gus@example.com'];
    const given = new Map<string, unknown>(
      Object.entries({ username, password, email, vat: 'IT1', kind_system_user: { username, password, email } }),
    );
    // As a form does: everything that it shows, as it was told to begin with where nobody typed anything.
    const body = items.map(({ id, default: preset }) => [id, given.get(id) ?? preset]);
    const session = (await ok(stranger.post('/auth/guest/signup', Object.fromEntries(body) as object))) as {
      id: string;
    };
    const unit = (await ok(project.get(`/guest/unit/${session.id}/struct`))) as { parameters: Descriptor[] };
    expect(unit.parameters).toEqual(items);
    const { parameters } = (await ok(
      project.get('/group/kind_auth_member/struct?include=password,kind_system_user'),
    )) as {
      parameters: Descriptor[];
    };
    expect(parameters).toEqual([described.get('kind_system_user'), described.get('password')]);
  });

  it('says of a parameter that it is hidden, and never shows its default', async () => {
    await ok(
      project.post('/kind/unit', {
        id: 'secretive',
        parameters: [
          { id: 'shown', kind_id: 'string' },
          { id: 'covert', kind_id: 'string', hidden: true, default_string: 'hush' },
        ],
      }),
    );
    const reply = await project.get('/secretive/struct');
    expect(reply.text).not.toMatch(/hush/);
    const { items } = reply.body.content as { items: Descriptor[] };
    expect(items.map(({ id, hidden }) => [id, hidden])).toEqual([
      ['shown', undefined],
      ['covert', true],
      ['metadata', undefined],
    ]);
  });

  it('is open to callers who may read or create, and to no others', async () => {
    const missing = { status: 401, messages: ['token.missing'] };
    const anonymous = project.as(undefined);
    for (const path of [
      '/city/struct',
      '/nowhere/struct',
      '/kind/struct',
      '/group/places/struct',
      `/city/unit/${city.id}/struct`,
    ]) {
      expect(refusalOf(await anonymous.get(path))).toEqual(missing);
    }
    await ok(project.post('/kind/unit', { id: 'openly', public: true, parameters: ['name'] }));
    expect(await ok(anonymous.get('/openly/struct'))).toMatchObject({ count: 2 });
    await ok(
      project.post('/kind/unit', { id: 'dropbox', access: { create: 'anyone', read: 'nobody' }, parameters: ['name'] }),
    );
    expect(await ok(anonymous.get('/dropbox/struct'))).toMatchObject({ count: 2 });
    expect(refusalOf(await project.as('bad.token.here').get('/openly/struct'))).toEqual({
      status: 401,
      messages: ['token.invalid'],
    });
    expect(refusalOf(await project.get('/nowhere/struct'))).toEqual({ status: 404, messages: ['kind.unknown'] });
    expect(refusalOf(await project.get('/kind_system_user/struct'))).toEqual({
      status: 403,
      messages: ['access.denied'],
    });
  });
});

describe('the query of a struct', () => {
  const ids = async (path: string): Promise<string[]> => {
    const { items, parameters } = (await ok(project.get(path))) as { items?: Descriptor[]; parameters?: Descriptor[] };
    return (items ?? parameters ?? []).map(({ id }) => id);
  };
  const rows: readonly (readonly [query: string, ids: readonly string[]])[] = [
    ['filter=eq(required,true)', ['name']],
    ['filter=not(eq(required,true))', ['open', 'tags', 'draft', 'owner', 'metadata']],
    ['filter=eq(type,json)', ['draft', 'metadata']],
    ['filter=in(type,json,unit)', ['draft', 'owner', 'metadata']],
    ['filter=ne(type,string)', ['open', 'draft', 'owner', 'metadata']],
    ['filter=and(eq(type,string),eq(multiple,true))', ['tags']],
    ['filter=or(eq(id,open),eq(strip,true))', ['name', 'open']],
    ['filter=contains(label,ta)', ['tags', 'metadata']],
    ['filter=icontains(label,NAM)', ['name']],
    ['filter=startswith(id,o)', ['open', 'owner']],
    ['filter=istartswith(id,O)', ['open', 'owner']],
    ['filter=endswith(id,n)', ['open']],
    ['filter=iendswith(helper_text,WHO?)', ['name']],
    ['filter=isnull(helper_text)', ['open', 'tags', 'draft', 'owner', 'metadata']],
    ['filter=isnull(default)', ['draft', 'owner']],
    ['filter=eq(default,Rome)', ['name']],
    ['filter=eq(default,false)', ['open']],
    ['filter=isnull(values,false)', ['name']],
    ['filter=ge(max_length,19)', ['name']],
    ['filter=ge(max_length,20)', []],
    ['filter=lt(max_length,20)', []],
    ['filter=get(min_length,1)', ['name']],
    ['filter=eq(reference_kind,kind_admin)', ['owner']],
    ['filter=lt(id,name)', ['draft', 'metadata']],
    ['order=id;asc', ['draft', 'metadata', 'name', 'open', 'owner', 'tags']],
    ['order=id;desc', ['tags', 'owner', 'open', 'name', 'metadata', 'draft']],
    // Upper case comes first, and nulls last.
    ['order=label;asc', ['metadata', 'name', 'draft', 'open', 'owner', 'tags']],
    ['order=max_length;asc', ['name', 'open', 'tags', 'draft', 'owner', 'metadata']],
    ['order=max_length;desc&limit=1', ['open']],
    ['order=type;asc&order=id;desc', ['open', 'metadata', 'draft', 'tags', 'name', 'owner']],
    ['order[]=required;desc&order[]=id;asc&limit=2', ['name', 'draft']],
    ['limit=2', ['name', 'open']],
    ['limit=2&offset=4', ['owner', 'metadata']],
    ['offset=5', ['metadata']],
    ['offset=6', []],
    ['limit=0', []],
    ['limit=1000', ['name', 'open', 'tags', 'draft', 'owner', 'metadata']],
    ['include=name,tags,owner&filter=eq(type,string)', ['name', 'tags']],
    ['exclude=name&filter=eq(type,string)', ['tags']],
    ['include=tags,name,open&order=id;desc&offset=1&limit=1', ['open']],
    ['load_links=true&depth=3', ['name', 'open', 'tags', 'draft', 'owner', 'metadata']],
  ];
  it.each(rows)('%s', async (query, expected) => {
    expect(await ids(`/city/struct?${query}`)).toEqual(expected);
    expect(await ids(`/city/unit/${city.id}/struct?${query}`)).toEqual(expected);
    const whole = (await ok(project.get('/city/struct'))) as { items: Descriptor[] };
    const { items } = (await ok(project.get(`/city/struct?${query}`))) as { items: Descriptor[] };
    for (const item of items) expect(item).toEqual(whole.items.find(({ id }) => id === item.id));
  });

  it('counts all matches, whatever page is shown, with at most one additional statement', async () => {
    expect(await ok(project.get('/city/struct?limit=1'))).toMatchObject({ count: 6, items: [{ id: 'name' }] });
    expect(await ok(project.get('/city/struct?filter=eq(type,json)&limit=0'))).toEqual({ count: 2, items: [] });
    expect(await ok(project.get('/city/struct?include=name,open&offset=1'))).toMatchObject({ count: 2 });
    const [plain, filtered] = [
      await project.statements(() => project.get('/city/struct?limit=1')),
      await project.statements(() => project.get('/city/struct?filter=eq(type,json)&order=id;asc')),
    ];
    expect(filtered).toBe(plain + 1);
  });

  it('works on those of kinds, groups and parameter types', async () => {
    expect(await ids('/kind/struct?filter=eq(required,true)')).toEqual(['remote']);
    expect(await ids('/kind/struct?filter=eq(multiple,true)&order=id;asc')).toEqual(['parameters']);
    expect(await ids('/kind/struct?order=id;asc&limit=2')).toEqual(['accepted', 'access']);
    expect(await ids('/group/places/struct?filter=eq(type,integer)')).toEqual(['size']);
    expect(await ids('/group/places/struct?order=id;desc&limit=2&offset=1')).toEqual(['size', 'owner']);
    expect(await ids('/string/struct?filter=eq(type,integer)')).toEqual(['min_length', 'max_length']);
    await ok(project.post('/group/unit', { id: 'empty_one' }));
    expect(await ids('/group/empty_one/struct?filter=eq(type,integer)')).toEqual([]);
  });

  it('shows all parameters of a large kind by default', async () => {
    const parameters = Array.from({ length: 150 }, (_, at) => ({ id: `many_${at}`, kind_id: 'integer' }));
    await ok(project.post('/kind/unit', { id: 'wide', parameters }));
    expect(await ids('/wide/struct')).toHaveLength(151);
    expect(await ids('/wide/struct?filter=startswith(id,many_14)')).toHaveLength(11);
    expect(await ids('/wide/struct?limit=100')).toHaveLength(100);
  });

  it.each([
    ['filter=eq(name,x)', ['filter.unknown_parameter name']],
    ['filter=eq(requred,true)', ['filter.unknown_parameter requred']],
    ['filter=eq(required,yes)', ['filter.bad_value required']],
    ['filter=lt(required,true)', ['filter.bad_operator required']],
    ['filter=eq(reference_kind.id,x)', ['filter.unknown_parameter reference_kind']],
    ['filter=eq(id', ['filter.syntax']],
    ['order=values;asc', ['query.bad_value order']],
    ['order=nope;asc', ['parameter.unknown order']],
    ['order=id;sideways', ['query.bad_value order']],
    ['limit=-1', ['query.bad_value limit']],
    ['limit=1001', ['query.bad_value limit']],
    ['offset=x', ['query.bad_value offset']],
    ['load_links=maybe', ['query.bad_value load_links']],
    ['depth=11', ['query.bad_value depth']],
    ['count=none', ['query.unknown count']],
    ['cursor=', ['query.unknown cursor']],
    ['kind_id=city', ['query.unknown kind_id']],
    [
      'order=nope;asc&filter=eq(size,1)&include=nope',
      ['parameter.unknown order', 'filter.unknown_parameter size', 'parameter.unknown include'],
    ],
  ])('refuses ?%s', async (query, messages) => {
    for (const path of ['/city/struct', `/city/unit/${city.id}/struct`, '/group/places/struct']) {
      expect(refusalOf(await project.get(`${path}?${query}`))).toEqual({ status: 400, messages });
    }
  });

  it('is harmless with hostile texts', async () => {
    for (const text of ["'; DROP TABLE x; --", '"', '\\', '%', '😀', 'a"b']) {
      const quoted = encodeURIComponent(`"${text.replace(/["\\]/g, '\\$&')}"`);
      expect(await ids(`/city/struct?filter=eq(label,${quoted})`)).toEqual([]);
    }
  });
});

describe('a struct beyond the size limit', async () => {
  const TOO_LARGE = { status: 400, messages: ['answer.too_large'] };
  const wide = await service.project();
  const { ids, values } = await defineWide(wide);
  await ok(wide.post('/group/unit', { id: 'wides', kind_list: ['wide'] }));
  const unit = (await ok(wide.post('/wide/unit', {}))) as { id: string };

  it('is refused, and answered in parts', async () => {
    for (const path of ['/wide/struct', `/wide/unit/${unit.id}/struct`, '/group/wides/struct'])
      expect(refusalOf(await wide.get(path))).toEqual(TOO_LARGE);
    const { count, items } = (await ok(wide.get('/wide/struct?limit=10'))) as { count: number; items: Descriptor[] };
    expect([count, items.length, items[9]?.['values']]).toEqual([ids.length + 1, 10, values]);
    expect(await ok(wide.get('/wide/struct?include=p1,p2'))).toMatchObject({ count: 2 });
    expect(await ok(wide.get('/wide/struct?filter=startswith(id,p1)&order=label;asc&limit=3'))).toMatchObject({
      count: 11,
    });
  });

  it('is not sent to PostgreSQL either: the input of a filter has the same limit', async () => {
    const filter = 'filter=isnull(values,false)&limit=1';
    expect(refusalOf(await wide.get(`/wide/struct?${filter}`))).toEqual({ status: 400, messages: ['query.too_large'] });
    expect(await ok(wide.get(`/wide/struct?${filter}&include=p3,p4`))).toMatchObject({ count: 2 });
  });
});

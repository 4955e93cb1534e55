/** Struct descriptors of kinds, units and groups. */
import { describe, expect, it } from 'vitest';
import { ok, refusalOf } from '../../support/definitions.js';
import { startTestService } from '../../support/service.js';

const service = await startTestService();
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
const OWNER = { ...PLAIN, id: 'owner', label: 'owner', type: 'unit' };

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
    expect(await ok(project.get('/city/struct'))).toEqual({ count: 5, items: [NAME, OPEN, TAGS, DRAFT, OWNER] });
    expect(await ok(project.get('/bare/struct'))).toEqual({ count: 0, items: [] });
  });

  it.each([
    ['include=[open,name]', ['name', 'open']],
    ['include=open,name', ['name', 'open']],
    ['include[]=open&include[]=name', ['name', 'open']],
    ['include=open&include=name', ['name', 'open']],
    ['exclude=[open,name]', ['tags', 'draft', 'owner']],
    ['exclude[]=open&exclude[]=name', ['tags', 'draft', 'owner']],
    ['', ['name', 'open', 'tags', 'draft', 'owner']],
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

  it("of a unit has its label, or its kind's", async () => {
    expect(await ok(project.get(`/city/unit/${city.id}/struct`))).toEqual({
      label: 'City',
      parameters: [NAME, OPEN, TAGS, DRAFT, OWNER],
    });
    expect(await ok(project.get(`/shop/unit/${named.id}/struct?include=size`))).toMatchObject({
      label: 'My shop',
      parameters: [{ id: 'size' }],
    });
    expect(await ok(project.get(`/shop/unit/${unnamed.id}/struct`))).toMatchObject({
      label: 'shop',
      parameters: [{ id: 'label' }, { id: 'size' }, { id: 'open' }],
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
    expect(parameters.map(({ id }) => id)).toEqual(['label', 'size', 'open', 'name', 'tags', 'draft', 'owner']);
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
      'access',
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

  it('of a parameter type has the default in the type, and of a group what a body has', async () => {
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

  it('of a member kind has what it gained', async () => {
    const { items } = (await ok(project.get('/kind_admin/struct'))) as { items: Descriptor[] };
    expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining(['username', 'email', 'first_name', 'last_name']));
  });

  it('never tells the default of a hidden parameter', async () => {
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
  });

  it('is open to whoever may read or create, and to nobody else', async () => {
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
    expect(await ok(anonymous.get('/openly/struct'))).toMatchObject({ count: 1 });
    await ok(
      project.post('/kind/unit', { id: 'dropbox', access: { create: 'anyone', read: 'nobody' }, parameters: ['name'] }),
    );
    expect(await ok(anonymous.get('/dropbox/struct'))).toMatchObject({ count: 1 });
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

/** Parameters that are defined inside the body of a kind: they come with it, are shared by saying the same, and go with it. */
import { describe, expect, it } from 'vitest';
import { expectNoDrift, expectRefused, ok, query, refusalOf } from '../../support/definitions.js';
import { TYPES } from '../../support/every-type.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const kind = (id: string, ...parameters: readonly (string | object)[]) =>
  project.post('/kind/unit', { id, parameters });
const text = (id: string, more: object = {}) => ({ id, kind_id: 'string', ...more });
const has = async (id: string, type = 'string') => (await project.get(`/${type}/unit/${id}`)).status === 200;
const gone = (path: string) => ok(project.delete(path));
let made = 0;
/** An id that no other test uses. */
const fresh = (name: string): string => `${name}_${(made += 1)}`;

describe('a kind that is deleted and created again', () => {
  it('is deleted with its parameters of every type, and can be created with the same body', async () => {
    const parameters = TYPES.map((type) => ({
      id: `own_${type}`,
      kind_id: type,
      ...(type === 'unit' && { reference_kind: 'again' }),
    }));
    const body = { id: 'again', label: 'Again', parameters, indexes: [['own_string', 'own_date']] };
    for (let round = 0; round < 2; round += 1) {
      await ok(project.post('/kind/unit', body));
      const reply = await project.delete('/kind/unit/again');
      expect(reply.body).toEqual({ content: null, messages: [] });
      for (const type of TYPES) expect(await has(`own_${type}`, type), type).toBe(false);
    }
    await expectNoDrift(project);
  });

  it('whose parameters are called as fields of built-in kinds are', async () => {
    const id = fresh('sort');
    await ok(kind(id, text('label'), text('description'), text('username')));
    await gone(`/kind/unit/${id}`);
    for (const name of ['label', 'description', 'username']) expect(await has(name), name).toBe(false);
  });

  it('with its units too, only with cascade', async () => {
    const [id, title] = [fresh('sort'), fresh('title')];
    await ok(kind(id, text(title)));
    await ok(project.post(`/${id}/unit`, { [title]: 'x' }));
    await expectRefused(project, () => project.delete(`/kind/unit/${id}`), {
      status: 409,
      messages: ['kind.has_units'],
    });
    await gone(`/kind/unit/${id}?cascade=true`);
    expect(await has(title)).toBe(false);
    await ok(kind(id, text(title)));
    expect(await ok(project.get(`/${id}/unit`))).toEqual({ count: 0, items: [] });
  });

  it('whose parameters came with an edit of it', async () => {
    const [id, title] = [fresh('sort'), fresh('title')];
    await ok(kind(id));
    await ok(project.put(`/kind/unit/${id}`, { parameters: [text(title)] }));
    await gone(`/kind/unit/${id}`);
    expect(await has(title)).toBe(false);
  });

  it('leaves parameters that were removed from it before', async () => {
    const [id, title] = [fresh('sort'), fresh('title')];
    await ok(kind(id, text(title)));
    await ok(project.put(`/kind/unit/${id}`, { parameters: [] }));
    expect(await has(title)).toBe(true);
    await gone(`/kind/unit/${id}`);
    expect(await has(title)).toBe(true);
    await ok(kind(id, title));
    await gone(`/kind/unit/${id}`);
    expect(await has(title)).toBe(true);
  });

  it('leaves parameters that were created on their own, also if it repeated their definition', async () => {
    const [id, title] = [fresh('sort'), fresh('title')];
    await ok(project.post('/string/unit', text(title)));
    await ok(kind(id, text(title)));
    await gone(`/kind/unit/${id}`);
    expect(await has(title)).toBe(true);
    await ok(kind(id, title));
    await gone(`/kind/unit/${id}`);
    expect(await has(title)).toBe(true);
  });

  it('leaves parameters that other kinds use, until the last kind that defined them is deleted', async () => {
    const [one, two, three, title] = [fresh('sort'), fresh('sort'), fresh('sort'), fresh('title')];
    await ok(kind(one, text(title)));
    await ok(kind(two, text(title)));
    await ok(kind(three, title));
    await gone(`/kind/unit/${one}`);
    await gone(`/kind/unit/${three}`);
    expect(await has(title)).toBe(true);
    await ok(project.post(`/${two}/unit`, { [title]: 'x' }));
    await gone(`/kind/unit/${two}?cascade=true`);
    expect(await has(title)).toBe(false);
  });

  it('leaves parameters that another kind uses by id', async () => {
    const [one, two, title] = [fresh('sort'), fresh('sort'), fresh('title')];
    await ok(kind(one, text(title)));
    await ok(kind(two, title));
    for (const id of [one, two]) await gone(`/kind/unit/${id}`);
    await ok(kind(two, title));
    await gone(`/kind/unit/${two}`);
    await ok(kind(one, text(title)));
    await gone(`/kind/unit/${one}`);
    expect(await has(title)).toBe(false);
  });

  it('leaves everything if another kind references it', async () => {
    const [one, two, title] = [fresh('sort'), fresh('sort'), fresh('title')];
    const reference = fresh('ref');
    await ok(kind(one, text(title)));
    await ok(kind(two, { id: reference, kind_id: 'unit', reference_kind: one }));
    await expectRefused(project, () => project.delete(`/kind/unit/${one}`), {
      status: 409,
      messages: ['kind.referenced'],
    });
    await gone(`/kind/unit/${two}`);
    await gone(`/kind/unit/${one}`);
    expect([await has(title), await has(reference, 'unit')]).toEqual([false, false]);
  });

  it('closes rules that named a parameter of its members; a new parameter does not open them', async () => {
    const body = { id: 'staff', parameters: [text('team')] };
    const join = () => project.post('/group/unit/kind_auth_member/link/group/kind/unit/staff');
    await ok(project.post('/kind/unit', body));
    await ok(join());
    await ok(project.post('/kind/unit', { id: 'task', parameters: [text('owned_by')] }));
    await ok(project.put('/kind/unit/task', { access: { read: 'eq(owned_by,@member.team)' } }));
    await gone('/kind/unit/staff');
    expect(await has('team')).toBe(false);
    await ok(project.post('/kind/unit', body));
    await ok(join());
    expect(await ok(project.get('/kind/unit/task'))).toMatchObject({ access: { read: 'nobody' } });
  });

  it('is serialized with another kind that starts to use its parameter', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [one, two, title] = [fresh('sort'), fresh('sort'), fresh('title')];
      await ok(kind(one, text(title)));
      const [, used] = await Promise.all([gone(`/kind/unit/${one}`), kind(two, title)]);
      expect([200, 400]).toContain(used.status);
      expect(await has(title)).toBe(used.status === 200);
    }
    await expectNoDrift(project);
  });

  it('of an older project leaves its parameters of unknown origin, and uses them again', async () => {
    const [id, title] = [fresh('sort'), fresh('title')];
    await ok(kind(id, text(title)));
    await query(project, 'UPDATE $schema."_parameter" SET "defined_in" = NULL WHERE "id" = $1', [title]);
    await gone(`/kind/unit/${id}`);
    expect(await has(title)).toBe(true);
    await ok(kind(id, text(title)));
  });
});

describe('a definition that repeats a stored one', () => {
  const differently: readonly (readonly [string, object, object])[] = [
    ['in other spellings of its values', { kind_id: 'decimal', default_decimal: '1.5' }, { default_decimal: '01.50' }],
    ['with bounds in another spelling', { kind_id: 'decimal', min_value: '1' }, { min_value: 1 }],
    ['with keys in another order', { kind_id: 'json', default_json: { a: 1, b: 2 } }, { default_json: { b: 2, a: 1 } }],
    [
      'with its defaults told',
      { kind_id: 'string' },
      { nullable: true, required: false, helper_text: null, metadata: {} },
    ],
    ['with its label told', { kind_id: 'string' }, { format: 'attribute', persistence: 'kind_parameter' }],
    [
      'that is for run time',
      { kind_id: 'string', only_run_time: true },
      { only_run_time: undefined, persistence: 'run_time' },
    ],
    [
      'with an instant of another zone',
      { kind_id: 'datetime', default_datetime: '2024-01-31T09:30:00Z' },
      { default_datetime: '2024-01-31T10:30:00+01:00' },
    ],
    ['that is stripped', { kind_id: 'string', strip: true, default_string: 'a' }, { default_string: ' a ' }],
    ['of a key', { kind_id: 'string', is_primary: true }, { required: false }],
  ];
  it.each(differently)('says the same %s', async (_, definition, more) => {
    const [one, two, id] = [fresh('sort'), fresh('sort'), fresh('p')];
    await ok(kind(one, { id, ...definition }));
    const before = await ok(project.get(`/${(definition as { kind_id: string }).kind_id}/unit/${id}`));
    expect(await ok(kind(two, { id, ...definition, ...more }))).toMatchObject({ parameters: [id] });
    expect(await ok(project.get(`/${(definition as { kind_id: string }).kind_id}/unit/${id}`))).toEqual(before);
  });

  it('says the same as its record', async () => {
    const [one, two, id] = [fresh('sort'), fresh('sort'), fresh('p')];
    await ok(kind(one, text(id, { max_length: 5, metadata: { a: 1 }, values: ['a', 'b'], read_access: 'member' })));
    await ok(kind(two, (await ok(project.get(`/string/unit/${id}`))) as object));
    const other = fresh('p');
    await ok(project.post('/boolean/unit', { id: other }));
    await ok(kind(fresh('sort'), (await ok(project.get(`/boolean/unit/${other}`))) as object));
  });

  it('is accepted in an edit too', async () => {
    const [one, two, id] = [fresh('sort'), fresh('sort'), fresh('p')];
    await ok(kind(one, text(id, { unique: true })));
    await ok(kind(two));
    await ok(project.put(`/kind/unit/${two}`, { parameters: [text(id, { unique: true })] }));
    await gone(`/kind/unit/${one}`);
    expect(await has(id)).toBe(true);
    await gone(`/kind/unit/${two}`);
    expect(await has(id)).toBe(false);
  });

  it.each<[string, object, object, string]>([
    ['its label', {}, { label: 'Other' }, 'label'],
    ['its length', { max_length: 5 }, { max_length: 6 }, 'max_length'],
    ['no length', { max_length: 5 }, {}, 'max_length'],
    ['its default', { default_string: 'a' }, { default_string: 'A' }, 'default_string'],
    ['its metadata', { metadata: { a: 1 } }, {}, 'metadata'],
    ['its values', { values: ['a', 'b'] }, { values: ['b', 'a'] }, 'values'],
    ['who reads it', {}, { read_access: 'member' }, 'read_access'],
    ['who writes it', { write_access: 'admin' }, {}, 'write_access'],
    ['where it is kept', {}, { only_run_time: true }, 'only_run_time'],
    ['several things', {}, { hidden: true, unique: true, label: 'X' }, 'label, unique, hidden'],
  ])('that differs in %s is another one', async (_, first, second, differs) => {
    const [one, id] = [fresh('sort'), fresh('p')];
    await ok(kind(one, text(id, first)));
    await expectRefused(project, () => kind('never', 'nowhere_known', text(id, second)), {
      status: 400,
      messages: ['parameter.exists parameters', 'kind.bad_definition parameters'],
    });
    await expectRefused(project, () => kind('never', text(id, second)), {
      status: 409,
      messages: ['parameter.exists parameters'],
      text: new RegExp(
        `parameters\\[0\\]\\.id: .* of type string exists already, with another ${differs}; a kind shares it`,
      ),
    });
  });

  it('is rejected with another type, on its own, or twice in one body', async () => {
    const [one, id] = [fresh('sort'), fresh('p')];
    await ok(kind(one, text(id)));
    await expectRefused(project, () => kind('never', { id, kind_id: 'text' }), {
      status: 409,
      messages: ['parameter.exists parameters'],
    });
    await expectRefused(project, () => project.post('/string/unit', text(id)), {
      status: 409,
      messages: ['parameter.exists id'],
    });
    await expectRefused(project, () => kind('never', text(id), text(id)), {
      status: 400,
      messages: ['parameter.duplicate parameters'],
    });
    await expectRefused(project, () => kind('never', text(id), id), {
      status: 400,
      messages: ['kind.bad_definition parameters'],
    });
    await expectRefused(project, () => kind('never', text(id, { max_length: 'x' })), {
      status: 400,
      messages: ['parameter.bad_type parameters', 'parameter.exists parameters'],
    });
  });

  it('many times at once is created by the first request and accepted by the others', async () => {
    const [id, names] = [fresh('p'), Array.from({ length: 6 }, () => fresh('sort'))];
    const replies = await Promise.all(names.map((name) => kind(name, text(id))));
    expect(replies.map(({ status }) => status)).toEqual(names.map(() => 200));
    for (const name of names) await gone(`/kind/unit/${name}`);
    expect(refusalOf(await project.get(`/string/unit/${id}`)).status).toBe(404);
    await expectNoDrift(project);
  });
});

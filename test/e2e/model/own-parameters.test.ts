/** `own: true`: parameters of one kind, beside those of the same name in other kinds. */
import { beforeEach, describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, expectNoDrift, ok } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const own = (id: string, kindId: string, more: object = {}) => ({ id, kind_id: kindId, own: true, ...more });
const STATES = { values: ['open', 'closed'], default_string: 'open' };
let project: TestProject;
beforeEach(async () => {
  project = await service.project();
  await defineKinds(
    project,
    { id: 'ticket', parameters: [{ id: 'title', kind_id: 'string' }, own('state', 'string', STATES)] },
    {
      id: 'order',
      parameters: ['title', own('state', 'string', { values: ['paid', 'sent'] }), own('size', 'integer')],
    },
    { id: 'machine', parameters: ['title', own('state', 'integer'), own('size', 'integer', { multiple: true })] },
  );
  await ok(project.post('/group/unit', { id: 'thing', kind_list: ['ticket', 'order', 'machine'] }));
});
const parametersOf = async (kind: string) => (await ok(project.get(`/kind/unit/${kind}`))).parameters as string[];
const idsOf = async (type: string) => {
  const { items } = await ok(project.get(`/${type}/unit?order=id&limit=100`));
  return (items as { id: string }[]).map(({ id }) => id);
};
const query = (path: string, asked: object) => `${path}?${new URLSearchParams({ ...asked }).toString()}`;
const refused = async (call: ReturnType<TestProject['put']>) => {
  const { status, body } = await call;
  return ((body.messages ?? []) as { code: string; text: string }[])
    .map(({ code, text }) => `${status} ${code}: ${text}`)
    .join('\n');
};

describe('a parameter of one kind', () => {
  it('is called by its id in the kind, and has a record of its own', async () => {
    expect(await parametersOf('ticket')).toEqual(['title', 'state']);
    expect(await idsOf('string')).toEqual(['order.state', 'ticket.state', 'title']);
    expect(await idsOf('integer')).toEqual(['machine.size', 'machine.state', 'order.size']);
    const record = await ok(project.get('/string/unit/ticket.state'));
    expect(record).toMatchObject({ id: 'ticket.state', own: true, values: ['open', 'closed'] });
    expect(await ok(project.get('/string/unit/title'))).toMatchObject({ own: false });
  });

  it('has values, a type, and rules of its own', async () => {
    await ok(project.post('/ticket/unit', { title: 'a' }));
    await ok(project.post('/order/unit', { title: 'b', state: 'paid' }));
    await ok(project.post('/machine/unit', { title: 'c', state: 7 }));
    expect(await refused(project.post('/order/unit', { state: 'open' }))).toMatch(/^400 parameter.not_allowed: state/);
    expect(await refused(project.post('/machine/unit', { state: 'open' }))).toMatch(/^400 parameter.bad_type: state/);
    await ok(project.put('/string/unit/ticket.state', { read_access: 'admin' }));
    const ann = await asMember(project);
    expect((await ok(ann.get('/ticket/unit'))).items).toMatchObject([{ title: 'a' }]);
    expect(JSON.stringify((await ok(ann.get('/ticket/unit'))).items)).not.toContain('state');
    expect((await ok(ann.get('/order/unit'))).items).toMatchObject([{ state: 'paid' }]);
    await expectNoDrift(project);
  });

  it('is edited, indexed and searched by its record', async () => {
    await ok(project.put('/string/unit/ticket.state', { values: ['open', 'closed', 'late'], indexed: true }));
    await ok(project.post('/ticket/unit', { state: 'late' }));
    expect(await refused(project.put('/string/unit/ticket.state', { values: ['open'] }))).toMatch(/^409 /);
    await expectNoDrift(project);
  });

  it('is repeated in a body as it is stored, and stays with its kind', async () => {
    const same = ['title', own('state', 'string', STATES)];
    await ok(project.put('/kind/unit/ticket', { parameters: same }));
    await ok(project.put('/kind/unit/ticket', { parameters: ['state', 'title'] }));
    expect(await parametersOf('ticket')).toEqual(['state', 'title']);
    const other = project.put('/kind/unit/ticket', { parameters: ['title', own('state', 'string')] });
    expect(await refused(other)).toMatch(/409 parameter.exists: .*'ticket.state' of type string exists already/);
    await ok(project.delete('/kind/unit/order'));
    expect(await idsOf('string')).toEqual(['ticket.state', 'title']);
    await ok(project.delete('/kind/unit/machine'));
    expect(await idsOf('integer')).toEqual([]);
  });

  it('is taken away with its values, by its kind, the link endpoint or its record', async () => {
    await ok(project.post('/ticket/unit', { title: 'a' }));
    expect(await refused(project.put('/kind/unit/ticket', { parameters: ['title'] }))).toMatch(/^409 .*1 unit/);
    expect(await refused(project.delete('/string/unit/ticket.state'))).toMatch(/^409 parameter.in_use: .*'ticket'/);
    await ok(project.put('/kind/unit/ticket?cascade=true', { parameters: ['title'] }));
    await ok(project.delete('/kind/unit/order/link/parameter/string/unit/order.state'));
    await ok(project.delete('/integer/unit/machine.state?cascade=true'));
    expect(await parametersOf('machine')).toEqual(['title', 'size']);
    expect(await idsOf('string')).toEqual(['title']);
    expect(await idsOf('integer')).toEqual(['machine.size', 'order.size']);
    await expectNoDrift(project);
  });

  it('may stand beside a shared one of its name, which other kinds use', async () => {
    await ok(project.post('/string/unit', { id: 'state', kind_id: 'string', max_length: 3 }));
    await defineKinds(project, { id: 'note', parameters: ['state'] });
    await ok(project.post('/ticket/unit', { state: 'closed' }));
    expect(await refused(project.post('/note/unit', { state: 'closed' }))).toMatch(/^400 parameter.too_long/);
    expect(await refused(project.post('/kind/unit/ticket/link/parameter/string/unit/state'))).toMatch(
      /^400 kind.bad_definition: .*'ticket' has a parameter 'state' of its own/,
    );
    expect(await refused(project.delete('/string/unit/state'))).toMatch(
      /^409 parameter.in_use: 'state' is used by 1 kind: 'note'/,
    );
  });
});

describe('a definition', () => {
  it('that cannot be is refused, with what is wrong and what would be right', async () => {
    const kind = (...parameters: unknown[]) => project.post('/kind/unit', { id: 'thing', parameters });
    const ticket = (...parameters: unknown[]) => project.put('/kind/unit/ticket', { parameters });
    expect(await refused(kind('state'))).toMatch(/^400 kind.bad_definition: .*no parameter 'state'/);
    expect(await refused(kind('ticket.state'))).toMatch(/^400 kind.bad_definition: .*no parameter 'ticket.state'/);
    expect(await refused(kind('title', own('title', 'string')))).toMatch(
      /^400 kind.bad_definition: .*'title' is there twice/,
    );
    expect(await refused(kind(own('metadata', 'string')))).toMatch(/^400 parameter.reserved: parameters\[0\]/);
    expect(await refused(kind(own('state', 'string', { own: 'yes' })))).toMatch(/^400 parameter.bad_type: .*own/);
    expect(await refused(ticket('state', own('title', 'string')))).toMatch(/has the shared parameter 'title'; PUT/);
    expect(await refused(ticket('title', { id: 'state', kind_id: 'string' }))).toMatch(
      /'ticket' alone; define it with/,
    );
    expect(await refused(project.post('/string/unit', { id: 'mood', own: true }))).toMatch(
      /^400 parameter.bad_definition: own: .* in the body of that kind/,
    );
    expect(await refused(project.post('/string/unit', { id: 'ticket.mood' }))).toMatch(/^400 identifier.malformed/);
    expect(await refused(project.post('/link/unit', { id: 'near', parameters: [own('far', 'integer')] }))).toMatch(
      /^400 parameter.bad_definition: parameters\[0\].own/,
    );
    expect(await refused(project.post('/link/unit', { id: 'near', parameters: ['order.size'] }))).toMatch(
      /^400 link.bad_definition: .*no parameter 'order.size'/,
    );
    const shared = project.post('/kind/unit', { id: 'note', parameters: [{ id: 'title', kind_id: 'integer' }] });
    expect(await refused(shared)).toMatch(/^409 parameter.exists: .*own": true/);
    expect(await refused(project.post('/kind/unit/ticket/link/parameter/integer/unit/order.size'))).toMatch(
      /^400 kind.bad_definition: .*'order.size' is a parameter of 'order' alone/,
    );
    expect(await idsOf('string')).toEqual(['order.state', 'ticket.state', 'title']);
  });
});

describe('a shared parameter that becomes own', () => {
  it('is copied to each kind that uses it, with its values in place', async () => {
    const id = await createdId(project.post('/ticket/unit', { title: 'kept' }));
    await ok(project.put('/string/unit/title', { own: true, max_length: 50 }));
    expect(await idsOf('string')).toEqual([
      'machine.title',
      'order.state',
      'order.title',
      'ticket.state',
      'ticket.title',
    ]);
    expect(await ok(project.get(`/ticket/unit/${id}`))).toMatchObject({ title: 'kept' });
    expect(await ok(project.get('/string/unit/order.title'))).toMatchObject({
      own: true,
      max_length: 50,
      label: 'title',
    });
    await ok(project.put('/string/unit/order.title', { max_length: 2 }));
    expect(await refused(project.post('/order/unit', { title: 'long' }))).toMatch(/^400 parameter.too_long/);
    await ok(project.post('/ticket/unit', { title: 'long' }));
    expect(await refused(project.put('/string/unit/order.title', { own: false }))).toMatch(/^400 .*own: .*stays so/);
    await ok(project.put('/string/unit/order.title', { own: true }));
    await expectNoDrift(project);
  });

  it('is refused where it would be of none, or of links', async () => {
    await ok(project.post('/integer/unit', { id: 'weight' }));
    expect(await refused(project.put('/integer/unit/weight', { own: true }))).toMatch(/^400 .*no kind uses it/);
    await ok(project.post('/link/unit', { id: 'near', parameters: ['weight'] }));
    expect(await refused(project.put('/integer/unit/weight', { own: true }))).toMatch(/^400 .*link type 'near'/);
  });
});

describe('units of several kinds', () => {
  const list = (asked: object) => project.get(query('/group/thing/unit', asked));
  beforeEach(async () => {
    await ok(project.post('/ticket/unit', { title: 'a', state: 'closed' }));
    await ok(project.post('/order/unit', { title: 'b', state: 'paid', size: 4 }));
    await ok(project.post('/machine/unit', { title: 'c', state: 7, size: [1, 2] }));
  });

  it('have one column of what agrees', async () => {
    await ok(project.post('/group/unit', { id: 'process', kind_list: ['ticket', 'order'] }));
    const { items } = await ok(
      project.get(query('/group/process/unit', { filter: 'in(state,paid,closed)', order: 'state;desc' })),
    );
    expect(items).toMatchObject([{ state: 'paid' }, { state: 'closed' }]);
    const answer = await ok(
      project.get(query('/group/process/aggregate', { group: 'state', select: 'count()', order: 'state' })),
    );
    expect(answer).toMatchObject({
      items: [
        { state: 'closed', count: 1 },
        { state: 'paid', count: 1 },
      ],
    });
  });

  it('show what does not, each as it is, and cannot be compared by it', async () => {
    const { items } = await ok(list({ order: 'title', include: 'title,state,size' }));
    expect(items).toEqual([
      expect.objectContaining({ title: 'a', state: 'closed', size: null }),
      expect.objectContaining({ title: 'b', state: 'paid', size: 4 }),
      expect.objectContaining({ title: 'c', state: 7, size: [1, 2] }),
    ]);
    expect((await ok(list({ exclude: 'state' }))).items).toHaveLength(3);
    const mixed = /^400 query.mixed: 'state' is string in 'ticket' and integer in 'machine'/;
    expect(await refused(list({ filter: 'eq(state,7)' }))).toMatch(mixed);
    expect(await refused(list({ order: 'state' }))).toMatch(mixed);
    expect(await refused(list({ filter: 'isnull(size)' }))).toMatch(
      /^400 query.mixed: 'size' is integer in 'order' and a list of integer in 'machine'/,
    );
    const aggregate = (asked: object) => project.get(query('/group/thing/aggregate', asked));
    expect(await refused(aggregate({ group: 'state', select: 'count()' }))).toMatch(mixed);
    expect(await refused(aggregate({ select: 'max(state)' }))).toMatch(mixed);
    expect(await refused(aggregate({ select: 'count(state)' }))).toMatch(mixed);
    expect(await refused(aggregate({ select: 'sum(mul(2,add(state,1)))' }))).toMatch(mixed);
    expect(await refused(aggregate({ group: 'lower(state)' }))).toMatch(mixed);
    expect(await refused(list({ order: 'similarity(state,x)' }))).toMatch(mixed);
  });

  it('are walked to, and tested over links, by the same rule', async () => {
    const [ticket, machine] = await Promise.all(
      ['ticket', 'machine'].map(async (kind) => (await ok(project.get(`/${kind}/unit`))).items as { id: string }[]),
    );
    await ok(project.post(`/ticket/unit/${ticket?.[0]?.id}/link/link/machine/unit/${machine?.[0]?.id}`));
    const walk = (asked: object) => project.get(query(`/ticket/unit/${ticket?.[0]?.id}/link/child`, asked));
    expect((await ok(walk({}))).items).toMatchObject([{ state: 7 }]);
    expect(await refused(walk({ filter: 'eq(state,7)' }))).toMatch(/^400 query.mixed/);
    expect((await ok(walk({ filter: 'eq(state,7)', kind_id: 'machine' }))).items).toHaveLength(1);
    const linked = (filter: string) => project.get(query('/ticket/unit', { filter }));
    expect(await refused(linked('linked(link,child,eq(state,7))'))).toMatch(/^400 query.mixed/);
    expect((await ok(linked('linked(link,child,machine,eq(state,7))'))).items).toHaveLength(1);
  });
});

describe('@member', () => {
  it('names what one member kind alone has, and nothing of different types', async () => {
    await defineKinds(
      project,
      { id: 'agent', parameters: [own('role', 'string')] },
      { id: 'customer', parameters: [own('role', 'string')] },
    );
    await ok(project.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'agent', 'customer'] }));
    await ok(project.put('/kind/unit/ticket', { access: { read: 'eq(state,@member.role)' } }));
    await ok(project.put('/kind/unit/customer?cascade=true', { parameters: [] }));
    const other = project.put('/kind/unit/customer', { parameters: [own('role', 'integer')] });
    expect(await refused(other)).toMatch(/^400 query.mixed: .*read of 'ticket' names @member.role/);
    await ok(project.put('/kind/unit/ticket', { access: { read: 'member' } }));
    await ok(project.put('/kind/unit/customer', { parameters: [own('role', 'integer')] }));
    const rule = project.put('/kind/unit/ticket', { access: { read: 'eq(state,@member.role)' } });
    expect(await refused(rule)).toMatch(/^400 query.mixed: .*@member.: 'role' is string in 'agent'/);
  });
});

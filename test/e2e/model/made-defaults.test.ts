/** Defaults that are made when a unit is created: `@now`, `@member.id`, `@member.name`. */
import { beforeEach, describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { makeKey } from '../../support/keys.js';
import type { TestProject } from '../../support/service.js';

const folder = new FunctionsFolder({
  'ticket.ts': `
    import { kind } from 'kind';
    const ticket = kind('ticket');
    export default ticket.module({
      functions: {
        open: ticket.function({
          description: 'Opens one as the system',
          run: async ({ system }) => system.units('ticket').create({ title: 'by the system' }),
        }),
      },
    });`,
  'seen.ts': `
    import { kind } from 'kind';
    export default kind('seen').module({ hooks: {
      before_create: ({ values }) => ({ note: Object.keys(values).sort().join() }),
      after_create: async ({ unit, system }) => void (await system.units('trace').create({ unit })),
    } });`,
});
const service = await sharedServiceWith(folder);
const MADE = [
  { id: 'owner', kind_id: 'unit', reference_kind: 'person', default_unit: '@member.id' },
  { id: 'opened', kind_id: 'datetime', default_datetime: '@now', nullable: false },
  { id: 'day', kind_id: 'date', default_date: '@now' },
  { id: 'team', kind_id: 'string', max_length: 10, pattern: '^[a-z]+$', default_string: '@member.unit_of' },
  { id: 'mail', kind_id: 'string', default_string: '@member.email' },
];
const OWN = 'eq(owner,@member.id)';

let project: TestProject;
let ann: TestProject;
let me: string;
beforeEach(async () => {
  project = await service.project();
  await defineKinds(project, {
    id: 'person',
    access: { read: 'admin' },
    parameters: [{ id: 'unit_of', kind_id: 'string', read_access: 'admin' }],
  });
  ann = await asMember(project);
  const { items } = await ok(project.get('/person/unit'));
  me = items[0].id;
  await ok(project.put(`/person/unit/${me}`, { unit_of: 'support' }));
  await defineKinds(
    project,
    {
      id: 'ticket',
      public: true,
      access: { read: 'anyone', create: 'anyone', update: 'member' },
      parameters: [{ id: 'title', kind_id: 'string' }, ...MADE],
    },
    { id: 'mine', access: { read: OWN, create: OWN }, parameters: ['title', 'owner', 'opened', 'team'] },
    { id: 'trace', parameters: [{ id: 'unit', kind_id: 'json' }] },
    {
      id: 'seen',
      access: { read: OWN, create: `and(${OWN},eq(team,support),lte(opened,@now))` },
      parameters: ['title', 'owner', 'opened', 'team', { id: 'note', kind_id: 'string' }],
    },
  );
});
const made = (unit: { inserted_at: string }) => ({
  owner: me,
  opened: unit.inserted_at,
  day: unit.inserted_at.slice(0, 10),
  team: 'support',
  mail: 'ann@person.example',
});

describe('a create', () => {
  it('gets the time of the transaction, the caller and its values', async () => {
    const unit = await ok(ann.post('/ticket/unit', { title: 'a' }));
    expect(unit).toMatchObject(made(unit));
    const many = await ok(ann.post('/ticket/unit', [{ title: 'b' }, { title: 'c', team: 'sales', owner: null }]));
    expect(many.items[0]).toMatchObject(made(many.items[0]));
    expect(many.items[1]).toMatchObject({ ...made(many.items[1]), team: 'sales', owner: null });
  });

  it('keeps what is given', async () => {
    const given = { opened: '2020-01-01T00:00:00.000000Z', day: '2020-01-02', team: 'x', mail: 'y', owner: null };
    expect(await ok(ann.post('/ticket/unit', given))).toMatchObject(given);
  });

  it('of others has null: of nobody, of a member of another kind, of one without the parameter', async () => {
    const nobody = { owner: null, team: null, mail: null };
    expect(await ok(anonymous(project).post('/ticket/unit', {}))).toMatchObject(nobody);
    const bot = await asMember(project, 'bot');
    expect(await ok(bot.post('/ticket/unit', {}))).toMatchObject({ ...nobody, mail: 'ann@bot.example' });
  });

  it('satisfies the rule of creates, with hooks too, which do not see them before', async () => {
    expect(await ok(ann.post('/mine/unit', { title: 'a' }))).toMatchObject({ owner: me, team: 'support' });
    const seen = await ok(ann.post('/seen/unit', { title: 'a' }));
    expect(seen).toMatchObject({ owner: me, opened: seen.inserted_at, note: 'title' });
    const { items } = await ok(project.get('/trace/unit'));
    expect(items[0].unit).toMatchObject({ owner: me, opened: seen.inserted_at });
    expect(refusalOf(await ann.post('/mine/unit', { owner: null }))).toMatchObject({ status: 403 });
  });

  it('is of the member of an API key, and of the one who called a function that writes as the system', async () => {
    const { secret } = await makeKey(ann);
    const unit = await ok(project.as(secret).post('/ticket/unit', {}));
    expect(unit).toMatchObject(made(unit));
    const opened = await ok(ann.post('/ticket/function/open', {}));
    expect(opened).toMatchObject(made(opened));
  });

  it('gets them in every way of writing: inside another, in a batch, upserted, imported', async () => {
    await defineKinds(project, {
      id: 'message',
      access: { read: 'member', create: 'member' },
      parameters: [
        { id: 'about', kind_id: 'unit', reference_kind: 'ticket' },
        { id: 'code', kind_id: 'string', unique: true },
        'owner',
        'team',
      ],
    });
    const outer = await ok(ann.post('/message/unit', { about: { title: 'inside' } }));
    const { items } = await ok(project.get('/ticket/unit?filter=eq(title,inside)'));
    expect(items[0]).toMatchObject(made(items[0]));
    expect(outer).toMatchObject({ owner: me, team: 'support' });
    const batch = await ok(
      ann.post('/batch', { operations: [{ method: 'POST', path: '/ticket/unit', body: { title: 'batch' } }] }),
    );
    expect(JSON.stringify(batch)).toContain(me);
    const upserted = await ok(ann.post('/message/unit?on_conflict=update&by=code', { code: 'x' }));
    expect(JSON.stringify(upserted)).toContain('support');
    await ok(ann.post('/message/import', 'code,team\nq,\nr,sales\n', { headers: { 'content-type': 'text/csv' } }));
    const imported = await ok(project.get('/message/unit?filter=in(code,q,r)&order=code'));
    expect(imported.items).toMatchObject([
      { owner: me, team: null },
      { owner: me, team: 'sales' },
    ]);
  });

  it('in a dry run shows them', async () => {
    expect(await ok(ann.post('/ticket/unit?dry_run=true', {}))).toMatchObject({ owner: me, team: 'support' });
  });

  it('refuses a value of the member that the parameter may not have, without telling it', async () => {
    for (const value of ['far too long a name', 'UPPER']) {
      await ok(project.put(`/person/unit/${me}`, { unit_of: value }));
      for (const kind of ['ticket', 'mine']) {
        const reply = await ann.post(`/${kind}/unit`, { title: 'a' });
        expect(reply).toMatchObject({
          status: 400,
          body: { messages: [{ code: 'parameter.required', parameter: 'team' }] },
        });
        expect(reply.text).not.toContain(value);
      }
    }
    expect(await ok(ann.post('/ticket/unit', { team: 'mine' }))).toMatchObject({ team: 'mine' });
  });

  it('of a required one without a member is refused', async () => {
    await ok(project.put('/string/unit/team', { required: true }));
    expect(await ok(ann.post('/ticket/unit', {}))).toMatchObject({ team: 'support' });
    expect(refusalOf(await anonymous(project).post('/ticket/unit', {}))).toEqual({
      status: 400,
      messages: ['parameter.required team'],
    });
  });
});

it('leaves edits, and units that are there, alone', async () => {
  const { id } = await ok(ann.post('/ticket/unit', { team: null, owner: null }));
  expect(await ok(ann.put(`/ticket/unit/${id}`, { title: 'b' }))).toMatchObject({ team: null, owner: null });
  await ok(project.post('/datetime/unit', { id: 'seen_at', default_datetime: '@now' }));
  await ok(project.post('/kind/unit/ticket/link/parameter/datetime/unit/seen_at'));
  expect(await ok(ann.get(`/ticket/unit/${id}`))).toMatchObject({ seen_at: null });
  expect(
    await query(
      project,
      `SELECT column_default FROM information_schema.columns WHERE table_schema = '$schema' AND column_default IS NOT NULL`,
    ),
  ).toEqual([]);
});

it('fills values of links', async () => {
  await ok(project.post('/link/unit', { id: 'watches', parameters: ['opened', 'team', 'title'] }));
  const {
    items: [a, b, c],
  } = await ok(ann.post('/ticket/unit', [{}, {}, {}]));
  const one = await ok(project.post(`/ticket/unit/${a.id}/link/watches/ticket/unit/${b.id}`, {}));
  expect(one).toMatchObject({ opened: one.inserted_at, team: null });
  const many = await ok(
    project.post(`/ticket/unit/${a.id}/link/watches/child`, { items: [{ kind_id: 'ticket', id: c.id }] }),
  );
  expect(many.items).toMatchObject([{ opened: many.items[0].inserted_at, team: null }]);
});

describe('a definition', () => {
  it('shows it as it was given; struct and document show null, and words', async () => {
    expect(await ok(project.get('/datetime/unit/opened'))).toMatchObject({ default_datetime: '@now' });
    const { items } = (await ok(ann.get('/ticket/struct'))) as { items: { id: string }[] };
    const of = (id: string) => items.find((each) => each.id === id);
    expect(of('opened')).toMatchObject({
      default: null,
      helper_text: expect.stringContaining('time at which it is created'),
    });
    expect(of('owner')).toMatchObject({
      default: null,
      helper_text: expect.stringContaining('member that creates it'),
    });
    expect((await ann.get('/doc/openapi.json')).text).toContain(
      'Where it is not given, a new unit gets `unit_of` of the member',
    );
  });

  it('of another sort is refused', async () => {
    for (const [type, body, parameter] of [
      ['unit', { reference_kind: 'ticket', default_unit: '@member.id' }, 'default_unit'],
      ['unit', { reference_kind: 'person', default_unit: '0190163d-8694-739b-aea5-966c26f8ad91' }, 'default_unit'],
      ['unit', { reference_kind: 'person', default_unit: '@member.email' }, 'default_unit'],
      ['string', { default_string: '@member.nothing' }, 'default_string'],
      ['string', { default_string: '@member.unit_of.name' }, 'default_string'],
      ['string', { default_string: '@member.inserted_at' }, 'default_string'],
      ['string', { default_string: '@member.password' }, 'default_string'],
      ['string', { default_string: '@member.unit_of', only_run_time: true }, 'default_string'],
      ['datetime', { default_datetime: '@now-7d' }, 'default_datetime'],
      ['datetime', { default_datetime: '@now', multiple: true }, 'default_datetime'],
      ['datetime', { default_datetime: '@now', only_run_time: true }, 'default_datetime'],
      ['date', { default_date: '@member.id' }, 'default_date'],
    ] as const) {
      const reply = await project.post(`/${type}/unit`, { id: 'x', ...body });
      expect(reply, JSON.stringify(body)).toMatchObject({ status: 400, body: { messages: [{ parameter }] } });
      const inline = await project.post('/kind/unit', { id: 'k', parameters: [{ id: 'x', kind_id: type, ...body }] });
      expect(inline.status, JSON.stringify(body)).toBe(400);
    }
    // Of a remote kind.
    const reply = await project.post('/kind/unit', { id: 'far', remote: true, parameters: ['opened'] });
    expect(refusalOf(reply)).toEqual({ status: 400, messages: ['kind.bad_definition parameters'] });
  });

  it('of a hidden value is refused', async () => {
    await ok(project.post('/string/unit', { id: 'pin', hidden: true }));
    await ok(project.post('/kind/unit/person/link/parameter/string/unit/pin'));
    const reply = await project.post('/string/unit', { id: 'x', default_string: '@member.pin' });
    expect(reply).toMatchObject({
      status: 400,
      body: { messages: [{ code: 'parameter.bad_definition', parameter: 'default_string' }] },
    });
  });

  it('that only looks like one is a text', async () => {
    const texts = ['@now', 'me@member.id'].map((text) => ['string', text] as const);
    for (const [at, [type, text]] of [...texts, ['text', '@member.unit_of'] as const].entries()) {
      const parameters = [{ id: `x${at}`, kind_id: type, [`default_${type}`]: text }];
      await defineKinds(project, { id: `k${at}`, parameters });
      expect(await ok(project.post(`/k${at}/unit`, {}))).toMatchObject({ [`x${at}`]: text });
    }
  });

  it('can be changed and taken away', async () => {
    await ok(project.put('/datetime/unit/opened', { nullable: true, default_datetime: null }));
    expect(await ok(ann.post('/ticket/unit', {}))).toMatchObject({ opened: null });
    await ok(project.put('/string/unit/team', { default_string: 'plain' }));
    expect(await ok(ann.post('/ticket/unit', {}))).toMatchObject({ team: 'plain' });
    await ok(project.put('/string/unit/team', { default_string: '@member.username' }));
    expect((await ann.post('/ticket/unit', {})).status).toBe(400);
  });
});

describe('what a default names', () => {
  it('is not taken away', async () => {
    for (const take of [
      () => project.delete('/string/unit/unit_of?cascade=true'),
      () => project.delete('/kind/unit/person/link/parameter/string/unit/unit_of?cascade=true'),
      () => project.put('/string/unit/unit_of', { hidden: true }),
      () => project.delete('/group/unit/kind_auth_member/link/group/kind/unit/person'),
    ]) {
      const reply = await take();
      expect(reply, take.toString()).toMatchObject({ status: 409 });
      expect(reply.text).toContain('parameter.in_default');
      expect(await ok(ann.post('/ticket/unit', {}))).toMatchObject({ team: 'support' });
    }
  });
});

/** Agents that change the model of a project, and what they may not change. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { agentOf, type Called, callTool } from '../../support/agents.js';
import { asAdministrator, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { makeKey, type MadeKey } from '../../support/keys.js';
import { setSettings } from '../../support/mailbox.js';
import { applyModel, dumpModel } from '../../support/model-files.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const SCOPE = [{ kinds: ['model'], operations: ['read', 'update'] }];

type Call = (name: string, given: object) => Promise<Called>;

interface Agent {
  readonly admin: TestProject;
  readonly key: MadeKey;
  readonly call: Call;
  readonly tools: () => Promise<string[]>;
}

async function agent(admin: TestProject, body: object = {}): Promise<Agent> {
  const key = await makeKey(admin, { agent: true, writes: true, scope: SCOPE, ...body });
  const client = await agentOf(admin.service, key.secret);
  return {
    admin,
    key,
    call: (name, given) => callTool(client, name, given),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  };
}

const apply = async ({ call }: Agent, model: object): Promise<Called> => call('apply_model', { model });

/** The state of what is done, or the codes of what is refused. */
const outcomeOf = ({ isError, structuredContent: { data, messages } }: Called): unknown =>
  isError ? [...new Set((messages as { code: string }[]).map(({ code }) => code))] : data.state;

describe('an agent for the model', () => {
  let made: Agent;
  beforeAll(async () => {
    const admin = await asAdministrator(await service.project());
    await defineKinds(
      admin,
      {
        id: 'place',
        parameters: [
          { id: 'name', kind_id: 'string', own: true },
          { id: 'note', kind_id: 'string' },
        ],
      },
      {
        id: 'person',
        parameters: [
          { id: 'nick', kind_id: 'string' },
          'note',
          { id: 'rank', kind_id: 'string', own: true },
          { id: 'home', kind_id: 'unit', reference_kind: 'place' },
        ],
      },
    );
    await ok(admin.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person'] }));
    made = await agent(admin);
  });

  it('has its tools where the scope names the model, and writes is set', async () => {
    const { admin, tools } = made;
    expect(await tools()).toEqual(['plan_model', 'apply_model']);
    const toolsOf = async (body: object) => (await agent(admin, body)).tools();
    expect(await toolsOf({ writes: false })).toEqual(['plan_model']);
    expect(await toolsOf({ scope: [{ kinds: ['model'], operations: ['read'] }] })).toEqual(['plan_model']);
    expect(await toolsOf({ scope: [{ kinds: ['model'], operations: ['update'] }] })).toEqual(['apply_model']);
    const kinds = [{ kinds: ['place', 'kind'], operations: ['read', 'create', 'update'] }];
    expect(await toolsOf({ scope: kinds })).not.toContain('plan_model');
    expect(await toolsOf({ scope: [...kinds, ...SCOPE] })).toEqual(
      expect.arrayContaining(['list_units', 'create_units', 'plan_model', 'apply_model']),
    );
  });

  it('is the only key whose scope names other kinds beside the model', async () => {
    const { admin } = made;
    const scope = [{ kinds: ['place'], operations: ['read'] }, ...SCOPE];
    const refused = { status: 400, messages: ['parameter.bad_value scope'] };
    expect(refusalOf(await admin.post('/api_key/unit', { label: 'both', scope }))).toEqual(refused);
    const { key } = await agent(admin, { scope });
    const path = `/api_key/unit/${key.id}`;
    expect(refusalOf(await admin.put(path, { agent: false }))).toEqual(refused);
    await ok(admin.put(path, { agent: false, scope: SCOPE }));
    expect(refusalOf(await admin.put(path, { scope }))).toEqual(refused);
    await ok(admin.put(path, { agent: true, scope }));
    const together = [{ kinds: ['place', 'model'], operations: ['read'] }];
    expect(refusalOf(await admin.put(path, { scope: together }))).toEqual(refused);
    expect(refusalOf(await admin.as(key.secret).get('/model'))).toEqual({ status: 403, messages: ['key.not_here'] });
  });

  it('plans without a change, and applies', async () => {
    const { admin, call } = made;
    const parameters = { name: { type: 'string', own: true } };
    const model = { kinds: { plan: { access: { read: 'member', create: 'admin' }, parameters } } };
    for (const [name, given] of [
      ['plan_model', { model }],
      ['apply_model', { model, dry_run: true }],
    ] as const) {
      const { data } = (await call(name, given)).structuredContent;
      expect(data).toMatchObject({ state: 'changes', steps: [{ change: 'add', name: 'plan' }] });
      expect((await admin.get('/plan/unit')).status).toBe(404);
    }
    expect(outcomeOf(await apply(made, model))).toBe('applied');
    expect(outcomeOf(await apply(made, model))).toBe('equal');
    await ok(admin.post('/plan/unit', { name: 'x' }));
    const refused = { kinds: { plan: { public: true } } };
    expect(outcomeOf(await call('plan_model', { model: refused }))).toEqual(['key.not_here']);
  });

  it.each<[string, object, string[]]>([
    [
      'members',
      {
        parameters: { nick: { type: 'string', label: 'x' }, name: { type: 'string', was: 'home' } },
        kinds: { person: { label: 'x' }, kind_admin: { label: 'x' }, api_key: { access: { read: 'member' } } },
        groups: { kind_auth_member: ['place'] },
      },
      [
        'parameters.nick',
        'parameters.name',
        'kinds.person',
        'kinds.kind_admin',
        'kinds.api_key',
        'groups.kind_auth_member',
      ],
    ],
    [
      'members, by another id, or inside another kind',
      { kinds: { human: { was: 'person' }, place: { parameters: { nick: { type: 'string', label: 'x' } } } } },
      ['kinds.human', 'parameters.nick'],
    ],
    [
      'what members share, by making it its own',
      { kinds: { place: { parameters: { note: { type: 'string', own: true } } } } },
      ['parameters.place.note'],
    ],
    [
      'strangers',
      {
        parameters: { word: { type: 'string', read_access: 'anyone', write_access: 'anyone' } },
        kinds: { place: { public: true, access: { read: 'anyone', signup: 'admin' } }, wall: { public: true } },
        links: { likes: { access: { create: 'anyone' } } },
      },
      [
        'parameters.word.read_access',
        'parameters.word.write_access',
        'kinds.place.public',
        'kinds.place.access.read',
        'kinds.place.access.signup',
        'kinds.wall.public',
        'links.likes.access.create',
      ],
    ],
    [
      'settings, units, webhooks and providers',
      {
        settings: { access_default: 'closed' },
        units: { place: { by: ['name'], items: [{ name: 'x' }] } },
        webhooks: { hook: { url: 'https://example.org/h', kinds: ['place'] } },
        identity_providers: { login: { issuer: 'https://example.org', client_id: 'x', member_kind: 'person' } },
      },
      ['settings.access_default', 'units.place', 'webhooks.hook', 'identity_providers.login'],
    ],
    ...[
      ['person', 'kinds.person', 'person.rank', 'kinds.person.rank', 'parameters.nick'],
      [
        'groups.kind_auth_member',
        'groups.kind_auth_member.person',
        'kinds.kind_admin',
        'links.link',
        'webhooks.hook',
        'identity_providers.login',
      ],
    ].map((drop): [string, object, string[]] => [`the deletion of ${drop.join(', ')}`, { drop }, drop]),
  ])('changes nothing of %s', async (_, model, refused) => {
    const { isError, structuredContent } = await apply(made, model);
    expect(isError).toBe(true);
    const faults = structuredContent.messages as { code: string; parameter: string }[];
    expect(faults.map(({ code, parameter }) => `${code} ${parameter}`)).toEqual(
      expect.arrayContaining(refused.map((each) => `key.not_here ${each}`)),
    );
    expect(faults).toHaveLength(refused.length);
  });

  it('is told what is wrong where, with an example, and no tool that it lacks', async () => {
    const given = { model: { kinds: { memo: { parametrs: {} } } } };
    const { messages, example } = (await made.call('apply_model', given)).structuredContent;
    expect(messages).toMatchObject([{ code: 'model.bad_file', parameter: 'kinds.memo.parametrs' }]);
    expect(example.model.kinds).toBeDefined();
    const { structuredContent } = await made.call('apply_model', {});
    expect(structuredContent.messages).toEqual([
      { code: 'parameter.required', text: expect.any(String), parameter: 'model' },
    ]);
  });

  it('takes no parameter from a kind of members by the kind that it refers to', async () => {
    const { admin } = made;
    const before = await dumpModel(admin);
    const outcome = outcomeOf(await apply(await agent(admin), { drop: ['place'] }));
    expect([outcome, await dumpModel(admin)]).toEqual([['kind.referenced'], before]);
  });

  it('loses and opens nothing, whatever it gives', async () => {
    const { admin, call } = await agent(made.admin, {
      scope: [{ kinds: ['model'], operations: ['read', 'update', 'delete'] }],
    });
    const name = { id: 'name', kind_id: 'string', own: true };
    await defineKinds(admin, { id: 'thing', access: { update: 'admin' }, parameters: [name] });
    await ok(admin.post('/thing/unit', { name: 'x' }));
    for (const [model, code, told] of [
      [{ drop: ['thing'] }, 'model.loses', 'loses'],
      [{ drop: ['thing.name'] }, 'model.loses', 'loses'],
      [{ kinds: { thing: { access: { update: 'member' } } } }, 'model.opens', 'opens'],
      [{ kinds: { thing: { access: { update: null } } } }, 'model.opens', 'opens'],
    ] as const) {
      const planned = await call('plan_model', { model });
      expect(planned.structuredContent.data?.steps ?? [model, planned.structuredContent]).toMatchObject([
        { [told]: expect.anything() },
      ]);
      expect([model, outcomeOf(await call('apply_model', { model }))]).toEqual([model, [code]]);
    }
    const model = { drop: ['thing'] };
    for (const each of ['allow_loss', 'allow_open', 'version']) {
      expect(outcomeOf(await call('apply_model', { model, [each]: 'all' }))).toEqual(['query.unknown']);
      expect(outcomeOf(await call('apply_model', { model: { ...model, [each]: 'all' } }))).toEqual(['model.bad_file']);
    }
    for (const given of [
      { access: { read: ['anyone'] } },
      { parameters: { name: { type: 'string', own: true, read_access: ['anyone'] } } },
    ]) {
      expect(outcomeOf(await call('apply_model', { model: { kinds: { thing: given } } }))).toEqual(['model.bad_file']);
    }
    const whole = { partial: false, kinds: { thing: { label: 'A thing' } } };
    expect(outcomeOf(await call('apply_model', { model: whole }))).toEqual(['key.not_here']);
    const label = { format: 'kind-model', version: 1, partial: true, kinds: { thing: { label: 'A thing' } } };
    expect(outcomeOf(await call('apply_model', { model: label }))).toBe('applied');
    expect(await ok(admin.get('/thing/unit'))).toMatchObject({ count: 1 });
  });

  it('is refused where the model becomes another meanwhile, and changes nothing then', async () => {
    const { admin } = made;
    const model = (id: string) => ({ kinds: { [id]: { access: { create: 'admin' } } } });
    const ids = ['race_a', 'race_b', 'race_c', 'race_d'];
    const outcomes = await Promise.all(ids.map(async (id) => outcomeOf(await apply(made, model(id)))));
    expect(outcomes).toContain('applied');
    for (const [at, id] of ids.entries()) {
      const applied = outcomes[at] === 'applied';
      if (!applied) expect(outcomes[at]).toEqual(['model.changed']);
      expect([id, (await admin.get(`/${id}/unit`)).status]).toEqual([id, applied ? 200 : 404]);
    }
  });

  it('is named by the history of what it fills', async () => {
    const { admin, key } = made;
    await defineKinds(admin, {
      id: 'job',
      changes: 'history',
      parameters: [{ id: 'state', kind_id: 'string', own: true }],
    });
    const id = await createdId(admin.post('/job/unit', {}));
    const state = { type: 'string', own: true, nullable: false, fill: 'new' };
    expect(outcomeOf(await apply(made, { kinds: { job: { parameters: { state } } } }))).toBe('applied');
    const { items } = await ok(admin.get(`/job/unit/${id}/history`));
    expect(items[0]).toMatchObject({ key: key.id, member: key.member });
    expect(await ok(admin.get(`/job/unit/${id}`))).toMatchObject({ state: 'new' });
  });

  it('has no tools where the project closes them', async () => {
    await setSettings(made.admin, { agents: false });
    await expect(made.tools()).rejects.toThrow();
    await setSettings(made.admin, { agents: true });
  });
});

describe('an agent that has the tools alone', () => {
  it('builds the CRM of the template, and then fills it', async () => {
    const text = readFileSync(new URL('../../../templates/crm.yaml', import.meta.url), 'utf8');
    const { settings, parameters, kinds, groups, links, units, ...head } = parse(text);
    const { kind_auth_member: members, ...others } = groups;
    const { salesperson, ...rest } = kinds;
    const admin = await asAdministrator(await service.project());
    // Who comes in is for administrators.
    const file = { ...head, partial: true, settings, kinds: { salesperson }, groups: { kind_auth_member: members } };
    await applyModel(admin, stringify(file));

    const { key, call, tools } = await agent(admin);
    expect(await tools()).toEqual(['plan_model', 'apply_model']);
    const { company, industry, ...later } = rest;
    for (const model of [{ parameters, kinds: { company, industry } }, { kinds: later }, { groups: others, links }]) {
      const planned = (await call('plan_model', { model })).structuredContent.data;
      const applied = (await call('apply_model', { model })).structuredContent.data;
      expect(applied).toMatchObject({ state: 'applied', steps: planned.steps });
    }
    const template = await service.project();
    await applyModel(template, text);
    expect(await dumpModel(admin)).toBe(await dumpModel(template));

    // What the agent has made is in no scope until an administrator adds it.
    expect(await tools()).toEqual(['plan_model', 'apply_model']);
    const scope = [...SCOPE, { kinds: ['industry', 'company', 'deal'], operations: ['read', 'create'] }];
    await ok(admin.put(`/api_key/unit/${key.id}`, { scope }));
    expect(await tools()).toContain('create_units');
    expect((await call('create_units', { kind: 'contact', units: [{ name: 'x' }] })).structuredContent).toMatchObject({
      messages: [{ code: 'kind.unknown' }],
    });
    const create = async (kind: string, given: object[]) => {
      const { isError, structuredContent } = await call('create_units', { kind, units: given });
      expect([isError, structuredContent]).toEqual([undefined, expect.anything()]);
      return structuredContent.data.result;
    };
    await create('industry', units.industry.items);
    const { id } = await create('company', [{ name: 'Acme', industry: 'software', owner: null }]);
    await create(
      'deal',
      ['A', 'B'].map((name) => ({ name, company: id, amount: '10.00', owner: null })),
    );
    const listed = await call('list_units', {
      kind: 'deal',
      include: ['name', 'company.name', 'stage'],
      order: 'name',
    });
    expect(listed.structuredContent.data.items).toMatchObject([
      { name: 'A', 'company.name': 'Acme', stage: 'lead' },
      { name: 'B', 'company.name': 'Acme', stage: 'lead' },
    ]);
  });
});

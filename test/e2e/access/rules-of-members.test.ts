/** Rules that test the calling member: `@member.` in place of a parameter of the unit. */
import { beforeAll, describe, expect, it } from 'vitest';
import { anonymous, defineKinds, tokensOf } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const admin = await service.project();
await defineKinds(
  admin,
  { id: 'company', parameters: [{ id: 'plan', kind_id: 'string' }] },
  { id: 'team', parameters: [{ id: 'company', kind_id: 'unit', reference_kind: 'company' }, 'plan'] },
  {
    id: 'person',
    parameters: [
      { id: 'role', kind_id: 'string' },
      { id: 'level', kind_id: 'integer' },
      { id: 'skills', kind_id: 'string', multiple: true },
      { id: 'team', kind_id: 'unit', reference_kind: 'team' },
      { id: 'settings', kind_id: 'json' },
    ],
  },
  { id: 'robot', parameters: [{ id: 'model', kind_id: 'string' }, 'level'] },
  { id: 'paper', parameters: [{ id: 'title', kind_id: 'string' }, { id: 'state', kind_id: 'string' }, 'level'] },
);
await ok(admin.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person', 'robot'] }));

const company = await createdId(admin.post('/company/unit', { plan: 'paid' }));
const team = await createdId(admin.post('/team/unit', { company, plan: 'free' }));
const bare = await createdId(admin.post('/team/unit', {}));

async function join(kind: string, username: string, values: object): Promise<TestProject & { memberId: string }> {
  const id = await createdId(admin.post(`/${kind}/unit`, { username, email: `${username}@example.com`, ...values }));
  const { access_token: token } = await tokensOf(admin, kind, id);
  return Object.assign(admin.as(token), { memberId: id });
}
const editor = await join('person', 'editor', {
  ...{ role: 'editor', level: 5, skills: ['law', 'art'], team, settings: { theme: 'dark' } },
});
const guest = await join('person', 'guest', { role: 'guest', level: 1, skills: [], team: bare, settings: {} });
const blank = await join('person', 'blank', {});
const robot = await join('robot', 'robot', { model: 'x', level: 9 });
const callers = { editor, guest, blank, robot, nobody: anonymous(admin) };

let paper = '';
beforeAll(async () => {
  paper = await createdId(admin.post('/paper/unit', { title: 'a', state: 'draft', level: 3 }));
});

const setAccess = (access: object) => ok(admin.put('/kind/unit/paper', { access, public: false }));

/** The callers that see the document. */
async function readersOf(rule: string | string[]): Promise<string[]> {
  await setAccess({ read: rule });
  const seen = await Promise.all(
    Object.entries(callers).map(async ([name, caller]) => {
      const { status, body } = await caller.get('/paper/unit');
      const listed = status === 200 && (body.content as { count: number }).count > 0;
      expect((await caller.get(`/paper/unit/${paper}`)).status === 200).toBe(listed);
      return listed ? [name] : [];
    }),
  );
  return seen.flat();
}

describe('a rule that tests the member', () => {
  it.each<[string, string[]]>([
    ['eq(@member.role,editor)', ['editor']],
    ['in(@member.role,editor,guest)', ['editor', 'guest']],
    ['and(eq(@member.role,editor),eq(state,draft))', ['editor']],
    ['and(eq(@member.role,editor),eq(state,final))', []],
    ['gt(@member.level,4)', ['editor', 'robot']],
    ['contains(@member.skills,law)', ['editor']],
    ['startswith(@member.role,ed)', ['editor']],
    ['eq(@member.settings.theme,dark)', ['editor']],
    ['eq(@member.team.plan,free)', ['editor']],
    ['eq(@member.team.company.plan,paid)', ['editor']],
    ['eq(@member.kind_id,robot)', ['robot']],
    [`eq(@member.id,${guest.memberId})`, ['guest']],
    ['eq(@member . role , editor )', ['editor']],
    ['eq(@member."role",editor)', ['editor']],
    ['gte(level,@member.level)', ['guest']],
    ['and(gt(@member.level,4),lt(level,@member.level))', ['editor', 'robot']],
    ['or(eq(@member.role,editor),eq(state,draft))', ['editor', 'guest']],
  ])('%s is true for %j', async (rule, readers) => {
    expect(await readersOf(rule)).toEqual(readers);
  });

  it.each<[string, string[]]>([
    ['not(eq(@member.role,editor))', ['guest']],
    ['ne(@member.role,editor)', ['guest']],
    ['not(contains(@member.skills,art))', []],
    ['isnull(@member.role)', []],
    ['isnull(@member.role,false)', ['editor', 'guest']],
    ['not(eq(@member.team.plan,paid))', ['editor']],
    ['ne(@member.team.company.plan,free)', ['editor']],
  ])('%s is false where the member lacks the value, and true for %j', async (rule, readers) => {
    expect(await readersOf(rule)).toEqual(readers);
  });

  it('is one of several rules', async () => {
    expect(await readersOf(['eq(@member.role,editor)', 'eq(@member.model,x)'])).toEqual(['editor', 'robot']);
  });

  it('reads the member as it is now', async () => {
    await setAccess({ read: 'eq(@member.role,boss)' });
    expect((await blank.get(`/paper/unit/${paper}`)).status).toBe(404);
    await ok(admin.put(`/person/unit/${blank.memberId}`, { role: 'boss' }));
    expect((await blank.get(`/paper/unit/${paper}`)).status).toBe(200);
    await ok(admin.put(`/person/unit/${blank.memberId}`, { role: null }));
    expect((await blank.get(`/paper/unit/${paper}`)).status).toBe(404);
  });

  it('holds for creates, edits and deletions', async () => {
    const rule = 'and(eq(@member.role,editor),eq(state,draft))';
    await setAccess({ read: 'member', create: rule, update: rule, delete: rule });
    const id = await createdId(editor.post('/paper/unit', { title: 'b', state: 'draft' }));
    expect((await editor.post('/paper/unit', { title: 'b', state: 'final' })).status).toBe(403);
    expect((await guest.post('/paper/unit', { title: 'b', state: 'draft' })).status).toBe(403);
    expect((await guest.put(`/paper/unit/${id}`, { title: 'c' })).status).toBe(403);
    expect((await editor.put(`/paper/unit/${id}`, { state: 'final' })).status).toBe(403);
    expect((await editor.put(`/paper/unit/${id}`, { title: 'c' })).status).toBe(200);
    expect((await guest.delete(`/paper/unit/${id}`)).status).toBe(403);
    expect((await editor.delete(`/paper/unit/${id}`)).status).toBe(200);
  });

  it('holds for counts, aggregations, groups and related units', async () => {
    await setAccess({ read: 'eq(@member.role,editor)' });
    await ok(
      admin.put('/kind/unit/paper', {
        parameters: ['title', 'state', 'level', { id: 'about', kind_id: 'unit', reference_kind: 'team' }],
      }),
    );
    await ok(admin.put('/kind/unit/team', { access: { read: 'member' } }));
    const about = await createdId(admin.post('/paper/unit', { title: 'x', about: team }));
    const numbers = async (caller: TestProject) => {
      const [list, sum, teams] = [
        await caller.get('/paper/unit?limit=0'),
        await caller.get('/paper/aggregate?select=count()'),
        await caller.get('/team/unit?filter=exists(paper.about)'),
      ];
      return [list, sum, teams].map(({ body }) => {
        const { count, items } = body.content as { count: number; items: { count?: number }[] };
        return items[0]?.count ?? count;
      });
    };
    expect(await numbers(editor)).toEqual([2, 2, 1]);
    expect(await numbers(guest)).toEqual([0, 0, 0]);
    await ok(admin.delete(`/paper/unit/${about}`));
  });
});

describe('a rule is refused when it is stored', () => {
  it.each<[string, string, RegExp]>([
    ['eq(@member.rule,editor)', 'filter.unknown_parameter', /no member kind has 'rule'.*'role'.*character 4/],
    ['eq(@member.team.plam,x)', 'filter.unknown_parameter', /no parameter 'plam' in 'team'.*'plan'/],
    ['eq(@member.level,many)', 'filter.bad_value', /'level' wants/],
    ['gt(@member.settings,1)', 'filter.bad_operator', /'settings' is json/],
    ['eq(@member,editor)', 'filter.syntax', /expected '@member\.' or '@before\.' and a parameter at character 4/],
    ['eq(@members.role,editor)', 'filter.syntax', /expected '@member\.'/],
    ['eq(@member.,editor)', 'filter.syntax', /expected a parameter/],
    ['eq_field(@member.level,level)', 'filter.bad_operator', /write eq\(parameter,@member\.parameter\)/],
    ['near(@member.level,level,1,1,1)', 'filter.bad_operator', /near compares parameters of units/],
    [
      `and(${Array.from({ length: 20 }, (_, at) => `eq(@member.role,r${at})`).join()})`,
      'filter.too_large',
      /look up 21 units/,
    ],
  ])('%s', async (rule, code, text) => {
    const { status, body } = await admin.put('/kind/unit/paper', { access: { read: rule } });
    expect([status, body.messages[0]?.code]).toEqual([400, code]);
    expect(body.messages[0]?.text).toMatch(text);
  });
});

it('`@member.` is no name in a filter of a request', async () => {
  const { status } = await admin.get('/paper/unit?filter=eq(@member.role,editor)');
  expect(status).toBe(400);
});

describe('a rule turns to nobody', () => {
  it.each([
    [
      'with the parameter of the member',
      'eq(@member.temper,calm)',
      () => admin.put('/kind/unit/person', without('temper')),
    ],
    [
      'with a parameter on the path',
      'eq(@member.team.mood,good)',
      () => admin.put('/kind/unit/team', { parameters: ['company', 'plan'] }),
    ],
  ])('%s', async (_, rule, drop) => {
    await ok(admin.put('/kind/unit/person', { parameters: [...PERSON, { id: 'temper', kind_id: 'string' }] }));
    await ok(admin.put('/kind/unit/team', { parameters: ['company', 'plan', { id: 'mood', kind_id: 'string' }] }));
    await setAccess({ read: rule, create: 'member' });
    await ok(drop());
    const { content } = (await admin.get('/kind/unit/paper')).body;
    expect(content).toMatchObject({ access: { read: 'nobody', create: 'member' } });
    expect(refusalOf(await editor.get('/paper/unit')).status).toBe(403);
  });
});

const PERSON = ['role', 'level', 'skills', 'team', 'settings'];

function without(name: string): { parameters: string[] } {
  return { parameters: PERSON.filter((id) => id !== name) };
}

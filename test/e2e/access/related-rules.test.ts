/** Access rules over related units: which units match, with the rights of the owner, and which changes close them. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();

interface Setting {
  readonly project: TestProject;
  readonly member: TestProject;
  readonly memberId: string;
  readonly make: (kind: string, body: object) => Promise<string>;
}

/** Teams, and the memberships of persons in them, which members may not read. */
async function teams(): Promise<Setting> {
  const project = await service.project();
  const member = await asMember(project);
  await defineKinds(
    project,
    { id: 'team', parameters: [{ id: 'name', kind_id: 'string' }] },
    {
      id: 'membership',
      access: { read: 'admin' },
      parameters: [
        { id: 'team', kind_id: 'unit', reference_kind: 'team' },
        { id: 'person', kind_id: 'unit', reference_kind: 'person' },
        { id: 'role', kind_id: 'string' },
      ],
    },
  );
  const parameters = [
    { id: 'weight', kind_id: 'integer' },
    { id: 'since', kind_id: 'date' },
  ];
  await ok(project.post('/link/unit', { id: 'advises', label: 'Advises', parameters }));
  const make = async (kind: string, body: object): Promise<string> =>
    await createdId(project.post(`/${kind}/unit`, body));
  const people = (await ok(project.get('/person/unit'))) as { items: { id: string }[] };
  return { project, member, memberId: people.items[0]?.id ?? '', make };
}

const setAccess = async ({ project }: Setting, access: object) => await ok(project.put('/kind/unit/team', { access }));
const accessOf = async ({ project }: Setting): Promise<unknown> =>
  ((await ok(project.get('/kind/unit/team'))) as { access: unknown }).access;
const namesFor = async (caller: TestProject): Promise<string> => {
  const { items } = (await ok(caller.get('/team/unit'))) as { items: { name: string }[] };
  return items.map(({ name }) => name).join(' ');
};

describe('a rule over units that refer to a unit', () => {
  it('lists, counts, gets and changes the units for which there is one, whatever the member may read', async () => {
    const setting = await teams();
    const { project, member, memberId, make } = setting;
    const [red, blue] = [await make('team', { name: 'red' }), await make('team', { name: 'blue' })];
    await make('membership', { team: red, person: memberId, role: 'lead' });
    await make('membership', { team: blue, role: 'lead' });
    await setAccess(setting, {
      read: 'exists(membership.team,eq(person,@member.id))',
      update: 'exists(membership.team,and(eq(person,@member.id),eq(role,lead)))',
    });
    expect(await namesFor(member)).toBe('red');
    expect(await namesFor(project)).toBe('red blue');
    expect(await ok(member.get('/team/unit?limit=0'))).toMatchObject({ count: 1 });
    expect((await member.get(`/team/unit/${blue}`)).status).toBe(404);
    await ok(member.put(`/team/unit/${red}`, { name: 'rot' }));
    await make('membership', { team: blue, person: memberId, role: 'guest' });
    expect(await namesFor(member)).toBe('rot blue');
    expect((await member.put(`/team/unit/${blue}`, { name: 'blau' })).status).toBe(403);
  });

  it('refuses a new unit, to which nothing refers yet, and lets one through for which there must be none', async () => {
    const setting = await teams();
    const { member } = setting;
    await setAccess(setting, { create: 'exists(membership.team)' });
    expect((await member.post('/team/unit', { name: 'red' })).status).toBe(403);
    await setAccess(setting, { create: 'not(exists(membership.team))' });
    expect((await member.post('/team/unit', { name: 'red' })).status).toBe(200);
    await setAccess(setting, { create: 'eq(count_related(membership.team),0)' });
    expect((await member.post('/team/unit', [{ name: 'a' }, { name: 'b' }])).status).toBe(200);
  });

  it('is refused if it names what is not there', async () => {
    const { project } = await teams();
    const put = async (read: string) => {
      const { status, body } = await project.put('/kind/unit/team', { access: { read } });
      return [status, body.messages[0]?.text].join(' ');
    };
    expect(await put('exists(membrship.team)')).toBe(
      "400 access.read: no kind 'membrship' in this project (did you mean 'membership'?), at character 8",
    );
    expect(await put('linked(advices,child)')).toBe(
      "400 access.read: no link type 'advices' (did you mean 'advises'?), at character 8",
    );
    expect(await put('exists(kind_system_user.id)')).toContain("400 access.read: no kind 'kind_system_user'");
    const many = Array.from({ length: 21 }, () => 'exists(membership.team)').join(',');
    expect(await put(`or(${many})`)).toBe('400 access.read: the rules test related units 21 times; 20 is the most');
  });
});

describe('a rule over linked units', () => {
  it('sees all links and units', async () => {
    const setting = await teams();
    const { project, member, memberId, make } = setting;
    const [red, blue] = [await make('team', { name: 'red' }), await make('team', { name: 'blue' })];
    await ok(project.post(`/team/unit/${red}/link/advises/person/unit/${memberId}`));
    await ok(project.post(`/team/unit/${blue}/link/advises/team/unit/${red}`));
    await setAccess(setting, { read: 'linked(advises,child,person,eq(id,@member.id))' });
    expect(await namesFor(member)).toBe('red');
    await setAccess(setting, { read: 'linked(advises,child,team,linked(advises,child,person,eq(id,@member.id)))' });
    expect(await namesFor(member)).toBe('blue');
    await setAccess(setting, { read: 'gt(count_linked(advises,child),0)' });
    expect(await namesFor(member)).toBe('red blue');
  });

  it('sees the values of links', async () => {
    const setting = await teams();
    const { project, member, memberId, make } = setting;
    const [red, blue] = [await make('team', { name: 'red' }), await make('team', { name: 'blue' })];
    await ok(project.post(`/team/unit/${red}/link/advises/person/unit/${memberId}`, { weight: 5 }));
    await ok(project.post(`/team/unit/${blue}/link/advises/person/unit/${memberId}`, { weight: 1 }));
    await setAccess(setting, { read: 'linked(advises,child,person,and(eq(id,@member.id),gt(link.weight,3)))' });
    expect(await namesFor(member)).toBe('red');
    await setAccess(setting, { read: 'linked(advises,child,and(eq(link.child_id,@member.id),lt(link.weight,3)))' });
    expect(await namesFor(member)).toBe('blue');
    expect((await member.get(`/team/unit/${red}`)).status).toBe(404);
    await ok(project.put(`/team/unit/${red}/link/advises/person/unit/${memberId}`, { weight: 2 }));
    expect(await namesFor(member)).toBe('red blue');
  });
});

describe('a rule closes', () => {
  const CLOSED = { read: 'nobody' };

  it.each([
    ['a kind', 'exists(membership.team,eq(role,lead))', '/kind/unit/membership?cascade=true'],
    ['a parameter of the related kind', 'exists(membership.team,eq(role,lead))', '/string/unit/role?cascade=true'],
    ['the reference', 'exists(membership.team)', '/unit/unit/team?cascade=true'],
    [
      'a parameter two relations away',
      'linked(advises,child,team,exists(membership.team,eq(role,x)))',
      '/string/unit/role?cascade=true',
    ],
    ['a link type', 'linked(advises,child)', '/link/unit/advises?cascade=true'],
    ['a parameter of the link', 'linked(advises,child,gt(link.weight,1))', '/integer/unit/weight?cascade=true'],
    ['a linked kind', 'linked(advises,child,[membership,team])', '/kind/unit/membership?cascade=true'],
    ['a parameter that linked units have', 'linked(advises,child,eq(role,lead))', '/string/unit/role?cascade=true'],
    ['the only kind that has a parameter', 'linked(advises,child,eq(role,lead))', '/kind/unit/membership?cascade=true'],
  ])('with %s', async (_what, rule, path) => {
    const setting = await teams();
    await setAccess(setting, { read: rule });
    await ok(setting.project.delete(path));
    expect(await accessOf(setting)).toEqual(CLOSED);
  });

  it('with a parameter that a link type has no longer, also if it gets it back', async () => {
    const setting = await teams();
    await setAccess(setting, { read: 'not(linked(advises,child,gt(link.weight,1)))', update: 'linked(advises,child)' });
    await ok(setting.project.put('/link/unit/advises', { parameters: ['since'] }));
    const closed = { read: 'nobody', update: 'linked(advises,child)' };
    expect(await accessOf(setting)).toEqual(closed);
    await ok(setting.project.put('/link/unit/advises', { parameters: ['since', 'weight'] }));
    expect(await accessOf(setting)).toEqual(closed);
  });

  it('not with what it does not name', async () => {
    const setting = await teams();
    const rule = 'linked(advises,child,and(gt(link.weight,1),exists(membership.team)))';
    await setAccess(setting, { read: rule });
    await ok(setting.project.delete('/string/unit/role?cascade=true'));
    await ok(setting.project.delete('/date/unit/since?cascade=true'));
    await ok(setting.project.post('/kind/unit', { id: 'other', label: 'Other' }));
    await ok(setting.project.delete('/kind/unit/other'));
    expect(await accessOf(setting)).toEqual({ read: rule });
  });
});

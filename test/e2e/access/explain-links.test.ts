/** Explanations of why a member may link a unit, where the link type has its own access: for administrators only, and correct. */
import { describe, expect, it } from 'vitest';
import { defineKinds, signUp, withMembers } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const admin = await withMembers(await service.project());
const [ada, bob] = [await signUp(admin, 'ada'), await signUp(admin, 'bob')];
await defineKinds(
  admin,
  {
    id: 'note',
    parameters: [
      { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
      { id: 'state', kind_id: 'string' },
    ],
    access: { read: ['eq(owner,@member.id)', 'eq(state,open)'], link: 'nobody' },
  },
  { id: 'tag', parameters: ['state'] },
);
const RULES = ['and(eq(parent.owner,@member.id),eq(child.state,open))', 'eq(@member.username,bob)'];
for (const [id, access] of [
  ['cites', { create: RULES, delete: 'member' }],
  ['shows', { create: 'nobody' }],
  ['plain', null],
] as const) {
  await ok(admin.post('/link/unit', { id, ...(access && { access }) }));
}
const noteOf = (owner: string, state: string) => createdId(admin.post('/note/unit', { owner, state }));
const [hers, closed, open] = [
  await noteOf(ada.id, 'closed'),
  await noteOf(bob.id, 'closed'),
  await noteOf(bob.id, 'open'),
];
const tag = await createdId(admin.post('/tag/unit', { state: 'open' }));

async function linksOf(unit: string, query: Record<string, string> = {}): Promise<unknown> {
  const text = new URLSearchParams(query).toString();
  return ((await ok(admin.get(`/note/unit/${unit}/access?${text}`))) as { links: unknown }).links;
}

const toTag = { child_kind: 'tag', child_id: tag };
const to = (id: string) => ({ child_kind: 'note', child_id: id });

describe('links in an explanation', () => {
  it('are those of types with their own access; rules depend on the child', async () => {
    expect(await linksOf(hers, { member: ada.id })).toEqual({
      cites: {
        create: {
          allowed: null,
          level: null,
          stored: true,
          rules: RULES.map((rule) => ({ rule, holds: null })),
          because: 'the rules look at both units: name the child with child_kind and child_id',
        },
        delete: {
          allowed: true,
          level: 'member',
          stored: true,
          rules: [],
          because: "the stored level 'member' lets in this member",
        },
      },
      shows: {
        create: {
          allowed: false,
          level: 'nobody',
          stored: true,
          rules: [],
          because: "the stored level 'nobody' keeps out this member",
        },
      },
    });
  });

  it('name the rule that holds for both units', async () => {
    expect(await linksOf(hers, { member: ada.id, ...toTag })).toMatchObject({
      cites: {
        create: {
          allowed: true,
          rules: [{ holds: true }, { holds: false }],
          because: `the rule ${RULES[0]} holds`,
        },
      },
    });
    expect(await linksOf(hers, { member: ada.id, ...to(hers) })).toMatchObject({
      cites: { create: { allowed: false, rules: [{ holds: false }, { holds: false }], because: 'no rule holds' } },
    });
  });

  it('need the right to read both units', async () => {
    const unreadable = { allowed: false, because: 'what may not be read is not there' };
    expect(await linksOf(hers, { member: bob.id, ...toTag })).toMatchObject({
      cites: { create: unreadable, delete: unreadable },
    });
    expect(await linksOf(hers, { member: bob.id })).toMatchObject({ cites: { create: unreadable } });
    expect(await linksOf(hers, { member: ada.id, ...to(closed) })).toMatchObject({ cites: { delete: unreadable } });
    expect(await linksOf(hers, { member: ada.id, ...to(open) })).toMatchObject({
      cites: { delete: { allowed: true } },
    });
  });

  it('of administrators and of requests without a token', async () => {
    const { items } = (await ok(admin.get('/kind_admin/unit'))) as { items: { id: string }[] };
    expect(await linksOf(closed, { member: items[0]?.id ?? '' })).toMatchObject({
      cites: { create: { allowed: true, because: 'administrators pass every rule' } },
      shows: { create: { allowed: false } },
    });
    expect(await linksOf(open)).toMatchObject({
      cites: { create: { allowed: false, because: 'no rule lets in requests without a token' } },
    });
  });

  it('agree with the actual answers', async () => {
    for (const member of [ada, bob]) {
      for (const parent of [hers, closed, open]) {
        for (const [kind, child] of [
          ['note', hers],
          ['note', open],
          ['tag', tag],
        ] as const) {
          const query = { member: member.id, child_kind: kind, child_id: child };
          const told = (await linksOf(parent, query)) as { cites: Record<string, { allowed: boolean }> };
          const path = `/note/unit/${parent}/link/cites/${kind}/unit/${child}`;
          const api = admin.as(member.accessToken);
          expect((await api.post(path)).status === 200).toBe(told.cites['create']?.allowed);
          await ok(admin.post(path));
          expect((await api.delete(path)).status === 200).toBe(told.cites['delete']?.allowed);
        }
      }
    }
  });

  it('are left out where kinds have no links, and refused with the fault', async () => {
    expect(await ok(admin.get(`/person/unit/${ada.id}/access`))).toHaveProperty('links');
    expect(await ok(admin.get('/kind/unit/note/access'))).not.toHaveProperty('links');
    const refused = async (query: string) => refusalOf(await admin.get(`/note/unit/${hers}/access?${query}`));
    expect(await refused('child_id=x')).toMatchObject({ status: 400, messages: ['query.bad_value child_kind'] });
    expect(await refused('child_kind=tag')).toMatchObject({ status: 400, messages: ['query.bad_value child_id'] });
    expect(await refused(`child_kind=tag&child_id=${hers}`)).toMatchObject({
      status: 404,
      messages: ['unit.unknown'],
    });
    expect(await refused('child_kind=nix&child_id=x')).toMatchObject({ status: 404, messages: ['kind.unknown'] });
    expect(await refused('child_kind=kind&child_id=note')).toMatchObject({
      status: 404,
      messages: ['link.unknown'],
    });
    expect(await refused(`child_kind=tag&child_id=${tag}&child_id=${tag}`)).toMatchObject({ status: 400 });
  });
});

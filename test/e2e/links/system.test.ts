/** The link types of the system: to callers who may not see an end it is missing, and that is reported before faults of the request. */
import { describe } from 'vitest';
import { anonymous, asMember, defineKinds, documented } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { scenarios, type Scenario } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const root = await service.project();
const ann = await asMember(root);
await defineKinds(
  root,
  { id: 'city', parameters: [{ id: 'name', kind_id: 'string' }] },
  { id: 'hidden', parameters: [] },
  { id: 'town', parameters: [] },
);
await ok(root.post('/group/unit', { id: 'places', kind_list: ['city'] }));
await ok(root.post('/group/unit', { id: 'veiled', kind_list: [] }));
// Members put kinds into groups and parameters into kinds, of those that they see.
const open = { update: 'member', link: 'member' };
await ok(root.put('/kind/unit/group', { access: { ...open, read: 'ne(id,veiled)' } }));
await ok(root.put('/kind/unit/kind', { access: { ...open, read: 'ne(id,hidden)' } }));
await ok(root.put('/kind/unit/string', { access: { read: 'ne(id,secret)' } }));
await ok(root.post('/string/unit', { id: 'secret' }));
const callers = await documented({ admin: root, ann, nobody: anonymous(root) });

const [group, parameter] = ['link/group/kind/unit', 'link/parameter/string/unit'];
const absent: readonly (readonly [string, string])[] = [
  ['a group', `/group/unit/nosuchgroup/${group}/city`],
  ['a kind of a group', `/group/unit/places/${group}/nosuchkind`],
  ['a kind', `/kind/unit/nosuchkind/${parameter}/name`],
  ['a parameter', `/kind/unit/city/${parameter}/nosuchname`],
];
const unseen: readonly (readonly [string, string])[] = [
  ['a group that a rule hides', `/group/unit/veiled/${group}/city`],
  ['a kind that a rule hides', `/group/unit/places/${group}/hidden`],
  ['a kind that a rule hides, as a parent', `/kind/unit/hidden/${parameter}/name`],
  ['a parameter that a rule hides', `/kind/unit/city/${parameter}/secret`],
];
const there: readonly (readonly [string, string])[] = [
  ['group', `/group/unit/places/${group}/city`],
  ['parameter', `/kind/unit/city/${parameter}/name`],
];

/** A request that is right, and all that can be wrong with one. */
function ways(path: string): Pick<Scenario, 'request' | 'body'>[] {
  return [
    { request: `POST ${path}` },
    { request: `POST ${path}?bad=1` },
    { request: `POST ${path}`, body: '{' },
    { request: `DELETE ${path}` },
    { request: `DELETE ${path}?bad=1` },
  ];
}

function rows<Caller extends string>(
  as: Caller,
  ends: readonly (readonly [string, string])[],
  expect: Scenario['expect'],
): Scenario<Caller>[] {
  return ends.flatMap(([name, path]) =>
    ways(path).map((way) => ({
      ...way,
      name: `${name}: ${way.request}${way.body === undefined ? '' : ' {'}`,
      as,
      expect,
    })),
  );
}

describe('an end that does not exist', () => {
  scenarios(callers, [...rows('admin', absent, { status: 404 }), ...rows('ann', absent, { status: 404 })]);
});

describe('an end that the caller may not read', () => {
  scenarios(callers, rows('ann', unseen, { status: 404 }));
});

describe('without a token', () => {
  scenarios(callers, rows('nobody', [...absent, ...unseen, ...there], { status: 401, code: 'token.missing' }));
});

describe('ends that exist', () => {
  scenarios(
    callers,
    there.flatMap(([name, path]) => [
      {
        name: `${name}: a bad query`,
        request: `POST ${path}?bad=1`,
        as: 'ann' as const,
        expect: { status: 400, code: 'query.unknown' as const },
      },
      {
        name: `${name}: a bad body`,
        request: `POST ${path}`,
        body: '{',
        as: 'ann' as const,
        expect: { status: 400, code: 'body.malformed' as const },
      },
      {
        name: `${name}: a bad query of a deletion`,
        request: `DELETE ${path}?bad=1`,
        as: 'ann' as const,
        expect: { status: 400, code: 'query.unknown' as const },
      },
      { name: `${name}: made again`, request: `POST ${path}`, as: 'ann' as const, expect: { status: 200 } },
      {
        name: `${name}: deleted`,
        request: `DELETE ${path}`,
        as: 'ann' as const,
        expect: { status: 200, content: null },
      },
    ]),
  );
});

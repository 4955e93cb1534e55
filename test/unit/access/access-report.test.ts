/** The report of who may do what: what counts as open to strangers, and the order. */
import { describe, expect, it } from 'vitest';
import { accessReport as reportInPieces, isStrangersWrite, strangersWrites } from '../../../src/access/report.js';
import type { KindRecord } from '../../../src/model/build/definition-records.js';
import type { Model } from '../../../src/model/model.js';
import type { AccessDefault } from '../../../src/model/access-levels.js';
import { runSync } from '../../../src/shared/work-in-pieces.js';
import { kind, modelWith, parameter } from '../../support/models.js';

const accessReport = (...args: Parameters<typeof reportInPieces>) => runSync(reportInPieces(...args));

function modelOf(
  city: Partial<KindRecord>,
  person: KindRecord['access'] = { signup: 'nobody' },
  accessDefault: AccessDefault = 'open',
): Model {
  const model = modelWith({
    kinds: [kind('city', ['name'], city), kind('person', [], { access: person })],
    parameters: [parameter('name', 'string')],
    members: ['person'],
  });
  return { ...model, accessDefault };
}

const OPEN = { signup: 'anyone' };

function writes(model: Model): string[] {
  return accessReport(model)
    .entries.filter((entry) => entry.id === 'city' && isStrangersWrite(entry))
    .map(({ operation }) => operation)
    .sort();
}

describe('a stranger may write', () => {
  it.each([
    ['a public kind', modelOf({ public: true }), ['create', 'delete', 'link', 'update']],
    ['a kind of members, where sign-up is open', modelOf({}, OPEN), ['create', 'delete', 'link', 'update']],
    ['the operation that is set to anyone', modelOf({ access: { create: 'anyone' } }), ['create']],
    ...['all()', 'or(eq(name,x),all())', 'and(all(),not(not(all())))', 'or(not(all()),and(all(),all()))'].map(
      (rule): [string, Model, string[]] => [
        `what the rule ${rule} lets all do`,
        modelOf({
          public: true,
          access: { read: rule, update: ['eq(name,x)', rule], create: 'admin', delete: 'admin', link: 'admin' },
        }),
        ['update'],
      ],
    ),
  ])('%s', (_, model, expected) => expect(writes(model)).toEqual(expected));

  it.each([
    ['a kind of members, where sign-up is closed', modelOf({})],
    [
      'a kind with rules',
      modelOf({ access: { create: 'eq(name,x)', update: 'eq(name,x)', delete: 'admin', link: 'admin' } }, OPEN),
    ],
    [
      'a kind with rules that not all units match',
      modelOf({
        public: true,
        access: {
          create: 'and(all(),eq(name,x))',
          update: 'or(not(all()),eq(name,"all()"))',
          delete: 'not(all())',
          link: 'admin',
        },
      }),
    ],
    [
      'units that only administrators read',
      modelOf({ access: { read: 'admin', create: 'admin', update: 'anyone' } }, OPEN),
    ],
    ['an inactive kind', modelOf({ public: true, active: false })],
    ['a public kind of a closed project', modelOf({ public: true }, null, 'closed')],
    ['a kind of members of a closed project', modelOf({}, OPEN, 'closed')],
  ])('not %s', (_, model) => expect(writes(model)).toEqual([]));

  it('not what its owner has accepted', () => {
    const access = { read: 'anyone', create: 'anyone', update: 'anyone' };
    const passed = (accepted: KindRecord['accepted']) => strangersWrites(accessReport(modelOf({ access, accepted })));
    expect(passed({ create: 'a form' })).toEqual(['city']);
    expect(passed({ create: 'a form', read: 'a list' })).toEqual(['city']);
    const accepted = { create: 'a form', update: 'a wiki' };
    expect(passed(accepted)).toEqual([]);
    expect(writes(modelOf({ access, accepted }))).toEqual(['create', 'update']);
  });

  it('not endpoints that their module has accepted', () => {
    const closed = modelOf({ access: { create: 'admin', update: 'admin', delete: 'admin', link: 'admin' } });
    const of = (accepted?: string) =>
      strangersWrites(
        accessReport(closed, { endpoints: [{ kind: 'city', name: 'stripe', methods: ['POST'], accepted }] }),
      );
    expect(of()).toEqual(['endpoint city.stripe']);
    expect(of('Stripe calls it')).toEqual([]);
  });

  it('a built-in kind that its owner has opened', () => {
    const model = modelOf({ access: { create: 'admin', update: 'admin', delete: 'admin', link: 'admin' } }, OPEN);
    expect(strangersWrites(accessReport(model))).toEqual([]);
    const group = { ...model.kinds.get('group')!, access: { create: 'member' } };
    expect(strangersWrites(accessReport({ ...model, kinds: new Map([...model.kinds, ['group', group]]) }))).toEqual([
      'group',
    ]);
  });

  it('links of a type, if it may read units that can be linked', () => {
    const closed = { create: 'admin', update: 'admin', delete: 'admin', link: 'admin' };
    const withType = (access: KindRecord['access']) => {
      const model = modelOf({ access }, { ...closed, signup: 'anyone' });
      const type = { ...model.linkTypes.get('link')!, access: { create: 'member', delete: 'admin' } };
      return { ...model, linkTypes: new Map([['link', type]]) };
    };
    expect(strangersWrites(accessReport(withType(closed)))).toEqual(['links of link']);
    expect(strangersWrites(accessReport(withType({ ...closed, read: 'admin' })))).toEqual([]);
  });
});

it.each([
  ['eq(name,x)', 'anyone', true],
  ['eq(name,@member.id)', 'member', false],
  ['not(eq(name,@member.id))', 'member', false],
  ['exists(city.name,eq(id,@member.id))', 'member', false],
  ['eq(name,"@member.id")', 'anyone', true],
])('the rule %s of a public kind is for %s', (update, audience, stranger) => {
  const { entries } = accessReport(modelOf({ public: true, access: { update } }));
  const found = entries.find(({ id, operation }) => id === 'city' && operation === 'update');
  expect(found).toMatchObject({ audience, stranger, byRule: true });
  const both = modelOf({ public: true, access: { update: ['eq(name,x)', update] } });
  expect(accessReport(both).entries).toContainEqual(
    expect.objectContaining({ id: 'city', operation: 'update', audience: 'anyone' }),
  );
});

it('the worst comes first', () => {
  const access = {
    read: 'anyone',
    create: 'eq(name,x)',
    update: 'member',
    delete: 'nobody',
    link: 'admin',
    function: 'admin',
  };
  const { entries, signUp } = accessReport(modelOf({ access }, OPEN));
  expect(signUp).toEqual(['person']);
  expect(entries.filter(({ id }) => id === 'city').map(({ operation }) => operation)).toEqual([
    'update',
    'read',
    'create',
    'link',
    'function',
    'delete',
  ]);
});

describe('functions', () => {
  const greet = { kind: 'city', name: 'greet', ofUnit: false, methods: ['GET', 'POST'], access: undefined } as const;
  const called = (model: Model, ...functions: (Parameters<typeof accessReport>[1] & object)['functions'] & object) =>
    strangersWrites(accessReport(model, { functions })).filter((name) => name.startsWith('function'));
  const closed = { create: 'admin', update: 'admin', delete: 'admin', link: 'admin' };

  it.each([
    ['by the right of the kind', modelOf({ access: closed }, OPEN), greet],
    ['by their own access', modelOf({ access: { ...closed, function: 'admin' } }), { ...greet, access: 'anyone' }],
    [
      'on the kind, whatever of it is read',
      modelOf({ access: { ...closed, read: 'eq(name,x)', function: 'anyone' } }),
      greet,
    ],
    ['by a rule that always holds', modelOf({ access: closed }, OPEN), { ...greet, ofUnit: true, access: ['all()'] }],
    ['on units that strangers read', modelOf({ access: closed }, OPEN), { ...greet, ofUnit: true, access: 'member' }],
  ] as const)('that strangers may call %s', (_, model, def) =>
    expect(called(model, def)).toEqual(['function city.greet']),
  );

  it.each([
    ['if they only read', modelOf({ access: closed }, OPEN), { ...greet, methods: ['GET'] }],
    ['of a closed project', modelOf({}, OPEN, 'closed'), greet],
    ['by a rule, as there is no unit to test', modelOf({}, OPEN), { ...greet, access: ['all()'] }],
    ['by rules', modelOf({}, OPEN), { ...greet, ofUnit: true, access: ['eq(name,x)'] }],
    [
      'on units that they cannot read',
      modelOf({ access: { read: 'admin' } }, OPEN),
      { ...greet, ofUnit: true, access: 'anyone' },
    ],
    ['of an inactive kind', modelOf({ active: false }, OPEN), { ...greet, access: 'anyone' }],
    ['of a kind that there is not', modelOf({}, OPEN), { ...greet, kind: 'town', access: 'anyone' }],
  ] as const)('not %s', (_, model, def) => expect(called(model, def)).toEqual([]));
});

describe('fields', () => {
  const modelWithRole = (role: object, rule: string | undefined, person: KindRecord['access'] = OPEN): Model => {
    const access = { create: 'admin', update: rule ?? 'admin', delete: 'admin', link: 'admin', read: 'admin' };
    const closed = { link: 'nobody', ...(person as object) };
    return modelWith({
      kinds: [kind('city', ['name'], { access }), kind('person', ['role'], { access: closed })],
      parameters: [parameter('name', 'string'), parameter('role', 'string', role)],
      members: ['person'],
    });
  };
  const RULE = 'eq(@member.role,editor)';

  it('of members that rules test, which anyone who signs up may set', () => {
    expect(strangersWrites(accessReport(modelWithRole({}, RULE)))).toEqual(['field person.role']);
    expect(strangersWrites(accessReport(modelWithRole({}, 'eq(name,@member.role)')))).toEqual(['field person.role']);
    expect(strangersWrites(accessReport(modelWithRole({ write_access: 'member' }, RULE)))).toEqual([
      'field person.role',
    ]);
  });

  it('of members that rules of functions test', () => {
    const model = modelWithRole({}, undefined);
    const edit = { kind: 'city', name: 'edit', ofUnit: true, methods: ['POST'], access: [RULE] } as const;
    expect(strangersWrites(accessReport(model, { functions: [edit] }))).toEqual(['field person.role']);
    expect(strangersWrites(accessReport(model, { functions: [{ ...edit, kind: 'town' }] }))).toEqual([]);
  });

  it.each([
    ['that no rule tests', modelWithRole({}, undefined)],
    ['that only administrators write', modelWithRole({ write_access: 'admin' }, RULE)],
    ['that a rule protects', modelWithRole({ write_access: JSON.stringify([RULE]) }, RULE)],
    ['of kinds that nobody can sign up to', modelWithRole({}, RULE, { signup: 'nobody' })],
  ])('not %s', (_, model) => expect(strangersWrites(accessReport(model))).toEqual([]));

  it('with their own access are listed', () => {
    const { entries } = accessReport(modelWithRole({ read_access: 'admin', write_access: 'admin' }, undefined));
    expect(entries.filter(({ on }) => on === 'field')).toMatchObject([
      { id: 'person.role', operation: 'read', audience: 'admin', stored: true, stranger: false },
      { id: 'person.role', operation: 'write', audience: 'admin', stored: true, stranger: false },
    ]);
  });
});

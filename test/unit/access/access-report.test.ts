/** The report of who may do what: what counts as open to strangers, and the order. */
import { describe, expect, it } from 'vitest';
import { accessReport, isStrangersWrite, strangersWrites } from '../../../src/access/access-report.js';
import type { KindRecord } from '../../../src/model/build/definition-records.js';
import type { Model } from '../../../src/model/model.js';
import type { AccessDefault } from '../../../src/model/parameter-type/parameter-settings.js';
import { kind, modelWith, parameter } from '../../support/models.js';

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
  ])('%s', (_, model, expected) => expect(writes(model)).toEqual(expected));

  it.each([
    ['a kind of members, where sign-up is closed', modelOf({})],
    [
      'a kind with rules',
      modelOf({ access: { create: 'eq(name,x)', update: 'eq(name,x)', delete: 'admin', link: 'admin' } }, OPEN),
    ],
    [
      'units that only administrators read',
      modelOf({ access: { read: 'admin', create: 'admin', update: 'anyone' } }, OPEN),
    ],
    ['an inactive kind', modelOf({ public: true, active: false })],
    ['a public kind of a closed project', modelOf({ public: true }, null, 'closed')],
    ['a kind of members of a closed project', modelOf({}, OPEN, 'closed')],
  ])('not %s', (_, model) => expect(writes(model)).toEqual([]));

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

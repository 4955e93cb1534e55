/** Who may do what where a kind has no access setting of its own, and with each form of setting. */
import { describe, expect, it } from 'vitest';
import { accessSettingOf, authorizeKind, grantOf, isAllowedForSomeUnit } from '../../../src/access/access.js';
import { OPERATIONS } from '../../../src/model/built-in-traits.js';
import type { Model } from '../../../src/model/model.js';
import type { KindRecord } from '../../../src/model/build/definition-records.js';
import { KindError } from '../../../src/shared/errors.js';
import { ANONYMOUS, memberCaller, SYSTEM, type Caller } from '../../../src/tenancy/caller.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

const ADMIN = memberCaller('a', 'kind_admin');
const MEMBER = memberCaller('m', 'person');
const CALLERS = { anonymous: ANONYMOUS, member: MEMBER, admin: ADMIN, system: SYSTEM } as const;

function modelOf(access: KindRecord['access'], more: Partial<KindRecord> = {}): Model {
  return modelWith({
    kinds: [kind('city', ['name'], { access, ...more }), kind('person', [], {})],
    parameters: [parameter('name', 'string')],
    members: ['person'],
  });
}

/** `all`, `some` (a predicate), or `none`, for each caller. */
function grants(model: Model, kindId: string, operation: (typeof OPERATIONS)[number]): string[] {
  return Object.values(CALLERS).map((caller: Caller) => {
    const grant = grantOf(kindIn(model, kindId), operation, caller, model);
    if (!grant) return 'none';
    return grant.predicate ? 'some' : 'all';
  });
}

describe('the default access of', () => {
  it.each([
    ['city', 'read', ['none', 'all', 'all', 'all']],
    ['city', 'create', ['none', 'all', 'all', 'all']],
    ['city', 'signup', ['none', 'none', 'none', 'all']],
    ['person', 'read', ['none', 'some', 'all', 'all']],
    ['person', 'update', ['none', 'some', 'all', 'all']],
    ['person', 'create', ['none', 'none', 'all', 'all']],
    ['person', 'signup', ['all', 'all', 'all', 'all']],
    ['group', 'create', ['none', 'none', 'all', 'all']],
    ['kind_admin', 'read', ['none', 'none', 'all', 'all']],
    ['kind_admin', 'signup', ['none', 'none', 'none', 'all']],
    ['kind_system_user', 'read', ['none', 'none', 'none', 'all']],
  ] as const)('%s: %s', (kindId, operation, expected) => {
    expect(grants(modelOf(null), kindId, operation)).toEqual(expected);
  });

  it('a public kind: anyone', () => {
    expect(grants(modelOf(null, { public: true }), 'city', 'read')).toEqual(['all', 'all', 'all', 'all']);
  });
});

describe('the setting', () => {
  it.each([
    ['anyone', ['all', 'all', 'all', 'all']],
    ['member', ['none', 'all', 'all', 'all']],
    ['admin', ['none', 'none', 'all', 'all']],
    ['nobody', ['none', 'none', 'none', 'all']],
    ['eq(name,x)', ['none', 'some', 'all', 'all']],
    [
      ['eq(name,x)', 'eq(name,y)'],
      ['none', 'some', 'all', 'all'],
    ],
  ] as const)('%j', (setting, expected) => {
    expect(grants(modelOf({ read: setting as never }), 'city', 'read')).toEqual(expected);
  });

  it.each([7, '', [], {}, 'moderator', ['eq(gone,1)'], true])(
    '%j, which is not understood, allows only administrators',
    (setting) => {
      const model = modelOf({ update: setting as never });
      const allowed = [ANONYMOUS, MEMBER].filter((caller) =>
        isAllowedForSomeUnit(kindIn(model, 'city'), 'update', caller, model),
      );
      expect(allowed).toEqual([]);
    },
  );

  it('signup has no effect on a kind that is no member kind', () => {
    expect(grants(modelOf({ signup: 'anyone' }), 'city', 'signup')).toEqual(['none', 'none', 'none', 'all']);
  });

  it('is reported with its origin', () => {
    const model = modelOf({ read: 'admin', update: ['eq(name,x)'] });
    const city = kindIn(model, 'city');
    expect(accessSettingOf(city, 'read', model)).toEqual({ level: 'admin', stored: true });
    expect(accessSettingOf(city, 'update', model)).toEqual({ rules: ['eq(name,x)'], stored: true });
    expect(accessSettingOf(city, 'delete', model)).toEqual({ level: 'member', stored: false });
  });
});

describe('a kind that is missing and one that is closed', () => {
  const model = modelOf({ read: 'admin' });
  const status = (kindId: string, caller: Caller) => {
    try {
      authorizeKind(model, kindId, 'read', caller);
      return 200;
    } catch (error) {
      return (error as KindError).status;
    }
  };

  it.each([
    ['city', 401, 403, 200],
    ['nowhere', 401, 404, 404],
  ])('%s', (kindId, anonymous, member, admin) => {
    expect([ANONYMOUS, MEMBER, ADMIN].map((caller) => status(kindId, caller))).toEqual([anonymous, member, admin]);
  });
});

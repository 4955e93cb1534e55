/** What is refused of an access setting before it is stored, and what a lost parameter closes. */
import { describe, expect, it } from 'vitest';
import { checkAccess, checkAccessRules } from '../../../src/access/check-access.js';
import { orphanedAccess } from '../../../src/access/orphaned-access.js';
import { NO_TRAITS } from '../../../src/model/built-in-traits.js';
import { Faults } from '../../../src/shared/errors.js';
import type { Json } from '../../../src/shared/json.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { runSync } from '../../../src/shared/work-in-pieces.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

function codes(check: (faults: Faults) => void): string[] {
  const faults = new Faults();
  check(faults);
  return faults.messages.map(({ code, text }) => `${code} ${text.split(':')[0]}`);
}

describe('an access setting', () => {
  it.each<[Json, string[]]>([
    [{ read: 'anyone', create: 'eq(name,x)', update: ['eq(name,x)'] }, []],
    ['anyone', ['parameter.bad_value access']],
    [{ raed: 'anyone' }, ['parameter.bad_value access']],
    [{ read: 'everyone' }, ['parameter.bad_value access.read']],
    [{ read: null }, ['parameter.bad_value access.read']],
    [{ read: [] }, ['parameter.bad_value access.read']],
    [{ read: ['eq(name,x)', 7] }, ['parameter.bad_value access.read']],
    [{ read: ['eq(name,x)', 'member'] }, ['parameter.bad_value access.read']],
    [{ read: 'eq(name' + ')'.repeat(0) }, ['filter.syntax access.read']],
    [{ read: Array.from({ length: LIMITS.accessRules + 1 }, () => 'eq(name,x)') }, ['parameter.bad_value access.read']],
  ])('%j', (access, expected) => {
    expect(codes((faults) => checkAccess(NO_TRAITS, access, faults))).toEqual(expected);
  });

  it('cannot open what is closed, nor close what a project needs', () => {
    const traits = { ...NO_TRAITS, closed: ['signup'], neverNobody: ['read'] } as const;
    const access = { signup: 'anyone', read: 'nobody', update: 'nobody' };
    expect(codes((faults) => checkAccess(traits, access, faults))).toEqual([
      'parameter.bad_value access.signup',
      'parameter.bad_value access.read',
    ]);
  });
});

const NAME = parameter('name', 'string');
const modelOf = (parameters: readonly string[], access: Json) =>
  modelWith({ kinds: [kind('city', parameters, { access: access as never })], parameters: [NAME] });

it('rules that name what the kind does not have are refused, each with its operation', () => {
  const model = modelOf([], { read: 'eq(name,x)', update: ['eq(metadata.a,1)', 'eq(nme,x)'], delete: 'admin' });
  expect(codes((faults) => checkAccessRules(kindIn(model, 'city'), model, faults))).toEqual([
    'filter.unknown_parameter access.read',
    'filter.unknown_parameter access.update[1]',
  ]);
});

it('an operation whose rule names a lost parameter is closed, and no other', () => {
  const access = { read: 'eq(name,x)', update: ['eq(id,1)', 'eq(name,x)'], delete: 'admin' };
  const closed = runSync(orphanedAccess(modelOf(['name'], access), modelOf([], access)));
  expect(Object.fromEntries(closed.kinds)).toEqual({ city: { read: 'nobody', update: 'nobody', delete: 'admin' } });
  expect(runSync(orphanedAccess(modelOf(['name'], access), modelOf(['name'], access))).kinds.size).toBe(0);
});

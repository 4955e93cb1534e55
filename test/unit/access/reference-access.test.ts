/** Which references a caller may follow, which units it may refer to, and which kinds a refusal may name. */
import { describe, expect, it } from 'vitest';
import {
  mayDescribe,
  referenceAccess,
  referenceGrant,
  targetKindTextFor,
} from '../../../src/access/reference-access.js';
import type { Field } from '../../../src/model/model.js';
import { KindError } from '../../../src/shared/errors.js';
import { ANONYMOUS, memberCaller, SYSTEM, type Caller } from '../../../src/tenancy/caller.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

const REFERENCES = ['open', 'closed', 'ruled', 'inactive', 'person'];
const model = modelWith({
  parameters: [
    parameter('plain', 'string'),
    parameter('hidden', 'string', { hidden: true }),
    parameter('for_admins', 'string', { read_access: 'admin' }),
    ...REFERENCES.map((id) => parameter(`to_${id}`, 'unit', { reference_kind: id })),
  ],
  kinds: [
    kind('open', ['plain', 'hidden', 'for_admins'], { public: true }),
    kind('closed', ['plain'], { access: { read: 'admin', create: 'admin' } }),
    kind('ruled', ['plain'], { access: { read: 'eq(plain,x)' } }),
    kind('inactive', ['plain'], { active: false }),
    kind('person', ['plain']),
    kind(
      'note',
      REFERENCES.map((id) => `to_${id}`),
      { public: true },
    ),
  ],
  members: ['person'],
});
const CALLERS: Readonly<Record<string, Caller>> = {
  nobody: ANONYMOUS,
  member: memberCaller('1', 'person'),
  administrator: memberCaller('2', 'kind_admin'),
  system: SYSTEM,
};
const names = (lets: (caller: Caller) => boolean) =>
  Object.keys(CALLERS).filter((name) => lets(CALLERS[name] ?? ANONYMOUS));
const note = kindIn(model, 'note');
const reference = (id: string) => note.fields.get(`to_${id}`) as Field;

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof KindError) return error.messages[0]?.code;
    throw error;
  }
}

describe('a reference', () => {
  it.each<[string, Readonly<Record<string, string | undefined>>]>([
    ['open', {}],
    ['closed', { nobody: 'token.missing', member: 'access.denied' }],
    ['ruled', { nobody: 'token.missing' }],
    ['person', { nobody: 'token.missing' }],
    [
      'inactive',
      { nobody: 'token.missing', member: 'kind.inactive', administrator: 'kind.inactive', system: 'kind.inactive' },
    ],
  ])('to a unit of %s is followed, or refused with %j', (id, refused) => {
    const codes = Object.entries(CALLERS).flatMap(([name, caller]) => {
      const code = codeOf(() => referenceAccess(caller, model).follow(reference(id), 0, note));
      return code === undefined ? [] : [[name, code]];
    });
    expect(Object.fromEntries(codes)).toEqual(refused);
  });

  it('leads to the units and the fields that the caller may read', () => {
    const [member, system] = [memberCaller('1', 'person'), SYSTEM].map((caller) => referenceAccess(caller, model));
    expect(member?.follow(reference('ruled'), 0, note).access).toMatchObject({ op: 'is', value: 'x' });
    expect(system?.follow(reference('ruled'), 0, note).access).toBeUndefined();
    const visible = member?.follow(reference('open'), 0, note).visible;
    expect(['plain', 'hidden', 'for_admins'].filter((name) => visible?.has(name))).toEqual(['plain']);
  });

  it('leads to no field that is closed to the caller; without a token it is as one that does not exist', () => {
    const open = kindIn(model, 'open');
    const closed = (caller: Caller) => codeOf(() => referenceAccess(caller, model).checkField(open, 'for_admins'));
    expect(names((caller) => closed(caller) === 'access.denied')).toEqual(['member']);
    for (const name of ['plain', 'hidden', 'nope'])
      expect(codeOf(() => referenceAccess(memberCaller('1', 'person'), model).checkField(open, name))).toBeUndefined();
  });
});

describe('a kind', () => {
  it.each([
    ['open', ['nobody', 'member', 'administrator', 'system']],
    ['closed', ['administrator', 'system']],
    ['ruled', ['member', 'administrator', 'system']],
    ['person', ['nobody', 'member', 'administrator', 'system']],
  ])('%s is described to, and named to: %j', (id, callers) => {
    expect(names((caller) => mayDescribe(kindIn(model, id), caller, model))).toEqual(callers);
    expect(names((caller) => targetKindTextFor(caller, model)(id) === ` of '${id}'`)).toEqual(callers);
  });

  it('that does not exist is not named', () => {
    expect(targetKindTextFor(SYSTEM, model)('nope')).toBe('');
  });
});

describe('the units that a caller may refer to', () => {
  const member = memberCaller('1', 'person');

  it('are those that it may read', () => {
    expect(referenceGrant(kindIn(model, 'closed'), member, model)).toBeUndefined();
    expect(referenceGrant(kindIn(model, 'ruled'), member, model)).toMatchObject({
      predicate: { op: 'is', value: 'x' },
    });
  });

  it('are all members, where the kind has no access for reading', () => {
    expect(referenceGrant(kindIn(model, 'person'), member, model)).toEqual({ predicate: undefined });
    expect(referenceGrant(kindIn(model, 'person'), ANONYMOUS, model)).toBeUndefined();
  });
});

/** Which fields each caller may read and write. */
import { expect, it } from 'vitest';
import { mayReadValues, readableFields, writableFields } from '../../../src/access/masks.js';
import {
  referenceAccess,
  mayDescribe,
  referenceGrant,
  targetKindTextFor,
} from '../../../src/access/reference-access.js';
import { suggestableIds } from '../../../src/access/suggestable-ids.js';
import { ANONYMOUS, memberCaller, SYSTEM, type Caller } from '../../../src/tenancy/caller.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

const ADMIN = memberCaller('a', 'kind_admin');
const MEMBER = memberCaller('m', 'person');
const AUTHOR: Caller = { type: 'system', seesHidden: true };

const model = modelWith({
  kinds: [
    kind('city', ['open', 'inner', 'guarded', 'locked', 'hidden', 'call_only', 'mayor'], { public: true }),
    kind('person', []),
    kind('vault', ['open'], { access: { read: 'admin', create: 'admin', signup: 'anyone' } as never }),
  ],
  parameters: [
    parameter('open', 'string'),
    parameter('inner', 'string', { read_access: 'member', write_access: 'member' }),
    parameter('guarded', 'string', { read_access: 'admin', write_access: 'admin' }),
    parameter('locked', 'string', { read_access: 'nobody', write_access: 'nobody' }),
    parameter('hidden', 'string', { hidden: true }),
    parameter('call_only', 'string', { only_run_time: true, persistence: 'run_time' }),
    parameter('mayor', 'unit', { reference_kind: 'vault' }),
  ],
  members: ['person'],
});
const city = kindIn(model, 'city');
const vault = kindIn(model, 'vault');
const own = (ids: Iterable<string>) =>
  [...ids].filter((id) => ['open', 'inner', 'guarded', 'locked', 'hidden', 'call_only'].includes(id));

it.each<[string, Caller, string[], string[]]>([
  ['anonymous', ANONYMOUS, ['open'], ['open', 'hidden', 'call_only']],
  ['member', MEMBER, ['open', 'inner'], ['open', 'inner', 'hidden', 'call_only']],
  ['administrator', ADMIN, ['open', 'inner', 'guarded'], ['open', 'inner', 'guarded', 'hidden', 'call_only']],
  [
    'system',
    SYSTEM,
    ['open', 'inner', 'guarded', 'locked'],
    ['open', 'inner', 'guarded', 'locked', 'hidden', 'call_only'],
  ],
  [
    'function as the system',
    AUTHOR,
    ['open', 'inner', 'guarded', 'locked', 'hidden'],
    ['open', 'inner', 'guarded', 'locked', 'hidden', 'call_only'],
  ],
])('%s', (_, caller, readable, writable) => {
  expect(own(readableFields(city, caller, model).keys())).toEqual(readable);
  expect(own(writableFields(city, caller, model).keys())).toEqual(writable);
});

it('the values that a definition names need the same level as the field, or an administrator', () => {
  const allowed = (id: string) =>
    Object.entries({ ANONYMOUS, MEMBER, ADMIN, SYSTEM }).flatMap(([name, caller]) => {
      const def = model.parameters.get(id);
      return def && mayReadValues(def, caller) ? [name] : [];
    });
  expect(allowed('open')).toEqual(['ANONYMOUS', 'MEMBER', 'ADMIN', 'SYSTEM']);
  expect(allowed('guarded')).toEqual(['ADMIN', 'SYSTEM']);
  expect(allowed('hidden')).toEqual(['ADMIN', 'SYSTEM']);
});

it('a reference leads only to kinds that the caller may read', () => {
  const reference = city.fields.get('mayor')!;
  expect(referenceAccess(ADMIN, model).follow(reference, 0, city)).toMatchObject({ kind: vault, access: undefined });
  expect(() => referenceAccess(MEMBER, model).follow(reference, 0, city)).toThrow(
    expect.objectContaining({ status: 403 }) as Error,
  );
  expect(() => referenceAccess(ANONYMOUS, model).follow(reference, 0, city)).toThrow(
    expect.objectContaining({ status: 401 }) as Error,
  );
});

it('a field of the other unit that the caller may not read is refused, an unknown one is not', () => {
  const access = referenceAccess(MEMBER, model);
  const checkField = (...field: Parameters<typeof access.checkField>) => access.checkField(...field);
  expect(() => checkField(city, 'guarded')).toThrow(expect.objectContaining({ status: 403 }) as Error);
  for (const name of ['open', 'hidden', 'nothing']) expect(() => checkField(city, name)).not.toThrow();
});

it('a kind is named to those who may read it, create its units or sign up to it', () => {
  const named = (caller: Caller) =>
    ['city', 'person', 'vault', 'nothing'].map((id) => targetKindTextFor(caller, model)(id));
  expect(named(ADMIN)).toEqual([" of 'city'", " of 'person'", " of 'vault'", '']);
  expect(named(MEMBER)).toEqual([" of 'city'", " of 'person'", '', '']);
  expect(mayDescribe(vault, ANONYMOUS, model)).toBe(false);
});

it('every member may be referred to, also by members who cannot read it', () => {
  expect(referenceGrant(kindIn(model, 'person'), MEMBER, model)).toEqual({ predicate: undefined });
  expect(referenceGrant(vault, MEMBER, model)).toBeUndefined();
});

it('ids are suggested to those who may read all definitions of that sort', () => {
  const closed = modelWith({ kinds: [kind('city', ['open'])], parameters: [parameter('open', 'string')], members: [] });
  expect(suggestableIds(closed, MEMBER).kinds()).toContain('city');
  expect(suggestableIds(closed, MEMBER).kinds()).not.toContain('kind_system_user');
  expect(suggestableIds(closed, MEMBER).parameters()).toEqual(['open']);
  expect(suggestableIds(closed, ANONYMOUS).kinds()).toEqual([]);
  expect(suggestableIds(closed, ANONYMOUS).parameters()).toEqual([]);
});

/** Levels of access, for every sort of caller. */
import { describe, expect, it } from 'vitest';
import { grantOf } from '../../../src/access/access.js';
import { passesLevel } from '../../../src/access/level.js';
import { readableFields, writableFields } from '../../../src/access/masks.js';
import { buildModel, builtInRecords } from '../../../src/model/build/build-model.js';
import type { Field, KindDef } from '../../../src/model/model.js';
import type { Level } from '../../../src/model/access-levels.js';
import { ANONYMOUS, memberCaller, SYSTEM, type Caller } from '../../../src/tenancy/caller.js';

const CALLERS: Readonly<Record<string, Caller>> = {
  system: SYSTEM,
  administrator: memberCaller('1', 'kind_admin'),
  member: memberCaller('2', 'person'),
  nobody: ANONYMOUS,
};

/** What a record of a newer release, or a damaged one, may say. */
const UNKNOWN = 'moderator' as Level;

const LET_IN: readonly (readonly [level: Level, callers: readonly string[]])[] = [
  ['anyone', ['system', 'administrator', 'member', 'nobody']],
  ['member', ['system', 'administrator', 'member']],
  ['admin', ['system', 'administrator']],
  ['nobody', ['system']],
  [UNKNOWN, ['system']],
];

const model = buildModel({ ...builtInRecords(), version: 0 });
const kindKind = model.kinds.get('kind') as KindDef;
const base = { ...kindKind, builtIn: false, special: {} } as unknown as KindDef;

describe.each(LET_IN)('the level %s', (level, callers) => {
  const passing = (lets: (caller: Caller) => boolean) =>
    Object.entries(CALLERS)
      .filter(([, caller]) => lets(caller))
      .map(([name]) => name);

  it(`lets in ${callers.join(', ')}`, () => {
    expect(passing((caller) => passesLevel(level, caller))).toEqual(callers);
  });

  it('holds for reading and writing a parameter', () => {
    const [plain] = [...base.fields.values()].filter(({ id }) => id === 'label') as [Field];
    const field: Field = { ...plain, def: { ...plain.def, readAccess: level, writeAccess: level } };
    const kind: KindDef = { ...base, fields: new Map([['label', field]]) };
    expect(passing((caller) => readableFields(kind, caller, model).has('label'))).toEqual(callers);
    expect(passing((caller) => writableFields(kind, caller, model).has('label'))).toEqual(callers);
  });
});

it.each(LET_IN.filter(([level]) => level !== UNKNOWN))(
  'the level %s holds for the units of a kind',
  (level, callers) => {
    const kind: KindDef = { ...base, access: { read: level } };
    const passing = Object.entries(CALLERS).filter(([, caller]) => grantOf(kind, 'read', caller, model));
    expect(passing.map(([name]) => name)).toEqual(callers);
  },
);

/** Checks references: whether referenced units exist, and whether references prevent a deletion. */
import { referencesOf, referencesTo, type Field, type KindDef, type Model, type Referring } from '../../model/model.js';
import { grantOf } from '../../access/access.js';
import { FULL_GRANT } from '../../access/level.js';
import { targetKindTextFor, referenceGrant } from '../../access/reference-access.js';
import type { ConditionalField } from '../../model/predicate/conditional-field.js';
import { hasFileSettings, judgesFiles, whyNotTaken } from '../../model/parameter-setting/file.setting.js';
import { followsReferences, type Predicate } from '../../model/predicate/predicate.js';
import { type ErrorCode, Faults, KindError, refusal } from '../../shared/errors.js';
import { scalarText, type Json } from '../../shared/json.js';
import type { MaybePromise } from '../../shared/work-in-pieces.js';
import {
  countReferencesStatement,
  type ExistingFile,
  type ExistingUnit,
  existingStatement,
} from '../../sql/write/reference.sql.js';
import { knowsWholeProject, SYSTEM, type Caller } from '../../tenancy/caller.js';
import { keyOf, type Draft } from './draft.js';
import { ofUnit } from '../../database/transaction/complete-refusal.js';
import { originalCallerOf, type Session } from '../../catalog/session/session.js';

/** Whether contents decide what the kind may refer to, so that a write of it is a transaction. */
export function refersToJudgedFiles(kind: KindDef): boolean {
  return referencesOf(kind).some(({ def }) => judgesFiles(def));
}

/** Whether kinds with a table have references to the kind. */
export function isReferenced(model: Model, kind: KindDef): boolean {
  return storedReferences(model, kind.id).length > 0;
}

/** References that foreign keys hold. */
export function storedReferences(model: Model, kindId: string): readonly Referring[] {
  return referencesTo(model, kindId).filter(({ kind }) => kind.storage.foreignKeys);
}

/** A draft with its position in a bulk write, and the path of references to it where it is nested. */
export interface LocatedDraft {
  readonly draft: Draft;
  readonly index?: number;
  readonly path?: string;
  /** Set if the id of a new unit was in its body; others are generated, and no unit has them. */
  readonly givenId?: boolean;
  /** The parameters in its body whose rules the unit must satisfy. */
  readonly rules?: readonly ConditionalField[];
}

/** The id that a draft refers to, with the location of the draft. */
function referencedIds(value: Json | undefined, { index, path }: LocatedDraft) {
  return value === null || value === undefined ? [] : [{ id: scalarText(value), index, path }];
}

/** The keys of new units; other new units may refer to them. */
function keysOf(kind: KindDef, drafts: readonly LocatedDraft[]): Set<string> {
  return new Set(drafts.flatMap(({ draft }) => keyOf(draft, kind) || []));
}

/** Nested units of a write, which are not stored yet. */
export interface NewUnits {
  readonly any: boolean;
  readonly groups: readonly { readonly kind: KindDef; readonly units: readonly LocatedDraft[] }[];
  has(kind: KindDef, id: string): boolean;
}

/** The drafts of a write, and its faults so far. */
interface DraftedWrite {
  readonly drafts: readonly LocatedDraft[];
  readonly nested: NewUnits;
  readonly faults: Faults;
}

/** A reference to a unit that does not exist, that the caller may not refer to, or that the parameter does not take. */
export interface Unreachable {
  readonly index: number | undefined;
  readonly path: string | undefined;
  readonly field: Field;
  /** ` of 'city'`, where the caller may know the target of the reference. */
  readonly ofTarget: string;
  readonly id: string;
  /** Why the parameter does not take it; left out where there is no such unit for the caller. */
  readonly why?: NotTaken;
}

interface NotTaken {
  readonly code: ErrorCode;
  readonly text: string;
}

/** The caller of a write, and the units that it may write. */
interface ReferenceScope {
  readonly writer: Caller;
  readonly access: Predicate | undefined;
  /** Whether to look up all references before the write, so that all missing units are reported at once. */
  readonly lookUpAll?: boolean;
  /** Removes references that the stored unit has already. */
  readonly fresh?: (found: readonly Unreachable[]) => Promise<readonly Unreachable[]>;
}

export function addReferenceFaults(unreachable: readonly Unreachable[], faults: Faults): void {
  for (const { field, ofTarget, index, path, why } of unreachable) {
    const place = index === undefined ? { parameter: field.id } : { parameter: field.id, index };
    const unitFaults = path === undefined ? faults : faults.within(path);
    const { code, text } = why ?? { code: 'parameter.bad_reference', text: `no such unit${ofTarget}` };
    unitFaults.add(code, `${field.id}: ${text}`, place);
  }
}

/**
 * Checks that each referenced unit exists and that the caller may refer to it, or that it is created in the same
 * write. Together with other faults of the body, the faults of references are thrown. If there are no other faults,
 * they are returned, to be thrown at the end of the write: refusals for missing rights on the new unit come first. If
 * the access rule follows references, they are thrown here too, because the result of the rule would reveal values of
 * referenced units. With nested units, all references are checked here and none is left to the foreign keys.
 * @throws KindError with all faults
 */
export function checkReferences(
  session: Session,
  kind: KindDef,
  { drafts, nested, faults }: DraftedWrite,
  scope: ReferenceScope,
): MaybePromise<Faults> {
  if (nested.any || referencesOf(kind).length > 0) {
    return lookUpReferences(session, kind, { drafts, nested, faults }, scope);
  }
  faults.throwIfAny();
  return new Faults();
}

async function lookUpReferences(
  session: Session,
  kind: KindDef,
  { drafts, nested, faults }: DraftedWrite,
  { writer, access, lookUpAll = false, fresh = (found) => Promise.resolve(found) }: ReferenceScope,
): Promise<Faults> {
  const inner = { ...session, caller: writer };
  for (const group of nested.groups) {
    addReferenceFaults(await unreachableReferences(inner, group.kind, group.units, true, nested), faults);
  }
  const all = lookUpAll || faults.any || nested.any;
  const find = async (every: boolean) => {
    const found = await unreachableReferences(session, kind, drafts, every, nested);
    return found.length > 0 ? fresh(found) : found;
  };
  const found = await find(all);
  if (all) addReferenceFaults(found, faults);
  faults.throwIfAny();
  const deferred = new Faults();
  if (found.length > 0) addReferenceFaults(await find(true), deferred);
  const rules = drafts.flatMap((unit) => unit.rules ?? []).map(({ condition }) => condition);
  if ([access, ...rules].some((rule) => rule && followsReferences(rule))) deferred.throwIfAny();
  return deferred;
}

/** Refuses references to keys of new units that behaviors have replaced since. @throws KindError 400 */
export async function checkReferencedKeys(
  session: Session,
  kind: KindDef,
  drafts: readonly LocatedDraft[],
  keys: Pick<NewUnits, 'any' | 'has'>,
  fresh: ReferenceScope['fresh'] = (found) => Promise.resolve(found),
): Promise<void> {
  if (!keys.any) return;
  const found = await unreachableReferences(session, kind, drafts, true, keys);
  const faults = new Faults();
  if (found.length > 0) addReferenceFaults(await fresh(found), faults);
  faults.throwIfAny();
}

/**
 * The references to units that do not exist, or that the caller may not refer to. If the caller may refer to all
 * units of a kind, missing ones are left to the foreign key; with `all` they are looked up too.
 */
export async function unreachableReferences(
  session: Session,
  kind: KindDef,
  drafts: readonly LocatedDraft[],
  all: boolean,
  newUnits?: Pick<NewUnits, 'has'>,
): Promise<Unreachable[]> {
  const found: Unreachable[] = [];
  const nameOf = targetKindTextFor(originalCallerOf(session), session.model);
  for (const field of referencesOf(kind)) {
    const target = field.reference && session.model.kinds.get(field.reference.kind);
    // Only the source itself can check whether one of its units exists.
    if (!target?.storage.foreignKeys) continue;
    const caller = field.def.made?.from === 'caller' ? originalCallerOf(session) : undefined;
    // Whoever gets itself as the default may refer to itself.
    const itself = caller?.type === 'member' && caller.kindId === target.id ? caller.id : undefined;
    const referenced = drafts
      .flatMap((located) => referencedIds(located.draft.row[field.column ?? field.id], located))
      .filter(({ id }) => id !== itself);
    const own = target === kind && referenced.length > 0 ? keysOf(kind, drafts) : undefined;
    const others = referenced.filter(({ id }) => !newUnits?.has(target, id) && !own?.has(id));
    if (others.length === 0) continue;
    const grant = referenceGrant(target, session.caller, session.model);
    const isOfFiles = hasFileSettings(field.def);
    if (grant && !grant.predicate && !all && !isOfFiles) continue;
    const ids = others.map(({ id }) => id);
    const ofTarget = nameOf(target.id);
    if (grant && isOfFiles) {
      const why = await untakenFiles(session, { target, field }, ids, grant.predicate);
      found.push(...others.flatMap((located) => notTaken({ ...located, field, ofTarget }, why)));
      continue;
    }
    const existing = grant ? await findExisting(session, target, ids, grant.predicate) : new Set();
    found.push(...others.filter(({ id }) => !existing.has(id)).map((located) => ({ ...located, field, ofTarget })));
  }
  return found;
}

/**
 * Refuses references to new files, made by the same write, that their parameters do not take. Who makes a file may put it
 * where it is owned. @throws KindError 400
 */
export async function checkNewFiles(
  session: Session,
  kind: KindDef,
  drafts: readonly LocatedDraft[],
  newUnits: Pick<NewUnits, 'has'>,
): Promise<void> {
  const faults = new Faults();
  for (const field of referencesOf(kind)) {
    const target = field.reference && session.model.kinds.get(field.reference.kind);
    if (!target || !judgesFiles(field.def)) continue;
    const made = drafts
      .flatMap((located) => referencedIds(located.draft.row[field.column ?? field.id], located))
      .filter(({ id }) => newUnits.has(target, id));
    if (made.length === 0) continue;
    const ids = made.map(({ id }) => id);
    const why = await untakenFiles({ ...session, caller: SYSTEM }, { target, field }, ids, undefined);
    const refused = made.filter(({ id }) => why.get(id));
    addReferenceFaults(
      refused.flatMap((located) => notTaken({ ...located, field, ofTarget: '' }, why)),
      faults,
    );
  }
  faults.throwIfAny();
}

/** Why a parameter does not take a file, by the ids of those that the caller may use; undefined where it does. */
type UntakenFiles = ReadonlyMap<string, NotTaken | undefined>;

function notTaken(reference: Unreachable, files: UntakenFiles): Unreachable[] {
  if (!files.has(reference.id)) return [reference];
  const why = files.get(reference.id);
  return why ? [{ ...reference, why }] : [];
}

async function untakenFiles(
  session: Session,
  { target, field: { def } }: { readonly target: KindDef; readonly field: Field },
  ids: readonly string[],
  access: Predicate | undefined,
): Promise<UntakenFiles> {
  const grant = def.owned ? grantOf(target, 'delete', session.caller, session.model) : FULL_GRANT;
  // A content that is replaced meanwhile waits, and is judged with these references (`src/file/file.behavior.ts`).
  const lookUp = { deletable: grant?.predicate, locks: judgesFiles(def) && session.executor.tx !== undefined };
  const statement = existingStatement(session.project.schema, target, ids, access, lookUp);
  const rows = await session.executor.run<ExistingFile>(statement);
  return new Map(
    rows.map(({ id, media_type: mediaType, bytes, deletable }) => {
      const mayDelete = grant !== undefined && deletable;
      return [id, mayDelete ? whyNotTaken(def, { mediaType, bytes: Number(bytes) }) : NOT_DELETABLE];
    }),
  );
}

const NOT_DELETABLE: NotTaken = {
  code: 'parameter.bad_reference',
  text: 'the file would be deleted with this unit, and you may not delete it',
};

/** Which of the units exist, and may be used. @param access undefined for all */
export async function findExisting(
  session: Session,
  kind: KindDef,
  ids: readonly string[],
  access: Predicate | undefined,
): Promise<Set<string>> {
  const statement = existingStatement(session.project.schema, kind, ids, access);
  const rows = await session.executor.run<ExistingUnit>(statement);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Refuses a deletion that references with `restrict` prevent. @param naming whether the refusal names one of the units
 * @throws KindError 409
 */
export async function refuseIfReferenced(
  session: Session,
  kind: KindDef,
  keys: readonly string[],
  naming = false,
): Promise<void> {
  const referring: CountedReference[] = [];
  for (const { kind: other, field } of storedReferences(session.model, kind.id)) {
    if (field.def.onDelete !== 'restrict') continue;
    const own = other === kind ? keys : [];
    const statement = countReferencesStatement(session.project.schema, other, field, keys, own);
    const [row] = await session.executor.run<{ count: number; id: string }>(statement);
    if (row && row.count > 0) referring.push({ kindId: other.id, fieldId: field.id, count: row.count, to: row.id });
  }
  const [first] = referring;
  if (!first) return;
  const refused = referenced(referring, session.caller);
  throw naming ? ofUnit(refused, first.to) : refused;
}

/**
 * The refusal with the number of referring units as far as the caller may know it, if the connection can still run
 * statements; otherwise the refusal as it is.
 */
export async function explainReferenced(
  session: Session,
  kind: KindDef,
  key: string,
  refused: KindError,
): Promise<KindError> {
  try {
    await refuseIfReferenced(session, kind, [key]);
  } catch (error) {
    if (error instanceof KindError) return error;
  }
  return refused;
}

/** The number of units of a kind that refer to units by a field, and the id of one to which they do. */
interface CountedReference {
  readonly kindId: string;
  readonly fieldId: string;
  readonly count: number;
  readonly to: string;
}

/** References prevent a deletion. Only administrators see how many, of which kinds. */
function referenced(by: readonly CountedReference[], caller: Caller): KindError {
  const counts = by.map(({ kindId, fieldId, count }) => `${count} of '${kindId}' by '${fieldId}'`).join(', ');
  return refusal('unit.referenced', `Units refer to this one${knowsWholeProject(caller) ? `: ${counts}` : ''}`);
}

/** A unit kept its reference to the deleted unit, although the deletion sets it to null, because a hook set it again. */
export function referenceKept({ id }: KindDef, caller: Caller): KindError {
  const ofKind = knowsWholeProject(caller) ? ` of '${id}'` : '';
  return refusal('unit.referenced', `A unit${ofKind} keeps its reference to this one`);
}

/** PostgreSQL refused a deletion, and does not say how many units refer to the unit. */
export function referencedByOthers(): KindError {
  return refusal('unit.referenced', 'Other units refer to this one');
}

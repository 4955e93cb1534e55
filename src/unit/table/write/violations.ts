/**
 * Refusals of writes by the constraints of tables: PostgreSQL's errors become texts that name the parameters of the kind.
 * It reports only the first missing unit, taken value or failed check; further statements find the others.
 */
import { readableFields } from '../../../access/masks.js';
import { targetKindTextFor, type TargetKindText } from '../../../access/reference-access.js';
import { originalCallerOf, type Session } from '../../../catalog/session/session.js';
import { isAnswerTooLarge, isDatabaseFault, type DatabaseFault } from '../../../database/statement/sqlstate.js';
import { completeRefusal, withFaults } from '../../../database/transaction/complete-refusal.js';
import { resolvedChecks, type ResolvedCheck } from '../../../model/check/kind-checks.js';
import { uniqueColumns } from '../../../model/field.js';
import type { Field, KindDef } from '../../../model/model.js';
import { checkName, constraintName, withoutShard } from '../../../model/names.js';
import type { Stored } from '../../../model/parameter-type/parameter-type.js';
import { unconditional } from '../../../model/predicate/conditional-field.js';
import { columnsOf, orderedColumns } from '../../../model/table/required-indexes.js';
import { EventLoopYield } from '../../../shared/event-loop-yield.js';
import { Faults, KindError, refusal, type FaultLocation, type Message } from '../../../shared/errors.js';
import { scalarText, type Json } from '../../../shared/json.js';
import { LIMITS } from '../../../shared/limits.js';
import { runYielding } from '../../../shared/work-in-pieces.js';
import { primaryKeyName } from '../../../sql/definition/ddl.sql.js';
import { rowsText } from '../../../sql/write/input-rows.sql.js';
import { failedChecksStatement, takenStatement } from '../../../sql/write/existing-rows.sql.js';
import { expressionsOf } from '../../draft/draft.js';
import {
  addReferenceFaults,
  referencedByOthers,
  unreachableReferences,
  type LocatedDraft,
  type Unreachable,
} from '../../draft/references.js';

/**
 * The edited units, one for each draft. `fresh` removes references that they have already; left out in transactions, where
 * missing units are not looked up.
 */
export interface Edited {
  readonly ids: readonly string[];
  readonly fresh?: (found: readonly Unreachable[]) => Promise<readonly Unreachable[]>;
}

/**
 * Runs the statement that writes units, and completes its refusal with all taken values or failed checks, and all missing
 * units. In a
 * transaction missing units are not looked up: after the error it can run no statement, and after its end the units
 * that it created would be missing too.
 */
export function withAllViolations<T>(
  session: Session,
  kind: KindDef,
  drafts: readonly LocatedDraft[],
  work: (context: WriteContext) => Promise<T>,
  edited?: Edited,
): Promise<T> {
  const context = writeContextOf(session, kind, drafts[0]?.index !== undefined || drafts.length > 1);
  return work(context).catch(async (error: unknown) => {
    if (!(error instanceof KindError)) throw error;
    if (error.code === 'unit.check' || error.code.endsWith('.not_unique')) {
      const known = { readable: context.visibleFields, edited: edited?.ids };
      const all = error.code === 'unit.check' ? withAllFailedChecks : withAllTaken;
      const completed = await all(session, kind, drafts, error, known);
      if (session.executor.tx) throw completed;
      throw withFaults(completed, await missingUnits(session, kind, drafts, edited));
    }
    if (error.code !== 'parameter.bad_reference') throw error;
    throw withFaults(error, await missingUnits(session, kind, drafts, edited));
  });
}

async function missingUnits(
  session: Session,
  kind: KindDef,
  drafts: readonly LocatedDraft[],
  edited: Edited | undefined,
): Promise<readonly Message[]> {
  try {
    const found = await unreachableReferences(session, kind, drafts, true);
    const faults = new Faults();
    addReferenceFaults(edited?.fresh && found.length > 0 ? await edited.fresh(found) : found, faults);
    return faults.messages;
  } catch (error) {
    // `Faults` throws when it has as many faults as one error may have.
    return error instanceof KindError ? error.messages : [];
  }
}

/** What refusals of the write may tell the caller. */
export function writeContextOf(session: Session, kind: KindDef, bulk = false): WriteContext {
  const { caller, model } = session;
  const visibleFields = caller.type === 'system' ? kind.fields : unconditional(readableFields(kind, caller, model));
  return {
    kind,
    visibleFields,
    ofTarget: targetKindTextFor(originalCallerOf(session), model),
    ...(bulk && { bulk }),
  };
}

/** The fields that the caller may read, and the keys of the units of edits. */
interface WhatIsKnown {
  readonly readable: ReadonlyMap<string, Field>;
  readonly edited?: readonly string[] | undefined;
}

/**
 * Adds all taken values of the drafts to a refusal, of fields that the caller may read. Of two drafts with the same
 * value, the later one is reported.
 * @param known the fields that the caller may read, and the keys of units that are edited, one for each draft
 */
export function withAllTaken(
  session: Session,
  kind: KindDef,
  drafts: readonly LocatedDraft[],
  refused: KindError,
  known: WhatIsKnown,
): Promise<KindError> | KindError {
  const { readable, edited } = known;
  const lists = uniqueLists(kind).filter((fields) => {
    const given = fields.filter((field) => isGiven(field, kind, drafts));
    const visible = fields.every((field) => readable.has(field.id) || field === kind.keyField);
    // The unit of an edit has the values that the edit does not name.
    return visible && (edited ? given.length > 0 : given.length === fields.length);
  });
  const isReported = (fields: readonly Field[]) => {
    return refused.messages.some(({ text }) => text === takenValues(fields).text);
  };
  if (drafts.length <= 1 && lists.every(isReported)) return refused;
  const checked = drafts.slice(0, Math.ceil(LIMITS.uniqueLookups / Math.max(1, lists.length)));
  return completeRefusal(session.executor, refused, async (executor, soFar) => {
    try {
      const columns = [...new Set(lists.flat().map(({ column, id: name }) => column ?? name))];
      const rows = checked.map(({ draft }) =>
        Object.fromEntries(columns.map((name) => [name, draft.row[name] ?? null])),
      );
      const keys = edited?.slice(0, checked.length);
      const written = drafts[0]?.draft.written ?? [];
      const text = await runYielding(rowsText(rows), new EventLoopYield(session.project.schema));
      const taken = await executor.run<{ taken: boolean[] }>(
        takenStatement(session.project.schema, kind, lists, text, keys && { written, keys }),
      );
      const found = checked.flatMap(({ index }, row): Message[] => {
        const ofUnit = lists.filter((_, at) => taken[row]?.taken[at]);
        return ofUnit.map((fields) => ({ ...takenValues(fields), ...(index !== undefined && { index }) }));
      });
      return withFaults(soFar, found);
    } catch {
      return soFar;
    }
  });
}

/** Adds all checks that the drafts fail to a refusal. @param known as of `withAllTaken` */
function withAllFailedChecks(
  session: Session,
  kind: KindDef,
  drafts: readonly LocatedDraft[],
  refused: KindError,
  { readable, edited: keys }: WhatIsKnown,
): Promise<KindError> | KindError {
  const checks = resolvedChecks(kind);
  if (drafts.length <= 1 && drafts[0]?.index === undefined && checks.length <= 1) return refused;
  return completeRefusal(session.executor, refused, async (executor, soFar) => {
    try {
      const { schema } = session.project;
      const [first] = drafts;
      const written = uniqueColumns(first?.draft.written ?? []);
      const units = { schema, kind, written, keys, expressions: first ? expressionsOf(first.draft) : [] };
      const rows = drafts.map(({ draft }) => draft.row);
      const text = await runYielding(rowsText(rows), new EventLoopYield(schema));
      const failed = await executor.run<{ n: number; failed: boolean[] }>(failedChecksStatement(units, checks, text));
      const found = failed.flatMap(({ n, failed: of }): Message[] => {
        const index = drafts[n]?.index;
        const ofUnit = checks.filter((_, at) => of[at]);
        return ofUnit.map((check) => ({ ...failedCheck(check, readable), ...(index !== undefined && { index }) }));
      });
      return withFaults(soFar, found);
    } catch {
      return soFar;
    }
  });
}

/** Whether any draft writes the field: an edit writes only the fields that it changes. A generated key is never taken. */
function isGiven(field: Field, kind: KindDef, drafts: readonly LocatedDraft[]): boolean {
  const isGenerated = kind.key === 'uuid' && field === kind.keyField;
  return drafts.some(({ draft, givenId }) => draft.written.includes(field) && (givenId || !isGenerated));
}

/** The unique constraints of a kind, each as a list of fields. */
export function uniqueLists(kind: KindDef): Field[][] {
  const single = [...kind.fields.values()].filter(
    (field) =>
      field === kind.primary ||
      (kind.key === 'uuid' && field === kind.keyField) ||
      (field.def.unique && !field.def.multiple && field.column !== undefined),
  );
  const several = kind.unique.map((ids) => ids.flatMap((id) => kind.fields.get(id) ?? []));
  return [...single.map((field) => [field]), ...several];
}

export interface WriteContext {
  readonly kind: KindDef;
  /** The fields that a message may name: those that the caller may read. */
  readonly visibleFields: ReadonlyMap<string, Field>;
  /** Texts for target kinds of references, empty where the caller may not know the kind. */
  readonly ofTarget: TargetKindText;
  /** The rows of the write, to find the one that caused the error. Undefined for deletions. */
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
  readonly bulk?: boolean;
}

/** The refusal for an error of the database; undefined if the error was not caused by the input. */
export function conflictOf(error: unknown, context: WriteContext): KindError | undefined {
  if (!isDatabaseFault(error) || isAnswerTooLarge(error)) return undefined;
  switch (error.code) {
    case '23505':
      return notUnique(error, context);
    case '23503':
    case '23001':
      return badReference(error, context);
    case '23514':
      return failsCheck(error, context);
    case '54000':
      return tooLongForIndex(error, context);
    case '22003':
    case '22008':
    case '22P02':
    case '22P05':
    case '22021':
      return refusal('parameter.bad_value', 'A value cannot be stored: it is out of the range of its type');
    default:
      return undefined;
  }
}

/** The violated constraint, as far as the error says which it is. */
interface Violated {
  readonly names: readonly string[];
  /** Its columns, where the name is cut. */
  readonly columns?: string | undefined;
}

/** Citus appends the number of a shard to names, and puts a hash in place of the end of long ones. */
const CUT_NAME = /_[0-9a-f]{8}_\d+$/;

function violatedConstraint(error: DatabaseFault): Violated {
  const name = error.constraint ?? /(?:index|constraint) "([^"]+)"/.exec(error.message)?.[1] ?? '';
  const names = [name, withoutShard(name)];
  if (!CUT_NAME.test(name)) return { names };
  // The words of the detail are in the language of the database.
  return { names, columns: /^[^(]*\(([^)]*)\)=/.exec(error.detail ?? '')?.[1]?.replaceAll('"', '') };
}

function isOf({ names, columns }: Violated, own: readonly string[], name: string): boolean {
  return names.includes(name) || columns === own.join(', ');
}

/** The ids of the fields of an index. */
function uniqueFields(violated: Violated, kind: KindDef): readonly string[] | undefined {
  const lists = [...[...kind.fields.keys()].map((id) => [id]), ...kind.unique, ...kind.indexes];
  return lists.find((ids) => {
    const [columns, ordered] = [columnsOf(kind, ids), orderedColumns(kind, ids)];
    return (
      isOf(violated, columns, constraintName(kind.table, columns, 'key')) ||
      isOf(violated, ordered, constraintName(kind.table, ordered, 'idx'))
    );
  });
}

function fieldsById(ids: readonly string[], kind: KindDef): Field[] {
  return ids.flatMap((id) => kind.fields.get(id) ?? []);
}

function notUnique(error: DatabaseFault, context: WriteContext): KindError {
  const { kind } = context;
  const violated = violatedConstraint(error);
  if (isOf(violated, ['id'], primaryKeyName(kind.table))) {
    const message = kind.key === 'identifier' ? takenId(kind) : takenValues([kind.primary ?? { id: 'id' }]);
    return refusalOf(message, conflictPosition(error, [kind.keyField], context));
  }
  const ids = uniqueFields(violated, kind) ?? [];
  if (!ids.every((id) => context.visibleFields.has(id))) return refusalOf(TAKEN_UNREADABLE_VALUES);
  if (ids.length === 0) return refusalOf(UNKNOWN_CONFLICT);
  const fields = fieldsById(ids, kind);
  return refusalOf(takenValues(fields), conflictPosition(error, fields, context));
}

function refusalOf({ code, text, ...location }: Message, position: FaultLocation = {}): KindError {
  return refusal(code, text, { ...location, ...position });
}

/**
 * The position of the object in a bulk write whose values the detail of the error quotes; of two equal ones the later.
 */
function conflictPosition(
  error: DatabaseFault,
  fields: readonly Field[],
  { rows, bulk }: WriteContext,
): { index?: number } {
  if (!bulk || !rows) return {};
  // The rest of the detail is in the language of the database.
  const values = /^[^(]*\([^)]*\)=\((.*)\)/s.exec(error.detail ?? '')?.[1];
  const index = rows.findLastIndex((row) => {
    const shown = fields.map((field) => shownByPostgres(field, row[field.column ?? field.id]));
    return !shown.includes(undefined) && shown.join(', ') === values;
  });
  return index < 0 ? {} : { index };
}

/** A value in the form in which PostgreSQL quotes it in the detail of an error. */
function shownByPostgres({ type }: Field, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  const stored = value as Stored;
  return type.quoted?.(stored) ?? scalarText(type.canonical?.(stored) ?? stored);
}

function badReference(error: DatabaseFault, context: WriteContext): KindError | undefined {
  const violated = violatedConstraint(error);
  const { fields, table } = context.kind;
  const own = [...fields.values()].find(({ id, column = id }) =>
    isOf(violated, [column], constraintName(table, [column], 'fkey')),
  );
  // A deletion has no rows: there the violated reference is one to the deleted unit.
  if (own && context.rows) {
    const place = { parameter: own.id, ...conflictPosition(error, [own], context) };
    return refusal(
      'parameter.bad_reference',
      `${own.id}: no such unit${context.ofTarget(own.reference?.kind ?? '')}`,
      place,
    );
  }
  return referencedByOthers();
}

/**
 * Without rows it is a deletion, which would set a reference to null that a check of the referring unit tests. Undefined
 * for a constraint that is no check of the kind.
 */
function failsCheck(error: DatabaseFault, { kind, visibleFields, rows }: WriteContext): KindError | undefined {
  if (!rows) return referencedByOthers();
  const { names } = violatedConstraint(error);
  const check = resolvedChecks(kind).find(({ id, filter }) => names.includes(checkName(id, filter)));
  return check && refusalOf(failedCheck(check, visibleFields));
}

/** For a check that a unit fails. It is named if the caller may read the parameters that it names. */
export function failedCheck({ id, text, fields }: ResolvedCheck, readable: ReadonlyMap<string, Field>): Message {
  return fields.every((field) => readable.has(field.id))
    ? { code: 'unit.check', text, check: id }
    : FAILED_UNREADABLE_CHECK;
}

function tooLongForIndex(error: DatabaseFault, context: WriteContext): KindError {
  const parameter = uniqueFields(violatedConstraint(error), context.kind)?.[0] ?? longestIndexed(context)?.id;
  const text = `${parameter ?? 'A value'}: too long for its index, which holds some 2,600 bytes`;
  return refusal('parameter.too_long', text, parameter === undefined ? {} : { parameter });
}

/**
 * The indexed field with the longest value. For a value too long for any index page, PostgreSQL does not name the
 * index.
 */
function longestIndexed({ kind, rows = [] }: WriteContext): Field | undefined {
  const listed = new Set([...kind.unique, ...kind.indexes].flat());
  const longest = (field: Field) =>
    Math.max(0, ...rows.map((row) => scalarText((row[field.column ?? field.id] ?? '') as Json).length));
  const indexed = [...kind.fields.values()].filter(
    (field) => field === kind.primary || field.def.unique || field.def.indexed || listed.has(field.id),
  );
  return indexed.sort((a, b) => longest(b) - longest(a))[0];
}

/** For a definition whose id another has. */
function takenId({ traits }: KindDef): Message {
  return { code: traits.existsCode ?? 'unit.not_unique', text: 'There is one of that id already', parameter: 'id' };
}

/** For parameters whose values, taken together, another unit has. */
export function takenValues(fields: readonly Pick<Field, 'id'>[]): Message {
  const ids = fields.map(({ id }) => id);
  const [parameter = ''] = ids;
  if (ids.length > 1) return { code: 'unit.not_unique', text: `Another unit has the same values of ${ids.join(', ')}` };
  return { code: 'parameter.not_unique', text: `${parameter}: another unit has that value`, parameter };
}

/** The same for parameters that the caller may not read. */
const TAKEN_UNREADABLE_VALUES: Message = {
  code: 'unit.not_unique',
  text: 'Another unit has the same values in parameters that are unique',
};

/** For a unique constraint that belongs to no parameter. */
const UNKNOWN_CONFLICT: Message = {
  code: 'unit.conflict',
  text: 'The unit conflicts with one that is stored',
};

/** For a check that names parameters which the caller may not read. */
const FAILED_UNREADABLE_CHECK: Message = {
  code: 'unit.check',
  text: 'The unit would fail a check of its kind',
};

/** Translates PostgreSQL's errors on writes to refusals that name the parameters of the kind. */
import { isAnswerTooLarge, isDatabaseFault, type DatabaseFault } from '../../../database/statement/sqlstate.js';
import type { TargetKindText } from '../../../access/reference-access.js';
import type { Field, KindDef, Model } from '../../../model/model.js';
import { constraintName, withoutShard } from '../../../model/names.js';
import { columnsOf, orderedColumns } from '../../../model/table/required-indexes.js';
import type { Stored } from '../../../model/parameter-type/parameter-type.js';
import { refusal, type FaultLocation, type KindError, type Message } from '../../../shared/errors.js';
import { scalarText, type Json } from '../../../shared/json.js';
import { primaryKeyName } from '../../../sql/definition/ddl.sql.js';
import {
  referencedByOthers,
  takenId,
  takenValues,
  TAKEN_UNREADABLE_VALUES,
  UNKNOWN_CONFLICT,
} from '../../draft/conflict-messages.js';

export interface WriteContext {
  readonly model: Model;
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
    const message = kind.key === 'identifier' ? takenId(kind) : takenValues([kind.primary?.id ?? 'id']);
    return refusalOf(message, conflictPosition(error, [kind.keyField], context));
  }
  const ids = uniqueFields(violated, kind) ?? [];
  if (!ids.every((id) => context.visibleFields.has(id))) return refusalOf(TAKEN_UNREADABLE_VALUES);
  if (ids.length === 0) return refusalOf(UNKNOWN_CONFLICT);
  return refusalOf(takenValues(ids), conflictPosition(error, fieldsById(ids, kind), context));
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

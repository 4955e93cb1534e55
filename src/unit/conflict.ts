/** What PostgreSQL's refusals of a write mean, in the words of the kind. */
import { isDatabaseFault, type DatabaseFault } from '../database/sqlstate.js';
import type { Field, KindDef, Model } from '../model/model.js';
import { constraintName } from '../model/names.js';
import { refusal, type ErrorCode, type KindError } from '../shared/errors.js';
import { primaryKeyName } from '../sql/ddl.sql.js';

export interface WriteContext {
  readonly model: Model;
  readonly kind: KindDef;
  /** The rows of a bulk write, to find the one to blame. */
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
  readonly bulk?: boolean;
}

/** The refusal for a fault of the database; undefined where it is none that a client caused. */
export function conflictOf(error: unknown, context: WriteContext): KindError | undefined {
  if (!isDatabaseFault(error)) return undefined;
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
      return refusal('parameter.bad_value', 'A value can not be stored: it is out of the range of its type');
    default:
      return undefined;
  }
}

/** Citus adds the number of a shard to the names of constraints. */
function namesOf(error: DatabaseFault): string[] {
  const name = error.constraint ?? /(?:index|constraint) "([^"]+)"/.exec(error.message)?.[1] ?? '';
  return [name, name.replace(/_\d+$/, '')];
}

/** The fields of a unique index, by its name. */
function uniqueFields(names: readonly string[], kind: KindDef): readonly string[] | undefined {
  const columnsOf = (ids: readonly string[]) => ids.map((id) => kind.fields.get(id)?.column ?? id);
  const lists = [...[...kind.fields.keys()].map((id) => [id]), ...kind.unique, ...kind.indexes];
  return lists.find((ids) =>
    (['key', 'idx'] as const).some((suffix) => names.includes(constraintName(kind.table, columnsOf(ids), suffix))),
  );
}

const EXISTS: Readonly<Record<string, ErrorCode>> = { kind: 'kind.exists', group: 'group.exists', link: 'link.exists' };

function notUnique(error: DatabaseFault, context: WriteContext): KindError {
  const { kind } = context;
  const names = namesOf(error);
  if (names.includes(primaryKeyName(kind.table))) {
    if (kind.key === 'identifier') {
      const code = EXISTS[kind.id] ?? 'parameter.exists';
      return refusal(code, `There is one of that id already`, { parameter: 'id', ...placeOf(error, 'id', context) });
    }
    const parameter = kind.primary?.id ?? 'id';
    return refusal('parameter.not_unique', `${parameter}: another unit has that value`, {
      parameter,
      ...placeOf(error, 'id', context),
    });
  }
  const ids = uniqueFields(names, kind);
  const [first] = ids ?? [];
  if (ids && ids.length > 1) {
    return refusal(
      'unit.not_unique',
      `Another unit has the same values of ${ids.join(', ')}`,
      placeOf(error, first, context),
    );
  }
  if (first === undefined) return refusal('unit.conflict', 'The unit conflicts with one that is stored');
  return refusal('parameter.not_unique', `${first}: another unit has that value`, {
    parameter: first,
    ...placeOf(error, kind.fields.get(first)?.column, context),
  });
}

/** In a bulk write, the object whose value PostgreSQL quotes in the detail of its error. */
function placeOf(error: DatabaseFault, column: string | undefined, { rows, bulk }: WriteContext): { index?: number } {
  if (!bulk || !rows || column === undefined) return {};
  const value = /^Key \([^)]*\)=\((.*)\) (?:already exists|is not present)/s.exec(error.detail ?? '')?.[1];
  const same = rows.flatMap((row, at) => (String(row[column]) === value ? [at] : []));
  const index = same.at(-1);
  return index === undefined ? {} : { index };
}

function badReference(error: DatabaseFault, context: WriteContext): KindError | undefined {
  const names = namesOf(error);
  const refers = (kind: KindDef) => (field: Field) =>
    names.includes(constraintName(kind.table, [field.column ?? field.id], 'fkey'));
  const own = [...context.kind.fields.values()].find(refers(context.kind));
  if (own && /insert or update/.test(error.message)) {
    const place = { parameter: own.id, ...placeOf(error, own.column, context) };
    return refusal('parameter.bad_reference', `${own.id}: no such unit of '${own.reference?.kind ?? ''}'`, place);
  }
  return refusal('unit.referenced', 'Other units refer to this one');
}

function tooLongForIndex(error: DatabaseFault, { kind }: WriteContext): KindError {
  const ids = uniqueFields(namesOf(error), kind);
  const parameter = ids?.[0] ?? kind.primary?.id;
  const text = `${parameter ?? 'A value'}: too long for its index, which holds some 2,600 bytes`;
  return refusal('parameter.too_long', text, parameter === undefined ? {} : { parameter });
}

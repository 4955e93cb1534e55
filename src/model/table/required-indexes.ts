/** Which indexes the table of a kind needs, as values. */
import { EXTENDED_FIELDS } from '../built-in/built-in.js';
import { fieldsOfRules } from '../check/stored-rules.js';
import type { Field, KindDef, Model } from '../model.js';
import { searchDocuments } from '../search-document.js';
import { constraintName } from '../names.js';
import type { IndexShape } from './shape.js';
import { getOrInsert } from '../../shared/maps.js';
import type { WorkInPieces } from '../../shared/work-in-pieces.js';

/** The most columns of an index in PostgreSQL. */
const MAX_INDEX_COLUMNS = 32;

/**
 * The indexes of a kind's table: of fields, of its lists `unique` and `indexes`, and for the order of its lists. Those
 * that are not unique end with the default order of lists, so that a page of the units with one value is read from the
 * index in that order.
 * @param ruled the ids of its fields that rules test
 */
export function requiredIndexes(
  kind: KindDef,
  stored: readonly Field[],
  ruled: ReadonlySet<string> | undefined,
): IndexShape[] {
  const indexes = stored.flatMap((field) => fieldIndex(field, kind, ruled?.has(field.id) ?? false));
  for (const ids of kind.unique) indexes.push(index(kind, columnsOf(kind, ids), true));
  for (const ids of kind.indexes) indexes.push(orderedIndex(kind, ids));
  indexes.push(...searchIndexes(kind));
  // Lists of units with such keys are ordered by time of insertion.
  if (kind.key !== 'uuid' && !kind.builtIn) indexes.push(index(kind, ['inserted_at', 'id'], false));
  return indexes;
}

/** A field has an index if it is unique, `indexed`, a reference, or tested by an access rule. */
function fieldIndex(field: Field, kind: KindDef, ruled: boolean): IndexShape[] {
  if (field === kind.keyField || field.column === undefined) return [];
  const { unique, indexed, multiple } = field.def;
  const isOwn = !kind.builtIn && !EXTENDED_FIELDS.includes(field);
  const trigrams = hasTrigrams(field) && isOwn ? [trigramIndex(kind, field.column)] : [];
  if (unique && !multiple) return [index(kind, [field.column], true), ...trigrams];
  const useful = indexed || field.reference !== undefined || (ruled && field.type.sortable);
  if (!useful) return [];
  return [multiple ? index(kind, [field.column], false, 'gin') : orderedIndex(kind, [field.id]), ...trigrams];
}

/** The indexes of one parameter or of a list in `indexes`. */
interface OptionalIndex {
  readonly parameters: readonly string[];
  readonly indexes: readonly IndexShape[];
}

/** The indexes that only make queries faster, and that the definitions of a kind ask for. */
export function optionalIndexes(kind: KindDef): OptionalIndex[] {
  const fields = [...kind.fields.values()].filter(({ def, reference }) => def.indexed && reference === undefined);
  return [
    ...fields.map((field) => ({
      parameters: [field.id],
      indexes: fieldIndex(field, kind, false).filter(({ unique }) => !unique),
    })),
    ...kind.indexes.map((parameters) => ({ parameters, indexes: [orderedIndex(kind, parameters)] })),
  ].filter(({ indexes }) => indexes.length > 0);
}

/** Whether a field has an index that serves filters for parts of its text. */
export function hasTrigrams({ def, type }: Field): boolean {
  return def.indexed && !def.multiple && type.operators.has('icontains');
}

function trigramIndex(kind: KindDef, column: string): IndexShape {
  return { name: constraintName(kind.table, [column], 'trgm'), columns: [column], unique: false, method: 'trigram' };
}

/** One for the callers of each level of `read_access`, of the texts that they may read. */
function searchIndexes(kind: KindDef): IndexShape[] {
  return searchDocuments(kind).map(({ configuration, columns }) => {
    const name = constraintName(kind.table, [...columns, configuration], 'search');
    return { name, columns, unique: false, method: 'search', configuration };
  });
}

/** An index of fields, in the default order of lists where they have the same values. */
function orderedIndex(kind: KindDef, ids: readonly string[]): IndexShape {
  return index(kind, orderedColumns(kind, ids), false);
}

/** The columns of the index of some fields that is not unique. */
export function orderedColumns(kind: KindDef, ids: readonly string[]): string[] {
  const columns = columnsOf(kind, ids);
  if (kind.builtIn || columns.includes('id') || columns.length === MAX_INDEX_COLUMNS) return columns;
  // A natural key could make the entry too long, and few units have the same time.
  return [...columns, kind.key === 'uuid' ? 'id' : 'inserted_at'];
}

export function columnsOf(kind: KindDef, ids: readonly string[]): string[] {
  return ids.map((id) => kind.fields.get(id)?.column ?? id);
}

function index(
  kind: KindDef,
  columns: readonly string[],
  unique: boolean,
  method: IndexShape['method'] = 'btree',
): IndexShape {
  return { name: constraintName(kind.table, columns, unique ? 'key' : 'idx'), columns, unique, method };
}

/** The ids of the fields that rules test, by kind. */
export type RuledFields = ReadonlyMap<KindDef, ReadonlySet<string>>;

/** The fields that rules test: of the kinds that have the rules, and of referenced kinds. */
export function* ruledFields(model: Model): WorkInPieces<RuledFields> {
  const found = new Map<KindDef, Set<string>>();
  for (const kind of model.kinds.values()) {
    for (const step of fieldsOfRules(kind, model)) {
      getOrInsert(found, step.kind, () => new Set()).add(step.field.id);
    }
    yield;
  }
  return found;
}

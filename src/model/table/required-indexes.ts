/** Which indexes the table of a kind needs, as values. */
import { pathsOfRules } from '../check/stored-rules.js';
import type { Field, KindDef, Model } from '../model.js';
import { constraintName } from '../names.js';
import { fieldsAlong } from '../predicate/path.js';
import type { IndexShape } from './shape.js';
import { getOrInsert } from '../../shared/get-or-insert.js';
import type { WorkInPieces } from '../../shared/work-in-pieces.js';

/**
 * The indexes of a kind's table: of fields, of its lists `unique` and `indexes`, and for the order of its lists.
 * @param ruled the ids of its fields that rules test
 */
export function requiredIndexes(
  kind: KindDef,
  stored: readonly Field[],
  ruled: ReadonlySet<string> | undefined,
): IndexShape[] {
  const columns = (ids: readonly string[]) => ids.map((id) => kind.fields.get(id)?.column ?? id);
  const indexes = stored.flatMap((field) => fieldIndex(field, kind, ruled?.has(field.id) ?? false));
  for (const ids of kind.unique) indexes.push(index(kind, columns(ids), true));
  for (const ids of kind.indexes) indexes.push(index(kind, columns(ids), false));
  // Lists of units with such keys are ordered by time of insertion.
  if (kind.key !== 'uuid' && !kind.builtIn) indexes.push(index(kind, ['inserted_at', 'id'], false));
  return indexes;
}

/** A field has an index if it is unique, `indexed`, a reference, or tested by an access rule. */
function fieldIndex(field: Field, kind: KindDef, ruled: boolean): IndexShape[] {
  if (field === kind.keyField || field.column === undefined) return [];
  const { unique, indexed, multiple } = field.def;
  if (unique && !multiple) return [index(kind, [field.column], true)];
  const useful = indexed || field.reference !== undefined || (ruled && field.type.sortable);
  if (!useful) return [];
  return [index(kind, [field.column], false, multiple ? 'gin' : 'btree')];
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
    for (const path of pathsOfRules(kind.access)) {
      for (const step of fieldsAlong(path, kind, model)) {
        getOrInsert(found, step.kind, () => new Set()).add(step.field.id);
      }
    }
    yield;
  }
  return found;
}

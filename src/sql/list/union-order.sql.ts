/** Queries over several kinds: the part of each kind, and the terms of the order in it. */
import type { KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import type { ColumnType } from '../../model/parameter-type/parameter-type.js';
import { scalarText } from '../../shared/json.js';
import { columnType } from '../columns.sql.js';
import { literal, sql } from '../fragment.js';
import { idText } from './mixed-units.sql.js';
import { orderedField, sortSql, type OrderTerm, type Sort, type SortKey } from './order.sql.js';
import type { Lookups } from '../condition/predicate.sql.js';
import type { ReadPlan } from './select.sql.js';

/** A term of the order, for all kinds. */
export interface SharedTerm {
  readonly type: ColumnType;
  readonly descending: boolean;
  /** Whether it is the id, which is ordered as text, because kinds have keys of different types. */
  readonly ids: boolean;
}

/** The part of a query that reads one kind. */
export interface KindPart {
  readonly kind: KindDef;
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
  readonly read: ReadPlan;
  readonly filter: Predicate | undefined;
  /** The terms of the order; undefined where the kind lacks the parameter. */
  readonly order: readonly (OrderTerm | undefined)[];
}

/** @param before the joins of the conditions on the same rows */
export function partSort(
  schema: string,
  { kind, order }: KindPart,
  terms: readonly SharedTerm[],
  before?: Lookups,
): Sort {
  const plain = order.flatMap((term) => (term && !isConstant(term) ? [term] : []));
  const { keys, joins } = sortSql(schema, plain, before);
  const allKeys = order.map((term, at): SortKey => {
    const shared = terms[at];
    if (!shared) throw new Error('an order has a term for each of its terms');
    const { descending, ids } = shared;
    const type = ids ? columnType('text') : columnType(shared.type);
    const key = term && keys[plain.indexOf(term)];
    if (ids) return { value: sql`${idText(kind)} COLLATE "C"`, type, descending, nullable: false };
    if (key) return key;
    const { constant } = (term && orderedField(term)?.field) ?? {};
    const value = constant === undefined || constant === null ? sql`NULL` : literal(scalarText(constant));
    const typed = sql`${value}::${type}`;
    return { value: isTextTerm(shared) ? sql`${typed} COLLATE "C"` : typed, type, descending, nullable: true };
  });
  return { keys: allKeys, joins };
}

function isTextTerm({ type }: SharedTerm): boolean {
  return type === 'text';
}

/** Whether the value is the same in every unit of the kind. */
function isConstant(term: OrderTerm): boolean {
  const target = orderedField(term);
  return target !== undefined && !target.through && target.field.constant !== undefined;
}

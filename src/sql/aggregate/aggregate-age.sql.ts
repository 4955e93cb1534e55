/**
 * The values of the oldest and of the newest unit of a group. A text of the age and the value of a unit is compared as
 * a whole, so that each group holds one text, however many units it has (`array_agg(… ORDER BY …)` would hold all).
 */
import type { KindDef } from '../../model/model.js';
import { sql, type Fragment } from '../fragment.js';
import { idText } from '../list/mixed-units.sql.js';

/** Ends the age. It is the smallest character, so that of two ids that begin alike the shorter one comes first. */
const END = sql`chr(1)`;

/**
 * The age of the row `t` as a text, ordered as lists are by default: by the id where all kinds have generated ids, else
 * by `inserted_at` and id.
 */
export function ageOf(kind: KindDef, sources: readonly { readonly kind: KindDef }[]): Fragment {
  const id = sql`translate(${idText(kind)}, ${END}, chr(2)) || ${END}`;
  if (sources.every((source) => source.kind.key === 'uuid')) return id;
  return sql`to_char(t."inserted_at" AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || ${id}`;
}

interface FirstValue {
  readonly value: Fragment;
  readonly type: Fragment;
  readonly filter: Fragment;
}

/** The value of the first or last row of `r` by its age; null too. */
export function firstOf(called: 'first' | 'last', { value, type, filter }: FirstValue): Fragment {
  const text = sql`(r.age || CASE WHEN ${value} IS NULL THEN '-' ELSE '+' || ${value}::text END) COLLATE "C"`;
  const found = called === 'first' ? sql`min(${text})${filter}` : sql`max(${text})${filter}`;
  const at = sql`strpos(${found}, ${END})`;
  const present = sql`substr(${found}, ${at} + 1, 1) = '+'`;
  return sql`CASE WHEN ${present} THEN substr(${found}, ${at} + 2)::${type} END`;
}

/** The values that may follow the stored value of a parameter with transitions, in the row `t`. */
import type { Field } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { columnRef } from '../columns.sql.js';
import { join, param, sql, type Fragment } from '../fragment.js';
import { predicateSql } from './predicate.sql.js';

/** The transitions of a parameter that the caller may do. */
export interface TransitionField {
  readonly field: Field;
  /** The values that may follow null; undefined for all. */
  readonly initial: readonly string[] | undefined;
  /** The values that may follow a value, in every unit. */
  readonly possible: Readonly<Record<string, readonly string[]>>;
  /** Those that are possible in the units that match the condition. */
  readonly conditional: readonly { readonly from: string; readonly to: string; readonly condition: Predicate }[];
}

/** The values that may follow the stored one, as a JSON list. */
export function nextValues({ field, initial, possible, conditional }: TransitionField, schema: string): Fragment {
  const stored = columnRef(field);
  const list = (value: unknown) => sql`${param(JSON.stringify(value))}::jsonb`;
  const always = sql`coalesce(${list(possible)} -> ${stored}, '[]')`;
  const sometimes = conditional.map(({ from, to, condition }) => {
    const holds = sql`${stored} = ${param(from)}::text AND ${predicateSql(condition, { schema, row: 't' })}`;
    return sql`CASE WHEN ${holds} THEN ${list([to])} ELSE '[]' END`;
  });
  const first = list(initial ?? field.def.values ?? []);
  return sql`(CASE WHEN ${stored} IS NULL THEN ${first} ELSE ${join([always, ...sometimes], ' || ')} END)`;
}

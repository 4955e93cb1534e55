/** Where the stored value of a parameter with transitions may lead, in the row `t`: what is told, and what is held. */
import type { Field } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { columnRef } from '../columns.sql.js';
import { join, param, sql, type Fragment } from '../fragment.js';
import { predicateSql } from './predicate.sql.js';

/** Values that may follow, by those from which they do. */
export type NextValues = Readonly<Record<string, readonly string[]>>;

/** The transitions of a parameter that the caller may do. */
export interface TransitionField {
  readonly field: Field;
  /** The values that may follow null; undefined for all. */
  readonly initial: readonly string[] | undefined;
  /** The values that may follow a value, in every unit. */
  readonly possible: NextValues;
  /** Those that are possible in the units that match the condition, each condition once. */
  readonly conditional: readonly { readonly possible: NextValues; readonly condition: Predicate }[];
}

/** The values that may follow the stored one, as a JSON list. `leadsTo` says the same of one value. */
export function nextValues({ field, initial, possible, conditional }: TransitionField, schema: string): Fragment {
  const stored = columnRef(field);
  const list = (value: unknown) => sql`${param(JSON.stringify(value))}::jsonb`;
  const always = sql`coalesce(${list(possible)} -> ${stored}, '[]')`;
  const sometimes = conditional.map(({ possible: ways, condition }) => {
    const holds = sql`jsonb_exists(${list(ways)}, ${stored}) AND ${predicateSql(condition, { schema, row: 't' })}`;
    return sql`CASE WHEN ${holds} THEN ${list(ways)} -> ${stored} ELSE '[]' END`;
  });
  const first = list(initial ?? field.def.values ?? []);
  return sql`(CASE WHEN ${stored} IS NULL THEN ${first} ELSE ${join([always, ...sometimes], ' || ')} END)`;
}

/**
 * Whether a value is one of `nextValues`. Without CASE and COALESCE, in which Citus does not take the time of a condition.
 */
export function leadsTo(
  { field, initial, possible, conditional }: TransitionField,
  value: Fragment,
  schema: string,
): Fragment {
  const stored = columnRef(field);
  const isFirst = sql`${stored} IS NULL AND ${value} = ANY(${param(initial ?? field.def.values ?? [])}::text[])`;
  const leads = (ways: NextValues) => {
    return sql`jsonb_exists(${param(JSON.stringify(ways))}::jsonb -> ${stored}, ${value})`;
  };
  const sometimes = conditional.map(({ possible: ways, condition }) => {
    return sql`${leads(ways)} AND ${predicateSql(condition, { schema, row: 't' })}`;
  });
  const ways = [isFirst, leads(possible), ...sometimes].map((way) => sql`(${way}) IS TRUE`);
  return join(ways, ' OR ');
}

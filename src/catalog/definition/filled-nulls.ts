/** Nulls of stored units that get a value within a change, before their parameter may not be null any more. */
import { recordOfParameter, type Model } from '../../model/model.js';
import type { Guard, SchemaStep } from '../../model/table/diff.js';
import type { Json } from '../../shared/json.js';

/** Units of a kind that have no value of a parameter. */
export interface FilledNulls {
  readonly guard: Guard;
  readonly kind: string;
  readonly parameter: string;
  readonly value: Json;
}

export interface Fills {
  /** By the record of the parameter. */
  readonly values: ReadonlyMap<string, Json>;
  /** Stores the values, once the columns are there. */
  readonly write: (model: Model, filled: readonly FilledNulls[]) => Promise<void>;
}

interface Parts {
  readonly guards: readonly Guard[];
  readonly steps: readonly SchemaStep[];
  /** What nulls would be in the way of. */
  readonly filled: readonly FilledNulls[];
  /** Those that are to be done after it. */
  readonly last: readonly SchemaStep[];
}

/** What is left of guards and steps, if the nulls of some parameters are filled. */
export function withoutNulls(
  after: Model,
  fills: Fills | undefined,
  guards: readonly Guard[],
  steps: readonly SchemaStep[],
): Parts {
  const filled = fills ? guards.flatMap((guard) => filledBy(guard, after, fills)) : [];
  if (filled.length === 0) return { guards, steps, filled, last: [] };
  const columns = new Set(
    filled.map(({ guard: { table }, kind, parameter }) => {
      return `${table}.${after.kinds.get(kind)?.fields.get(parameter)?.column ?? ''}`;
    }),
  );
  const last: SchemaStep[] = [];
  const first = steps.map((step): SchemaStep => {
    if (step.type !== 'alter_table') return step;
    const isLast = (name: string) => columns.has(`${step.table}.${name}`);
    const changes = step.changes.flatMap((change) => {
      if (change.type === 'not_null' && change.notNull && isLast(change.column)) {
        last.push({ type: 'alter_table', table: step.table, changes: [change] });
        return [];
      }
      if (change.type !== 'add' || !change.column.notNull || !isLast(change.column.name)) return [change];
      const { name: column } = change.column;
      last.push({ type: 'alter_table', table: step.table, changes: [{ type: 'not_null', column, notNull: true }] });
      return [{ ...change, column: { ...change.column, notNull: false } }];
    });
    return { ...step, changes };
  });
  return {
    guards: guards.filter((guard) => !filled.some((each) => each.guard === guard)),
    steps: first.filter((step) => step.type !== 'alter_table' || step.changes.length > 0),
    filled,
    last,
  };
}

function filledBy(guard: Guard, { kinds }: Model, { values }: Fills): FilledNulls[] {
  const { kind: id, parameter, linkType, code, condition } = guard;
  const kind = kinds.get(id);
  if (!kind || parameter === undefined || linkType !== undefined || code !== 'parameter.violated') return [];
  if (condition.type !== 'is_null' && condition.type !== 'any') return [];
  const value = kind.fields.has(parameter) ? values.get(recordOfParameter(kind, parameter)) : undefined;
  return value === undefined ? [] : [{ guard, kind: id, parameter, value }];
}

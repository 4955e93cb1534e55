/** Groups of units with numbers of related units, over all units in memory, as `naive-related.ts` finds them. */
import type { Filter, RelatedUnits } from '../../src/filter/filter.ast.js';
import { matchesIn, relatedUnits, valueAt, type NaiveWorld } from './naive-related.js';
import type { Json, UnitRecord } from './naive-filter.js';

export interface GroupQuestion {
  /** The path by which units are grouped, as `g`. */
  readonly path: string;
  /** Units that `f` counts. */
  readonly condition: Filter;
  /** Related units, whose number `s` sums up. */
  readonly counted: RelatedUnits;
  /** Over `g`, `c` (the number of units), `f` and `s`. */
  readonly having: Filter;
  readonly descending: boolean;
}

export interface RelatedGroup extends UnitRecord {
  readonly g: Json;
  readonly c: number;
  readonly f: number;
  readonly s: number;
}

/** The groups of `units`, by `s` and then by `g`. */
export function relatedGroups(world: NaiveWorld, units: readonly UnitRecord[], asked: GroupQuestion): RelatedGroup[] {
  const { path, condition, counted, having, descending } = asked;
  const segments = path.split('.');
  const values = [...new Set(units.map((unit) => valueAt(world, segments, unit)))];
  const groups = values.map((g): RelatedGroup => {
    const of = units.filter((unit) => valueAt(world, segments, unit) === g);
    const f = of.filter((unit) => matchesIn(world, condition, unit)).length;
    const s = of.reduce((sum, unit) => sum + relatedUnits(world, counted, unit).length, 0);
    return { g, c: of.length, f, s };
  });
  const type = world.types.get(segments.at(-1) ?? '') ?? 'string';
  const types = new Map([['g', type], ...['c', 'f', 's'].map((name) => [name, 'integer'] as const)]);
  return groups
    .filter((group) => matchesIn({ ...world, types }, having, group))
    .sort((one, other) => (descending ? other.s - one.s : one.s - other.s) || nullsLast(one.g, other.g));
}

function nullsLast(one: Json, other: Json): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return one < other ? -1 : 1;
}

/**
 * What filters over related units mean, said a second time and as plainly as possible: over all units and links in
 * memory. It shares the tree of the filter language with the service and nothing else.
 */
import type { Filter, RelatedUnits, Scalar, ParameterTest, Test } from '../../src/filter/filter.ast.js';
import { compare, type Json, type UnitRecord } from './naive-filter.js';

export interface NaiveLink {
  readonly type: string;
  readonly parent: string;
  readonly child: string;
}

export interface NaiveWorld {
  /** All units of each kind. */
  readonly units: ReadonlyMap<string, readonly UnitRecord[]>;
  readonly links: readonly NaiveLink[];
  /** The kinds to which references lead, by the name of the parameter. */
  readonly references: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, string>;
  /** Whether the caller may read a unit. */
  readonly mayRead: (unit: UnitRecord) => boolean;
}

/** Whether a unit matches for the caller of the world. */
export function matchesIn(world: NaiveWorld, filter: Filter, unit: UnitRecord): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((part) => matchesIn(world, part, unit));
    case 'or':
      return filter.filters.some((part) => matchesIn(world, part, unit));
    case 'not':
      return !matchesIn(world, filter.filter, unit);
    case 'exists':
      return relatedUnits(world, filter.related, unit).length > 0;
    default:
      return passes(world, filter, unit);
  }
}

/** The units that the caller finds related with a unit. */
export function relatedUnits(world: NaiveWorld, { relation, filter }: RelatedUnits, unit: UnitRecord): UnitRecord[] {
  const found = relation.type === 'reference' ? referring(world, relation, unit) : linked(world, relation, unit);
  return found.filter((each) => world.mayRead(each) && (!filter || matchesIn(world, filter, each)));
}

function referring(
  { units, references }: NaiveWorld,
  { kind, parameter }: { readonly kind: string; readonly parameter: string },
  unit: UnitRecord,
): UnitRecord[] {
  if (references.get(parameter) !== unit['kind_id']) return [];
  return (units.get(kind) ?? []).filter((each) => each[parameter] === unit['id']);
}

function linked(
  { units, links }: NaiveWorld,
  way: Extract<RelatedUnits['relation'], { type: 'link' }>,
  unit: UnitRecord,
): UnitRecord[] {
  const ids = links
    .filter(({ type }) => type === way.link)
    .filter(({ parent, child }) => (way.direction === 'child' ? parent : child) === unit['id'])
    .map(({ parent, child }) => (way.direction === 'child' ? child : parent));
  const all = [...units].flatMap(([kind, of]) => (!way.kinds || way.kinds.includes(kind) ? of : []));
  return all.filter(({ id }) => ids.includes(id as string));
}

function passes(world: NaiveWorld, test: Test, unit: UnitRecord): boolean {
  if ('other' in test) throw new Error(`no test ${test.op}`);
  const { counted, segments } = test.path;
  const value = counted ? relatedUnits(world, counted, unit).length : valueAt(world, segments, unit);
  const type = counted ? 'integer' : (world.types.get(segments.at(-1) ?? '') ?? 'unit');
  if (test.op === 'isnull') return (value === null) === test.value;
  if (test.op === 'ne') return value === null || compare(type, value, textOf(test)) !== 0;
  if (value === null) return false;
  const order = compare(type, value, textOf(test));
  switch (test.op) {
    case 'eq':
      return order === 0;
    case 'lt':
      return order < 0;
    case 'gt':
      return order > 0;
    default:
      throw new Error(`no test ${test.op}`);
  }
}

function textOf(test: Exclude<ParameterTest, { op: 'isnull' }>): string {
  return (test.value as Scalar).text;
}

function valueAt(world: NaiveWorld, [name = '', ...rest]: readonly string[], unit: UnitRecord): Json {
  const value = unit[name] ?? null;
  if (rest.length === 0 || value === null) return value;
  const others = world.units.get(world.references.get(name) ?? '') ?? [];
  const next = others.find(({ id }) => id === value);
  return next && world.mayRead(next) ? valueAt(world, rest, next) : null;
}

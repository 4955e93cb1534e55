/**
 * The meaning of filters over related units, implemented a second time as simply as possible: over all units and links in
 * memory. It shares the tree of the filter language with the service and nothing else.
 */
import type { Filter, RelatedUnits, Scalar, ParameterTest, Test } from '../../src/filter/filter.ast.js';
import { compare, type Json, type UnitRecord } from './naive-filter.js';

export interface NaiveLink {
  readonly type: string;
  readonly parent: string;
  readonly child: string;
  /** The values of the link, and `inserted_at`. */
  readonly values: UnitRecord;
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

/** Whether a unit matches for the caller of the world. @param link the link that leads to the unit */
export function matchesIn(world: NaiveWorld, filter: Filter, unit: UnitRecord, link?: NaiveLink): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((part) => matchesIn(world, part, unit, link));
    case 'or':
      return filter.filters.some((part) => matchesIn(world, part, unit, link));
    case 'not':
      return !matchesIn(world, filter.filter, unit, link);
    case 'all':
      return true;
    case 'exists':
      return relatedUnits(world, filter.related, unit).length > 0;
    default:
      return passes(world, filter, unit, link);
  }
}

/** The units that the caller finds related with a unit. */
export function relatedUnits(world: NaiveWorld, { relation, filter }: RelatedUnits, unit: UnitRecord): UnitRecord[] {
  const found = relatedBy(world, relation, unit);
  return found
    .filter(({ other, link }) => world.mayRead(other) && (!filter || matchesIn(world, filter, other, link)))
    .map(({ other }) => other);
}

function relatedBy(world: NaiveWorld, relation: RelatedUnits['relation'], unit: UnitRecord): RelatedUnit[] {
  switch (relation.type) {
    case 'reference':
      return referring(world, relation, unit);
    case 'link':
      return linked(world, relation, unit);
    case 'any':
      return users(world, relation, unit);
  }
}

/** The units that lead to a unit by any reference or link, or as the relation says. */
function users(
  world: NaiveWorld,
  { kind, parameter }: Extract<RelatedUnits['relation'], { type: 'any' }>,
  unit: UnitRecord,
) {
  const kinds = [...world.units.keys()].filter((id) => id === (kind ?? id));
  const parameters = [...world.references.keys()].filter((id) => id === (parameter ?? id));
  const referrers = kinds.flatMap((id) =>
    parameters.flatMap((name) => referring(world, { kind: id, parameter: name }, unit)),
  );
  if (parameter !== undefined) return referrers;
  const types = [...new Set(world.links.map(({ type }) => type))];
  const way = { type: 'link', kinds, at: 1 } as const;
  const ends = types.flatMap((link) =>
    (['child', 'parent'] as const).flatMap((direction) => linked(world, { ...way, link, direction }, unit)),
  );
  return [...referrers, ...ends];
}

interface RelatedUnit {
  readonly other: UnitRecord;
  readonly link?: NaiveLink;
}

function referring(
  { units, references }: NaiveWorld,
  { kind, parameter }: { readonly kind: string; readonly parameter: string },
  unit: UnitRecord,
): RelatedUnit[] {
  if (references.get(parameter) !== unit['kind_id']) return [];
  return (units.get(kind) ?? []).filter((each) => each[parameter] === unit['id']).map((other) => ({ other }));
}

function linked(
  { units, links }: NaiveWorld,
  way: Extract<RelatedUnits['relation'], { type: 'link' }>,
  unit: UnitRecord,
): RelatedUnit[] {
  const all = [...units].flatMap(([kind, of]) => (!way.kinds || way.kinds.includes(kind) ? of : []));
  return links
    .filter(({ type }) => type === way.link)
    .filter(({ parent, child }) => (way.direction === 'child' ? parent : child) === unit['id'])
    .flatMap((link) => {
      const far = way.direction === 'child' ? link.child : link.parent;
      return all.filter(({ id }) => id === far).map((other) => ({ other, link }));
    });
}

function passes(world: NaiveWorld, test: Test, unit: UnitRecord, link: NaiveLink | undefined): boolean {
  if ('other' in test || test.op === 'similar') throw new Error(`no test ${test.op}`);
  const { counted, segments } = test.path;
  const ofLink = link && segments.length > 1 && segments[0] === 'link';
  const stored = () => (ofLink ? (link.values[segments[1] ?? ''] ?? null) : valueAt(world, segments, unit));
  const value = counted ? relatedUnits(world, counted, unit).length : stored();
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

/** The value that a path leads to, as the caller of the world finds it. */
export function valueAt(world: NaiveWorld, [name = '', ...rest]: readonly string[], unit: UnitRecord): Json {
  const value = unit[name] ?? null;
  if (rest.length === 0 || value === null) return value;
  const others = world.units.get(world.references.get(name) ?? '') ?? [];
  const next = others.find(({ id }) => id === value);
  return next && world.mayRead(next) ? valueAt(world, rest, next) : null;
}

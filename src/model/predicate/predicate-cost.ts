/** The size of predicates. What PostgreSQL needs to plan a statement grows with it. Pure. */
import type { Predicate, Step, Target } from './predicate.js';

export interface Extent {
  /** A test with values of the member counts once for each of its values. */
  readonly tests: number;
  /** Referenced units that are looked up for each unit. The same references in several tests count once. */
  readonly lookups: number;
}

/** A key for each reference of a path: paths with the same first references have the same first keys. */
export function wayKeys(through: readonly Step[] = []): string[] {
  let key = '';
  // A rule may follow the same reference as a filter, but to all units, so the two are different lookups.
  return through.map(({ reference, access }) => (key += `.${reference.id}${access ? '!' : ''}`));
}

/** The extent of predicates, without the access predicates of the references that they follow. */
export function extentOf(predicates: readonly Predicate[]): Extent {
  let tests = 0;
  const visit = (part: Predicate): void => {
    if (part.op === 'and' || part.op === 'or') part.parts.forEach(visit);
    else if (part.op === 'not') visit(part.part);
    else if ('target' in part) tests += part.op === 'member' ? part.values.length : 1;
  };
  predicates.forEach(visit);
  return { tests, lookups: lookupsOf(predicates.flatMap(targetsOf)) };
}

/** The targets of a predicate in referenced units. */
export function targetsOf(predicate: Predicate): Target[] {
  if (predicate.op === 'and' || predicate.op === 'or') return predicate.parts.flatMap(targetsOf);
  if (predicate.op === 'not') return targetsOf(predicate.part);
  return 'target' in predicate && predicate.target.through ? [predicate.target] : [];
}

/** How many referenced units are looked up for the targets of one unit, including those in the middle of a path. */
export function lookupsOf(targets: readonly Target[]): number {
  return new Set(targets.flatMap(({ through }) => wayKeys(through))).size;
}

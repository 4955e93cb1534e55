/** How much predicates ask of a statement: what PostgreSQL needs to plan it grows with this. Pure. */
import type { Predicate, Step, Target } from './predicate.js';

export interface Extent {
  /** Each value of a member that a test names counts as one. */
  readonly tests: number;
  /** Units that references lead to from one unit: a way that is taken several times counts once. */
  readonly lookups: number;
}

/** A key for each step of a way: ways that begin alike have the same first keys. */
export function wayKeys(through: readonly Step[] = []): string[] {
  let key = '';
  // The owner's rules go where a caller goes as well, but through all units.
  return through.map(({ reference, access }) => (key += `.${reference.id}${access ? '!' : ''}`));
}

/** The extent of predicates without the rules that hold for the units on the way. */
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

/** What a predicate tests behind references. */
export function targetsOf(predicate: Predicate): Target[] {
  if (predicate.op === 'and' || predicate.op === 'or') return predicate.parts.flatMap(targetsOf);
  if (predicate.op === 'not') return targetsOf(predicate.part);
  return 'target' in predicate && predicate.target.through ? [predicate.target] : [];
}

/** How many units targets lead to from one, those on the way among them. */
export function lookupsOf(targets: readonly Target[]): number {
  return new Set(targets.flatMap(({ through }) => wayKeys(through))).size;
}

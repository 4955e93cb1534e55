/** How much predicates and paths ask of a statement: what PostgreSQL needs to plan it grows with this. Pure. */
import type { Predicate, Step, Target } from './predicate.js';

export interface Extent {
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

/** The extent of predicates, and of paths beside them, with the rules that hold for the units on the way. */
export function extentOf(predicates: readonly (Predicate | undefined)[], paths: readonly Target[] = []): Extent {
  const ways = new Map<string, Step>();
  let tests = 0;
  const take = ({ through }: Target): void => {
    for (const [at, key] of wayKeys(through).entries()) if (through?.[at]) ways.set(key, through[at]);
  };
  const visit = (part: Predicate): void => {
    if (part.op === 'and' || part.op === 'or') return part.parts.forEach(visit);
    if (part.op === 'not') return visit(part.part);
    tests += 1;
    if ('target' in part) take(part.target);
  };
  for (const predicate of predicates) if (predicate) visit(predicate);
  paths.forEach(take);
  let lookups = ways.size;
  for (const { access } of ways.values()) {
    if (!access) continue;
    const rules = extentOf([access]);
    tests += rules.tests;
    lookups += rules.lookups;
  }
  return { tests, lookups };
}

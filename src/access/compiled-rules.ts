/**
 * Compiled rules, kept as long as their model exists and there is room: a tenant may have many rules, and they are
 * compiled for each kind of members that asks. Those that were not used for longest go.
 */
import type { KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { testsInMemory } from '../model/predicate/predicate-cost.js';
import { getOrInsert } from '../shared/get-or-insert.js';

/** Tests of rules in one generation, of all projects: about a kilobyte each. */
const GENERATION = 40_000;

/** The rules of one operation. */
export interface CompiledRules {
  /** The units that satisfy one of the rules; none if they exceed the limits. */
  readonly predicate: Predicate;
  /** Whether they exceed the limits of a statement. */
  readonly excess: boolean;
}

/** By what the rules are of, for whom they are compiled, and their text. */
type Generation = WeakMap<KindDef, Map<string, Map<string, CompiledRules>>>;

let young: Generation = new WeakMap();
let old: Generation = new WeakMap();
/** In the young generation, with those whose models are gone. */
let tests = 0;

/** @param key for whom, and of which units, if there are several */
export function compiledOnce(
  of: KindDef,
  key: string,
  rules: readonly string[],
  compile: () => CompiledRules,
): CompiledRules {
  const text = rules.length === 1 ? (rules[0] ?? '') : rules.join('\0');
  const known = young.get(of)?.get(key)?.get(text);
  if (known) return known;
  const compiled = old.get(of)?.get(key)?.get(text) ?? compile();
  tests += 1 + testsInMemory([compiled.predicate]);
  if (tests > GENERATION) {
    old = young;
    young = new WeakMap();
    tests = 0;
  }
  const ofKind = getOrInsert(young, of, () => new Map<string, Map<string, CompiledRules>>());
  getOrInsert(ofKind, key, () => new Map<string, CompiledRules>()).set(text, compiled);
  return compiled;
}

/**
 * The checks of a kind: filters over its own stored parameters that every unit has to pass. They become constraints of
 * its table, which PostgreSQL judges for every write, with its logic of three values: a comparison with null is unknown,
 * and what is unknown passes. Pure.
 */
import { parseFilter } from '../../filter/filter.parser.js';
import type { Filter } from '../../filter/filter.ast.js';
import { filterOperands, filterTests, relatedOf, testValues } from '../../filter/filter.walk.js';
import { KindError, refusal, type Faults } from '../../shared/errors.js';
import { IDENTIFIER_HINT, isIdentifier } from '../../shared/identifiers.js';
import { isPlainObject, typeName, type Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { getOrInsert } from '../../shared/maps.js';
import type { Field, KindCheck, KindDef, Model } from '../model.js';
import { Moment, testsOf, type Predicate, type PredicateTest } from '../predicate/predicate.js';
import { testedFields } from '../predicate/related.js';
import { resolveFilter } from '../predicate/resolve-filter.js';
import { isUnchanged } from '../build/build-model.js';

/** A check with the parameters that it names. */
export interface ResolvedCheck extends KindCheck {
  readonly condition: Predicate;
  readonly fields: readonly Field[];
}

/** By the fields of kinds, which are the same object in all models in which a kind is unchanged. */
const resolved = new WeakMap<KindDef['fields'], readonly ResolvedCheck[]>();

/** The checks of a kind of a model that was checked. */
export function resolvedChecks(kind: KindDef): readonly ResolvedCheck[] {
  return getOrInsert(resolved, kind.fields, () => kind.checks.map((check) => resolveCheck(kind, check)));
}

/** @throws KindError 400 if the filter is none, or names anything but stored parameters of the kind */
function resolveCheck(kind: KindDef, check: KindCheck): ResolvedCheck {
  const filter = parseFilter(check.filter, { members: true });
  mustBePlain(filter);
  const condition = resolveFilter(filter, { kind, visible: checkedFields(kind) });
  if (testsOf(condition).some(hasMoment)) throw withoutPrefixes();
  const fields = testedFields(condition);
  if (fields.length === 0) throw refusal('filter.syntax', 'it names no parameter');
  return { ...check, condition, fields };
}

/** The parameters that a check may name: what no filter can test, no check can. */
function checkedFields({ parameters, fields }: KindDef): ReadonlyMap<string, Field> {
  const own = parameters.flatMap((id) => fields.get(id) ?? []);
  return new Map(
    own.filter(({ column, def }) => column !== undefined && !def.hidden).map((field) => [field.id, field]),
  );
}

/** Quoted values are times relative to the present too. */
function hasMoment(test: PredicateTest): boolean {
  const values: readonly unknown[] = 'values' in test ? test.values : 'value' in test ? [test.value].flat() : [];
  return values.some((value) => value instanceof Moment);
}

/** @throws KindError 400 for what a constraint of one row cannot test */
function mustBePlain(filter: Filter): void {
  const [related] = relatedOf(filter);
  const tests = filterTests(filter);
  if (related || tests.some(({ op }) => op === 'near')) {
    throw refusal(
      'filter.unknown_operator',
      'a check compares parameters with values and with each other, without functions',
    );
  }
  const operands = tests.flatMap(filterOperands);
  if (operands.some(({ member, before }) => member ?? before)) throw withoutPrefixes();
  const path = operands.find(({ segments }) => segments.length > 1);
  if (path)
    throw refusal('filter.syntax', `a check names parameters of the unit itself, not '${path.segments.join('.')}'`);
  const values = tests.flatMap(testValues);
  if (values.some((value) => value.type !== 'quoted' && !('text' in value && !value.text.startsWith('@')))) {
    throw withoutPrefixes();
  }
}

function withoutPrefixes(): KindError {
  return refusal('filter.bad_value', "a check has no '@…', because its result depends on the unit alone");
}

const KEYS = ['id', 'filter', 'text'];

/** Adds a fault for each entry of `checks` in the body of a kind that is none. */
export function checkCheckShape(value: Json | undefined, faults: Faults): void {
  if (value === undefined || value === null) return;
  const bad = (text: string) => faults.add('kind.bad_definition', `checks${text}`, { parameter: 'checks' });
  if (!Array.isArray(value)) return void bad(`: must be a list of checks, got ${typeName(value)}`);
  const checks = value as Json[];
  if (checks.length > LIMITS.checksPerKind) return void bad(`: at most ${LIMITS.checksPerKind}, got ${checks.length}`);
  const ids = new Set<unknown>();
  for (const [at, check] of checks.entries()) {
    if (!isPlainObject(check)) {
      bad(`[${at}]: must be an object with id, filter and text, got ${typeName(check)}`);
      continue;
    }
    const { id, filter, text } = check;
    for (const key of Object.keys(check))
      if (!KEYS.includes(key)) bad(`[${at}].${key}: a check has id, filter and text`);
    if (!isIdentifier(id)) bad(`[${at}].id: must be ${IDENTIFIER_HINT}`);
    else if (ids.has(id)) bad(`[${at}].id: '${id}' is there twice`);
    ids.add(id);
    if (typeof filter !== 'string') bad(`[${at}].filter: must be a filter, as lte_field(starts,ends)`);
    const isText = typeof text === 'string' && text.trim() !== '' && text.length <= LIMITS.checkTextLength;
    if (!isText) bad(`[${at}].text: must be a text of at most ${LIMITS.checkTextLength} characters`);
  }
}

/**
 * Adds a fault for each check of a written kind whose filter cannot be one. One that was there before, and that has lost
 * a parameter, is a conflict.
 */
export function checkKindChecks(kind: KindDef, before: KindDef | undefined, faults: Faults): void {
  if (kind.builtIn || kind.checks.length === 0 || isUnchanged(kind, before)) return;
  if (!kind.storage.hasTable) {
    return void faults.add('kind.bad_definition', 'checks: a remote kind has none', { parameter: 'checks' });
  }
  const conditions: Predicate[] = [];
  for (const [at, check] of kind.checks.entries()) {
    const lost = before && lostParameters(check, before, kind);
    if (lost && lost.length > 0) {
      const text = `'${lost.join("', '")}' is named by the check '${check.id}' of '${kind.id}'; ?cascade=true takes the check too`;
      faults.add('parameter.in_check', text, { parameter: lost[0] ?? '', check: check.id });
      continue;
    }
    try {
      conditions.push(resolveCheck(kind, check).condition);
    } catch (error) {
      if (!(error instanceof KindError)) throw error;
      const [{ text }] = error.messages;
      faults.add('kind.bad_definition', `checks[${at}].filter: ${text}`, { parameter: 'checks', check: check.id });
    }
  }
  const tests = conditions.flatMap(testsOf).length;
  const former = before ? resolvedChecks(before).flatMap(({ condition }) => testsOf(condition)).length : 0;
  // Each process of PostgreSQL keeps the checks of the tables that it writes to.
  if (tests <= Math.max(former, LIMITS.checkTests)) return;
  const text = `checks: at most ${LIMITS.checkTests} tests in all of them, got ${tests}`;
  faults.add('kind.bad_definition', text, { parameter: 'checks' });
}

/** The parameters of a check that the kind had before and that a check cannot name any more. */
function lostParameters({ filter }: KindCheck, before: KindDef, kind: KindDef): readonly string[] {
  const known = resolvedChecks(before).find((check) => check.filter === filter);
  const kept = checkedFields(kind);
  return (known?.fields ?? []).map(({ id }) => id).filter((id) => !kept.has(id));
}

/** The checks that are left of each kind that has one which a change has taken a parameter of. */
export function remainingChecks(before: Model, after: Model): ReadonlyMap<string, readonly KindCheck[]> {
  const changed = [...after.kinds.values()].flatMap((kind): [string, readonly KindCheck[]][] => {
    const old = before.kinds.get(kind.id);
    if (!old || kind.checks.length === 0 || isUnchanged(kind, old)) return [];
    const left = kind.checks.filter((check) => lostParameters(check, old, kind).length === 0);
    return left.length < kind.checks.length ? [[kind.id, left]] : [];
  });
  return new Map(changed);
}

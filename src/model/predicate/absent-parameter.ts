/**
 * Queries over several kinds: a parameter that some of the kinds lack counts as null in their units. Its name resolves
 * for all of them, and tests of it where it is absent are replaced by their result before SQL is rendered. Pure.
 */
import { LayeredMap } from '../../shared/maps.js';
import type { Field } from '../model.js';
import { plainField } from './conditional-field.js';
import { refuseMixed, yieldingFields, type NamedFields } from './mixed-names.js';
import {
  mapTests,
  operandsOf,
  sourcesOf,
  type FieldTest,
  type Predicate,
  type Target,
  type Visible,
} from './predicate.js';

/** Null fields that stand for parameters which a kind lacks. */
export type Absent = ReadonlySet<Field>;

/** The names in a query over several kinds. */
export interface NamesInQuery {
  /** Those of parameters. */
  readonly used: ReadonlySet<string>;
  /** Those of them whose values the query tests, orders or adds up, and does not only show. */
  readonly tested: ReadonlySet<string>;
  /** Those that the query gives to terms of its answer, which no parameter may have. */
  readonly given: ReadonlySet<string>;
}

/**
 * Returns a function that gives one of the kinds the names of all of them, and the absent fields among these.
 * @param names the only names that are needed; undefined for all
 * @throws KindError 400 if one that is tested is of different types
 */
export function sharedNames(
  given: readonly NamedFields[],
  names: NamesInQuery | undefined,
): (own: Visible) => { visible: Visible; absent: Absent } {
  const yielding = yieldingFields(given, names?.tested);
  const without = (visible: Visible): Visible => withoutFields(visible, yielding);
  const namedFields = yielding.size === 0 ? given : given.map((each) => ({ ...each, visible: without(each.visible) }));
  refuseMixed(names?.tested ?? [], namedFields);
  const kinds = namedFields.map(({ visible }) => visible);
  const known = knownFields(kinds, names);
  const ids = new Set(kinds.map((visible) => visible.get('id')?.columnType));
  const nulls = [...known].map(([id, field]): [string, Field] => {
    return [id, { ...plainField(field), column: undefined, constant: null }];
  });
  const [below, absent] = [new Map(nulls), new Set(nulls.map(([, field]) => field))];
  return (given) => {
    const own = without(given);
    const visible = ids.size > 1 ? withAnyId(own) : own;
    const hasAll = kinds.length === 1 || [...below.keys()].every((id) => visible.has(id));
    return hasAll ? { visible, absent: new Set() } : { visible: new LayeredMap(visible, below), absent };
  };
}

function withoutFields(visible: Visible, fields: ReadonlySet<Field>): Visible {
  const has = [...fields].some((field) => visible.get(field.id) === field);
  return has ? new Map([...visible].filter(([, field]) => !fields.has(field))) : visible;
}

/** The fields of these names; all of them if one is unknown, because the message suggests the nearest one. */
function knownFields(kinds: readonly Visible[], names: NamesInQuery | undefined): ReadonlyMap<string, Field> {
  const known = new Map<string, Field>();
  const isKnown = (id: string): boolean => {
    const field = kinds.find((visible) => visible.has(id))?.get(id);
    if (field) known.set(id, field);
    return field !== undefined;
  };
  if (names) {
    for (const id of names.given) isKnown(id);
    if ([...names.used].every(isKnown)) return known;
  }
  for (const visible of kinds) for (const [id, field] of visible) if (!known.has(id)) known.set(id, field);
  return known;
}

/** The value of a text that cannot be the id of a unit of the kind. */
const NO_SUCH_ID = { nowhere: true };

/** For kinds with ids of different types: a text that is no id of this kind is not refused, but matches no unit. */
function withAnyId(visible: Visible): Visible {
  const id = visible.get('id');
  if (!id) return visible;
  const { type } = id;
  const lenient: Field = { ...id, type: { ...type, read: (text) => type.read(text) ?? NO_SUCH_ID } };
  return new Map([...visible, ['id', lenient]]);
}

/** Whether a target is a parameter that the kind lacks, is reached over one, or is computed of one. */
export function isAbsent(target: Target, absent: Absent): boolean {
  return sourcesOf(target).some(({ field, through }) => absent.has(through?.[0]?.reference ?? field));
}

/** Replaces every test of an absent parameter by its result for null. */
export function resolveAbsent(predicate: Predicate, absent: Absent): Predicate {
  return mapTests(predicate, (test) => {
    if (!('target' in test)) return test;
    if (operandsOf(test).some((target) => !target.counted && isAbsent(target, absent)))
      return { op: 'constant', value: passesNull(test) };
    switch (test.op) {
      case 'in':
        return { ...test, values: test.values.filter((value) => value !== NO_SUCH_ID) };
      case 'is':
      case 'order':
        return test.value === NO_SUCH_ID ? { op: 'constant', value: passesNull(test) } : test;
      case 'isnull':
      case 'json':
      case 'element':
      case 'member':
      case 'like':
      case 'pair':
      case 'near':
      case 'similar':
        return test;
    }
  });
}

/** The result of a test for null, the same as that of the rendered SQL. It is never null, so `not` inverts it. */
function passesNull(test: FieldTest): boolean {
  switch (test.op) {
    case 'isnull':
      return test.value;
    case 'is':
      return test.negated;
    case 'member':
      return test.test === 'ne';
    case 'in':
    case 'json':
    case 'order':
    case 'element':
    case 'like':
    case 'pair':
    case 'near':
    case 'similar':
      return false;
  }
}

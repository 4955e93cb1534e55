/** The related units in predicates: in tests of their existence, and in tests of their number. Pure. */
import { getOrInsert } from '../../shared/maps.js';
import type { Field } from '../model.js';
import {
  fieldTests,
  isMemberValue,
  mapTests,
  Moment,
  testsOf,
  operandsOf,
  sourcesOf,
  type FieldTest,
  type Predicate,
  type Related,
  type RelatedKind,
  type Target,
  UNBOUND_MEMBER,
} from './predicate.js';

/** The related units that a predicate tests, counts or sums, without those inside of them. */
export function relatedIn(predicate: Predicate): Related[] {
  const counted = fieldTests(predicate)
    .flatMap(operandsOf)
    .flatMap((target) => target.counted ?? []);
  const tested = testsOf(predicate).flatMap((test) => (test.op === 'exists' ? [test.related] : []));
  return [...tested, ...counted];
}

/** The functions over related units in what is summed of related units. */
export function relatedInSum({ summed }: Related): Related[] {
  return summed ? sourcesOf(summed).flatMap(({ counted }) => counted ?? []) : [];
}

/** The filters of related units, and of the links to them. */
export function filtersOf({ via, kinds }: Related): Predicate[] {
  return [...(via.type === 'link' ? [via.where] : []), ...kinds.map(({ filter }) => filter)].flatMap(
    (filter) => filter ?? [],
  );
}

/**
 * Replaces the filters of related units and their links, on all levels, by the results of `replace`, and so what the
 * caller may read of them, which is a part of rules with `referred` alone.
 */
export function mapRelated(predicate: Predicate, replace: (filter: Predicate) => Predicate): Predicate {
  return mapTests(predicate, (test) => {
    if (test.op === 'exists') return { op: 'exists', related: mapped(test.related, replace) };
    return 'target' in test ? withCounted(test, replace) : test;
  });
}

function withCounted(test: FieldTest, replace: (filter: Predicate) => Predicate): Predicate {
  if (operandsOf(test).every(({ counted }) => !counted)) return test;
  const target = mappedTarget(test.target, replace);
  return 'other' in test ? { ...test, target, other: mappedTarget(test.other, replace) } : { ...test, target };
}

function mappedTarget(target: Target, replace: (filter: Predicate) => Predicate): Target {
  const { counted, computed } = target;
  if (counted) return { ...target, counted: mapped(counted, replace) };
  if (!computed) return target;
  const operands = computed.operands.map((each) => (typeof each === 'string' ? each : mappedTarget(each, replace)));
  return { ...target, computed: { ...computed, operands } };
}

function mapped(related: Related, replace: (filter: Predicate) => Predicate): Related {
  const kinds = related.kinds.map((each): RelatedKind => {
    const [access, filter] = [each.access, each.filter].map((part) => part && mapRelated(replace(part), replace));
    return access === each.access && filter === each.filter ? each : { ...each, access, filter };
  });
  const { via, summed } = related;
  if (summed) return { ...related, kinds, summed: mappedTarget(summed, replace) };
  if (via.type !== 'link' || !via.where) return { ...related, kinds };
  return { ...related, kinds, via: { ...via, where: replace(via.where) } };
}

/** The result of a predicate that is the same for all units; undefined if it may differ. */
export function constantResult(predicate: Predicate): boolean | undefined {
  switch (predicate.op) {
    case 'constant':
      return predicate.value;
    case 'exists':
      return predicate.related.kinds.length === 0 ? false : undefined;
    case 'not': {
      const result = constantResult(predicate.part);
      return result === undefined ? undefined : !result;
    }
    case 'and':
    case 'or': {
      const results = predicate.parts.map(constantResult);
      const decisive = predicate.op === 'or';
      if (results.includes(decisive)) return decisive;
      return results.includes(undefined) ? undefined : !decisive;
    }
    default:
      return undefined;
  }
}

/** Binds the predicate of a rule to one member. */
export function bindMember(predicate: Predicate, memberId: string): Predicate {
  const bind = (part: Predicate): Predicate =>
    mapTests(part, (test) => {
      switch (test.op) {
        case 'present':
          return { op: 'present', value: { ...test.value, memberId } };
        case 'member':
          return {
            ...test,
            values: test.values.map((value) => (isMemberValue(value) ? { ...value, memberId } : value)),
          };
        case 'exists':
          return { op: 'exists', related: withMember(test.related, memberId) };
        case 'is':
          return test.value === UNBOUND_MEMBER ? { ...test, value: memberId } : test;
        case 'constant':
        case 'isnull':
        case 'in':
        case 'json':
        case 'order':
        case 'element':
        case 'like':
        case 'pair':
        case 'near':
        case 'similar':
        case 'search':
          return test;
      }
    });
  return mapRelated(bind(predicate), bind);
}

const ofInput = new WeakMap<Predicate, Predicate>();

/** The predicate for an INSERT, whose times are relative to the column `_now` of its rows: Citus can't have now() there. */
export function withTimeOfInput(predicate: Predicate): Predicate {
  return getOrInsert(ofInput, predicate, () => {
    const change = (value: unknown) => (value instanceof Moment ? new Moment(value.seconds, true) : value);
    const map = (part: Predicate): Predicate =>
      mapTests(part, (test) => {
        if ('values' in test) return { ...test, values: test.values.map(change) } as Predicate;
        if (!('value' in test)) return test;
        const value: unknown = test.value;
        return { ...test, value: Array.isArray(value) ? value.map(change) : change(value) } as Predicate;
      });
    return mapRelated(map(predicate), map);
  });
}

/** Whether a predicate compares with a time that depends on when it is asked. */
export function hasMoment(predicate: Predicate): boolean {
  const isMoment = (value: unknown): boolean =>
    value instanceof Moment || (Array.isArray(value) && value.some(isMoment));
  return (
    testsOf(predicate).some(
      (test) => ('values' in test && isMoment(test.values)) || ('value' in test && isMoment(test.value)),
    ) || relatedIn(predicate).some(({ kinds }) => kinds.some(({ filter }) => filter !== undefined && hasMoment(filter)))
  );
}

function withMember(related: Related, memberId: string): Related {
  return related.via.type === 'member' ? { ...related, via: { type: 'member', memberId } } : related;
}

/**
 * The stored fields of the unit itself that a predicate tests or follows as references, each once; its key where related
 * units are tested.
 */
export function testedFields(predicate: Predicate): Field[] {
  const fields = fieldTests(predicate)
    .flatMap(operandsOf)
    .filter(({ ofLink }) => !ofLink)
    .map((target) => target.through?.[0]?.reference ?? target.field);
  const keys = relatedIn(predicate).flatMap(({ via, of }) => (via.type === 'member' ? [] : [of.keyField]));
  const deciding = fields.flatMap(({ shownWhere }) => {
    return typeof shownWhere === 'object' ? [shownWhere.flag, shownWhere.level] : [];
  });
  return [...new Set([...fields, ...deciding, ...keys].filter(({ column }) => column !== undefined))];
}

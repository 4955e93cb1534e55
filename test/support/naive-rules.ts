/**
 * The meaning of access rules, implemented a second time as simply as possible: over records in memory, as in
 * `naive-filter.ts`.
 */
import type { Comparison, Filter, ValueList, Path, Value } from '../../src/filter/filter.ast.js';
import { matches, type Json, type NaiveKind, type UnitRecord } from './naive-filter.js';

export type NaiveAccess = 'anyone' | 'member' | 'admin' | 'nobody' | readonly Filter[];

/** Who asks: a member has the values that its kind has, null where it has none. */
export interface NaiveCaller {
  readonly admin?: boolean;
  /** Undefined without a token. */
  readonly member?: Readonly<Record<string, Json>>;
}

/**
 * Whether somebody may do with a unit what an access is for. The kind is public: rules are asked without a token too.
 * @param before the unit as it is stored, if an edit is judged
 */
export function may(
  access: NaiveAccess,
  caller: NaiveCaller,
  unit: UnitRecord,
  kind: NaiveKind,
  before: UnitRecord = unit,
): boolean {
  if (access === 'nobody') return false;
  if (caller.admin === true || access === 'anyone') return true;
  if (access === 'admin') return false;
  if (access === 'member') return caller.member !== undefined;
  return access.some((rule) => holds(withoutBefore(rule, before, kind), caller, unit, kind));
}

/** The rule with the values of before in the place of their names, and the result in that of a test of one. */
function withoutBefore(rule: Filter, before: UnitRecord, kind: NaiveKind): Filter {
  switch (rule.op) {
    case 'and':
    case 'or':
      return { ...rule, filters: rule.filters.map((part) => withoutBefore(part, before, kind)) };
    case 'not':
      return { ...rule, filter: withoutBefore(rule.filter, before, kind) };
    case 'all':
    case 'exists':
      return rule;
    case 'in':
    case 'eq':
    case 'ne':
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte': {
      if (rule.path.before)
        return constant(matches({ ...rule, path: { segments: rule.path.segments, at: 0 } }, before, kind));
      const values = itemsOf(rule.value).map((value): Value | null => {
        if (value.type !== 'before') return value;
        const stored = before[value.path.segments.join('.')] ?? null;
        return stored === null ? null : { type: 'quoted', text: JSON.stringify(stored).replace(/^"|"$/g, ''), at: 0 };
      });
      if (rule.op === 'in') {
        const each = values.map((value) => comparedWith({ ...rule, op: 'eq' }, value));
        return { op: 'or', filters: each, at: 0 };
      }
      return rule.value.type === 'list' ? rule : comparedWith(rule, values[0] ?? null);
    }
    default:
      return rule.path.before
        ? constant(matches({ ...rule, path: { segments: rule.path.segments, at: 0 } }, before, kind))
        : rule;
  }
}

function constant(value: boolean): Filter {
  return value ? { op: 'all', at: 0 } : { op: 'not', filter: { op: 'all', at: 0 }, at: 0 };
}

/** Of a null of before, only whether the other one is null is known. */
function comparedWith({ op, path }: { op: Comparison['op']; path: Path }, value: Value | null): Filter {
  if (value !== null) return { op, path, value, at: 0 };
  if (op !== 'eq' && op !== 'ne') return constant(false);
  return { op: 'isnull', path, value: op === 'eq', at: 0 };
}

/** A rule in which a value of the member is absent is false, whatever stands around it. */
function holds(rule: Filter, { member }: NaiveCaller, unit: UnitRecord, kind: NaiveKind): boolean {
  for (const name of namesIn(rule)) {
    const value = member?.[name] ?? null;
    if (value === null || (Array.isArray(value) && value.length === 0)) return false;
  }
  return matches(filled(rule, member ?? {}), unit, kind);
}

export function namesIn(rule: Filter): string[] {
  switch (rule.op) {
    case 'and':
    case 'or':
      return rule.filters.flatMap(namesIn);
    case 'not':
      return namesIn(rule.filter);
    case 'all':
    case 'isnull':
    case 'exists':
    case 'near':
    case 'eq_field':
    case 'ne_field':
    case 'lt_field':
    case 'lte_field':
    case 'gt_field':
    case 'gte_field':
      return [];
    default:
      return itemsOf(rule.value).flatMap((value) => (value.type === 'member' ? [value.name] : []));
  }
}

type Member = Readonly<Record<string, Json>>;

function itemsOf(value: Value | ValueList): readonly Value[] {
  return value.type === 'list' ? value.items : [value];
}

/** The rule with the member's values in the place of their names, and paths over references as names of their own. */
function filled(rule: Filter, member: Member): Filter {
  switch (rule.op) {
    case 'and':
    case 'or':
      return { ...rule, filters: rule.filters.map((part) => filled(part, member)) };
    case 'not':
      return { ...rule, filter: filled(rule.filter, member) };
    case 'all':
    case 'exists':
      return rule;
    case 'near':
    case 'eq_field':
    case 'ne_field':
    case 'lt_field':
    case 'lte_field':
    case 'gt_field':
    case 'gte_field':
      return { ...rule, path: flat(rule.path), other: flat(rule.other) };
    case 'isnull':
    case 'similar':
      return { ...rule, path: flat(rule.path) };
    case 'in':
      return { ...rule, path: flat(rule.path), value: listOf(rule.value, member) };
    default: {
      const { value } = rule;
      const test = { ...rule, path: flat(rule.path) };
      const list = listOf(value, member);
      const several = value.type === 'list' || (value.type === 'member' && Array.isArray(member[value.name]));
      // A list contains another one where it has every element of it.
      if (several && rule.op === 'contains') {
        return { op: 'and', filters: list.items.map((item): Filter => ({ ...test, value: item })), at: 0 };
      }
      return { ...test, value: several ? list : (list.items[0] ?? list) };
    }
  }
}

function flat({ segments, at }: Path): Path {
  return { segments: [segments.join('.')], at };
}

function listOf(value: Value | ValueList, member: Member): ValueList {
  const texts = itemsOf(value).flatMap((item) =>
    item.type === 'member' ? [member[item.name] ?? []].flat() : 'text' in item ? [item.text] : [],
  );
  return { type: 'list', items: texts.map((text) => ({ type: 'quoted', text: String(text as string), at: 0 })), at: 0 };
}

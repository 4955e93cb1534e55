/**
 * The meaning of access rules, implemented a second time as simply as possible: over records in memory, as in
 * `naive-filter.ts`.
 */
import type { Filter, ValueList, MemberRef, Path, Scalar } from '../../src/filter/filter.ast.js';
import { matches, type Json, type NaiveKind, type UnitRecord } from './naive-filter.js';

export type NaiveAccess = 'anyone' | 'member' | 'admin' | 'nobody' | readonly Filter[];

/** Who asks: a member has the values that its kind has, null where it has none. */
export interface NaiveCaller {
  readonly admin?: boolean;
  /** Undefined without a token. */
  readonly member?: Readonly<Record<string, Json>>;
}

/** Whether somebody may do with a unit what an access is for. The kind is public: rules are asked without a token too. */
export function may(access: NaiveAccess, caller: NaiveCaller, unit: UnitRecord, kind: NaiveKind): boolean {
  if (access === 'nobody') return false;
  if (caller.admin === true || access === 'anyone') return true;
  if (access === 'admin') return false;
  if (access === 'member') return caller.member !== undefined;
  return access.some((rule) => holds(rule, caller, unit, kind));
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

function itemsOf(value: Scalar | MemberRef | ValueList): readonly (Scalar | MemberRef)[] {
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

function listOf(value: Scalar | MemberRef | ValueList, member: Member): ValueList {
  const texts = itemsOf(value).flatMap((item) =>
    item.type === 'member' ? [member[item.name] ?? []].flat() : [item.text],
  );
  return { type: 'list', items: texts.map((text) => ({ type: 'quoted', text: String(text as string), at: 0 })), at: 0 };
}

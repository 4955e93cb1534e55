/**
 * A query in words, without any value: operation, kinds, parameters, operators and order. Queries that differ only in
 * their values have the same shape. Pure.
 */
import { conjunction, type Predicate, type Related, type Target } from '../../model/predicate/predicate.js';
import { filtersOf } from '../../model/predicate/related.js';
import type { AggregatePlan } from '../../sql/aggregate/aggregate-plan.js';
import { targetsOfOrder } from '../../sql/list/order.sql.js';
import type { ListPlan, OrderTerm } from '../../sql/list/select.sql.js';
import type { ShortestPathPlan } from '../../sql/walk/shortest-path.sql.js';
import type { UnionPlan } from '../../sql/list/union.sql.js';
import type { WalkPlan } from '../../sql/walk/walk.sql.js';

/** The most characters of a shape. */
const MAX_LENGTH = 300;
/** Kinds of a group that are named. */
const NAMED_KINDS = 3;

export function listShape({ kind, filter, access, order, cursor, limit }: ListPlan): string {
  const how = limit === 0 ? 'count of' : cursor ? 'pages of' : 'list of';
  return bounded(`${how} ${kind.id}${whereText(filter, access)}${orderText(order)}`);
}

export function unionShape({ parts }: UnionPlan): string {
  const [first] = parts;
  return bounded(
    `list of ${kindsText(parts)}${whereText(first?.filter, first?.access)}${orderText(first?.order ?? [])}`,
  );
}

export function aggregateShape({ sources, columns }: AggregatePlan): string {
  const [first] = sources;
  const groups = columns.flatMap(({ role }, at) => {
    const target = first?.inputs[at]?.target;
    return role === 'value' || !target ? [] : [pathText(target)];
  });
  const by = groups.length > 0 ? ` by ${groups.join(', ')}` : '';
  return bounded(`aggregation of ${kindsText(sources)}${whereText(first?.filter, first?.access)}${by}`);
}

export function walkShape({ start, direction, depth, shown, linkFilter }: WalkPlan): string {
  const filter = conjunction(linkFilter, shown.find((part) => part.filter)?.filter);
  return bounded(`${direction} links of ${start.kind.id} to depth ${depth}${whereText(filter, undefined)}`);
}

export function shortestPathShape({ start, target, direction, depth }: ShortestPathPlan): string {
  return bounded(`${direction} path of ${start.kind.id} to ${target.kind.id} to depth ${depth}`);
}

function bounded(shape: string): string {
  return shape.length > MAX_LENGTH ? `${shape.slice(0, MAX_LENGTH - 1)}…` : shape;
}

function kindsText(parts: readonly Pick<ListPlan, 'kind'>[]): string {
  const named = parts.slice(0, NAMED_KINDS).map(({ kind }) => kind.id);
  return parts.length > NAMED_KINDS ? `${named.join(', ')} and ${parts.length - NAMED_KINDS} more` : named.join(', ');
}

function whereText(filter: Predicate | undefined, access: Predicate | undefined): string {
  return `${filter ? ` where ${filterText(filter)}` : ''}${access ? ' under a rule' : ''}`;
}

/** The order of a list; its last term is the id, which is not named. */
function orderText(order: readonly (OrderTerm | undefined)[]): string {
  if (order.length < 2) return '';
  const terms = order.slice(0, -1).flatMap((term) => (term ? [orderTermText(term)] : []));
  return ` by ${terms.join(', ')}`;
}

function orderTermText({ value, descending }: OrderTerm): string {
  const text = value.type === 'rank' ? 'rank' : targetsOfOrder(value).map(pathText).join(' and ');
  return descending ? `${text} descending` : text;
}

function filterText(filter: Predicate): string {
  switch (filter.op) {
    case 'and':
    case 'or':
      // Tests that differ only in their values are named once, so that their number makes no other shape.
      return `${filter.op}(${[...new Set(filter.parts.map(filterText))].join(',')})`;
    case 'not':
      return `not(${filterText(filter.part)})`;
    case 'constant':
    case 'present':
    case 'search':
      return filter.op;
    case 'is':
      return `${filter.negated ? 'ne' : 'eq'}(${pathText(filter.target)})`;
    case 'order':
      return `${filter.than}(${pathText(filter.target)})`;
    case 'like':
      return `${filter.fold ? 'i' : ''}${LIKE_NAMES[filter.place]}(${pathText(filter.target)})`;
    case 'member':
      return `${filter.test}(${pathText(filter.target)})`;
    case 'json':
      return `eq(${pathText(filter.target)})`;
    case 'element':
      return `contains(${pathText(filter.target)})`;
    case 'pair':
      return `${filter.test}_field(${pathText(filter.target)},${pathText(filter.other)})`;
    case 'near':
      return `near(${pathText(filter.target)},${pathText(filter.other)})`;
    case 'exists':
      return `exists(${relatedText(filter.related)})`;
    case 'in':
    case 'isnull':
      return `${filter.op}(${pathText(filter.target)})`;
  }
}

const LIKE_NAMES = { within: 'contains', start: 'startswith', end: 'endswith' } as const;

/** Keys inside JSON are data of the client, and not named. */
function pathText({ through, field, keys, counted, ofLink }: Target): string {
  const steps = ofLink ? 'link.' : (through?.map(({ reference }) => `${reference.id}.`).join('') ?? '');
  if (counted) return `${steps}count(${relatedText(counted)})`;
  return `${steps}${field.id}${keys.length > 0 ? '.*' : ''}`;
}

function wayText(via: Related['via']): string {
  switch (via.type) {
    case 'reference':
      return via.field.id;
    case 'link':
      return `${via.link} ${via.direction}`;
    case 'member':
      return '@member';
  }
}

function relatedText(related: Related): string {
  const { via, kinds } = related;
  const way = wayText(via);
  const [first, second] = filtersOf({ ...related, kinds: kinds.slice(0, 1) });
  return `${kindsText(kinds)} by ${way}${whereText(conjunction(first, second), undefined)}`;
}

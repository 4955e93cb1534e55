/** Plans one query over several kinds. Pure. */
import { ALL_FIELDS, type ListQuery } from '../../filter/queries.js';
import { type OrderBy, printOrderValue } from '../../filter/order.js';
import { resolveAbsent, isAbsent, sharedNames } from '../../model/predicate/absent-parameter.js';
import type { Field, KindDef } from '../../model/model.js';
import { conjunction, selective, type Target } from '../../model/predicate/predicate.js';
import { namesOfKinds, type LinkNames } from '../../model/predicate/path.js';
import { resolveFilter } from '../../model/predicate/resolve-filter.js';
import { Faults, refusal } from '../../shared/errors.js';
import { shortened } from '../../shared/texts.js';
import type { KindPart, SharedTerm } from '../../sql/list/union.sql.js';
import { testsOfRights } from '../../sql/list/unit-rights.sql.js';
import { orderedField, orderedType, targetsOfOrder, type OrderTerm } from '../../sql/list/order.sql.js';
import { checkLookups, checkRelated, checkRelatedPage, LeastSize, orderTargets, shownTargets } from './query-limits.js';
import { namesInQuery } from './paths-in-query.js';
import { planSearch, searchCondition } from './search.plan.js';
import { planAnswer } from './answer.plan.js';
import { collectFaults } from '../../shared/collect-faults.js';
import type { PlanContext } from './list.plan.js';
import { orderTerm } from './order.plan.js';

export interface UnionParts {
  readonly parts: readonly KindPart[];
  readonly order: readonly SharedTerm[];
}

const KIND = 'kind_id';

export type PartsQuery = Pick<ListQuery, 'filter' | 'search' | 'order' | 'include' | 'exclude' | 'nest' | 'limit'>;

/** Adds `kind_id` to the fields: it is needed to find the hidden parameters of a unit. */
export function includingKind<Q extends PartsQuery>(query: Q): Q {
  const { include, exclude } = query;
  if (include) return { ...query, include: [...include, KIND] };
  return exclude ? { ...query, exclude: exclude.filter((name) => name !== KIND) } : query;
}

export function showsKind({ include, exclude }: Pick<PartsQuery, 'include' | 'exclude'>): boolean {
  return include ? include.includes(KIND) || include.includes(ALL_FIELDS) : !exclude?.includes(KIND);
}

interface PartsOptions {
  /** The names that may follow `link.` in filter and order. */
  readonly link?: LinkNames | undefined;
  /** The kinds that the statement reads; undefined for all. The others only validate the query. */
  readonly read?: ReadonlySet<KindDef>;
}

/** @throws KindError 400 for a name that none of the kinds has, and for an order by parameters of different types */
export function planParts(
  query: PartsQuery,
  contexts: readonly PlanContext[],
  { link, read }: PartsOptions = {},
): UnionParts {
  checkRelated(query);
  const size = new LeastSize();
  const namesOf = sharedNames(contexts, namesInQuery(query));
  const included = new Set(query.include);
  const searchOf = planSearch(query.search, contexts);
  const parts = contexts.map((context): KindPart => {
    const { visible, absent } = namesOf(context.visible);
    const search = searchOf(context);
    const known: PlanContext = { ...context, visible, own: context.visible, ...namesOfKinds(contexts), search };
    const tested: PlanContext = { ...known, link };
    const faults = new Faults();
    const attempt = <T>(work: () => T, otherwise: T): T => collectFaults(faults, work, otherwise);
    const order = query.order.map((term) => attempt(() => orderTerm(term, tested), undefined));
    const filter = attempt(() => selective(query.filter && resolveFilter(query.filter, tested)), undefined);
    const answer = attempt(() => planAnswer(query, query.include || query.exclude ? known : context), { fields: [] });
    const terms = order.flatMap((term) => term ?? []);
    attempt(() => checkLookups(filter, [...orderTargets(terms), ...shownTargets(answer)], answer.related), undefined);
    attempt(() => checkRelatedPage(query, answer), undefined);
    faults.throwIfAny();
    const has = (target: Target) => !isAbsent(target, absent);
    // A parameter in `include` is in every unit, null where the kind lacks it. Otherwise a unit has the parameters of
    // its kind.
    const paths = (answer.paths ?? []).map((path) => (has(path.target) ? path : { ...path, lacking: true as const }));
    const isNamed = ({ id }: Field) => included.has(id);
    const fields = answer.fields.filter((field) => !absent.has(field) || isNamed(field));
    const { schema, kind, access } = context;
    const resolved = conjunction(filter && resolveAbsent(filter, absent), searchCondition(search));
    if (!read || read.has(kind))
      size.add({
        predicates: [access, resolved, ...(answer.can ? testsOfRights(answer.can) : [])],
        values: fields.length + paths.length,
      });
    const { related, can } = answer;
    const snippets = answer.snippets?.map((each) =>
      absent.has(each.field) ? { ...each, lacking: true as const } : each,
    );
    return {
      kind,
      access,
      read: {
        schema,
        kind,
        access,
        fields,
        ...(paths.length > 0 && { paths, nest: query.nest }),
        ...(related && { related }),
        ...(snippets && { snippets }),
        ...(can && { can }),
      },
      filter: resolved,
      order: order.map((term) => (term && targetsOfOrder(term.value).every(has) ? term : undefined)),
    };
  });
  const order = query.order.map((by, at) => {
    return sharedTerm(
      by,
      parts.flatMap((part) => part.order[at] ?? []),
    );
  });
  return { parts, order };
}

/** Combines the order terms of all kinds. They must have one type; ids of different types are ordered as texts. */
function sharedTerm({ value, ...direction }: OrderBy, terms: readonly OrderTerm[]): SharedTerm {
  const types = new Set(terms.map((term) => orderedType(term.value)));
  const [type = 'text', ...others] = types;
  if (others.length === 0) return { type, ...direction, ids: false };
  if (terms.every(isId)) return { type, ...direction, ids: true };
  throw refusal(
    'query.bad_value',
    `order: '${shortened(printOrderValue(value))}' is of different types in these kinds`,
    {
      parameter: 'order',
    },
  );
}

function isId(term: OrderTerm): boolean {
  const target = orderedField(term);
  return target !== undefined && !target.through && target.field.id === 'id';
}

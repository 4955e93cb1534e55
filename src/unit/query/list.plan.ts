/** Plans a query for a caller: resolves names to fields, and texts to values. Pure. */
import { readableFields } from '../../access/masks.js';
import { referenceAccess } from '../../access/reference-access.js';
import type { Path } from '../../filter/filter.ast.js';
import { parsePath } from '../../filter/filter.parser.js';
import { printPath } from '../../filter/filter.printer.js';
import { ALL_FIELDS, type ListQuery } from '../../filter/list-query.js';
import type { OrderBy } from '../../filter/order.ast.js';
import type { Parsed } from '../../http/route/parse-list-query.js';
import type { QueryName } from '../../http/route/query-names.js';
import { Faults, KindError, refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { Field, KindDef } from '../../model/model.js';
import { kindsText, segmentsOf, type Names, type Reach } from '../../model/predicate/path.js';
import {
  conjunction,
  everyField,
  followsReferences,
  type Predicate,
  type Target,
} from '../../model/predicate/predicate.js';
import { relatedIn } from '../../model/predicate/related.js';
import { resolvePlace } from '../../model/predicate/resolve-pair.js';
import { resolveFilter, resolveOperand } from '../../model/predicate/resolve-filter.js';
import {
  hasStoredCount,
  type CountedRows,
  type ListPlan,
  type ReadPlan,
  type ShownPath,
} from '../../sql/select.sql.js';
import { orderedField, type OrderTerm } from '../../sql/order.sql.js';
import { isRelatedTerm } from '../../filter/include.parser.js';
import { isSnippetTerm } from '../../filter/snippet.parser.js';
import { planCursor } from './cursor.js';
import { checkLookups, checkRelated, checkRelatedPage, orderTargets, shownTargets } from './lookup-limit.js';
import { planRelated } from './related.plan.js';
import { planSearch, planSnippets, searchCondition } from './search.plan.js';
import type { Session } from '../session/session.js';

/**
 * `visible` are the fields that the caller may read, `reach` the references that it may follow; none without `reach`.
 */
export interface PlanContext extends Names {
  readonly schema: string;
  /** The units that the caller may read. */
  readonly access: Predicate | undefined;
}

/** The part of a kind that a caller may read and use in queries. */
export function planContextOf(
  { project, caller, model }: Pick<Session, 'project' | 'caller' | 'model'>,
  { kind, access }: Pick<PlanContext, 'kind' | 'access'>,
  reach: Reach = referenceAccess(caller, model),
): PlanContext {
  return { schema: project.schema, kind, access, visible: readableFields(kind, caller), reach };
}

/**
 * Plans a parsed query. The faults found by parsing and those found by planning are reported together.
 * @throws KindError 400, and errors of other statuses that `plan` throws
 */
export function planQuery<Query, T>({ query, faults: parsing }: Parsed<Query>, plan: (query: Query) => T): T {
  if (parsing.length === 0) return plan(query);
  const faults = new Faults([...parsing]);
  // A cursor is valid for one order only. The order may have faults here, so the cursor is not checked.
  if (parsing.length < LIMITS.faults)
    collectFaults<unknown>(faults, () => plan({ ...query, cursor: undefined }), undefined);
  faults.throwIfAny();
  throw new Error('a query with faults was not refused');
}

/**
 * Plans a list and reports all faults of the query together.
 * @throws KindError 400; 401 and 403 if a path leads to data that the caller may not read
 */
export function planList(query: ListQuery, context: PlanContext, extra?: Predicate): ListPlan {
  const { kind } = context;
  const faults = new Faults();
  const attempt = <T>(work: () => T, otherwise: T): T => collectFaults(faults, work, otherwise);
  attempt(() => checkRelated(query), undefined);
  const search = attempt(() => planSearch(query.search, [context])(context), undefined);
  const names = { ...context, search };
  const order = attempt(() => planOrder(query, names), []);
  const filter = conjunction(
    attempt(() => query.filter && resolveFilter(query.filter, context), undefined),
    searchCondition(search),
  );
  const answer = attempt(() => planAnswer(query, names), { fields: [] });
  const cursor = attempt(() => planCursor(query, kind, order), undefined);
  attempt(() => checkLookups(filter, [...orderTargets(order), ...shownTargets(answer)]), undefined);
  attempt(() => checkRelatedPage(query, answer), undefined);
  faults.throwIfAny();
  return {
    schema: context.schema,
    kind,
    access: context.access,
    ...answer,
    filter: conjunction(extra, filter),
    order,
    limit: query.limit,
    offset: query.offset,
    count: countFor(query, [{ kind: context.kind, access: context.access, filter }]),
    cursor,
  };
}

/**
 * How the units of a query are counted. An estimate is exact where their number is stored, and where the caller may not
 * read all of them, because the estimate of PostgreSQL would include units that the caller may not read.
 */
export function countFor({ count }: Pick<ListQuery, 'count'>, parts: readonly CountedRows[]): ListQuery['count'] {
  const partial = parts.some(({ access, filter }) => access ?? (filter && mayReadOthers(filter)));
  return count === 'estimated' && (partial || parts.every(hasStoredCount)) ? 'exact' : count;
}

/** Whether an estimate for a filter could depend on units that the caller may not read. */
function mayReadOthers(filter: Predicate): boolean {
  return followsReferences(filter, (step) => step.access !== undefined) || relatedIn(filter).length > 0;
}

export function planGet(query: ListQuery, context: PlanContext): ReadPlan {
  const { schema, kind, access } = context;
  checkRelated(query);
  const answer = planAnswer(query, context);
  if (answer.paths) checkLookups(undefined, shownTargets(answer));
  return { schema, kind, access, ...answer };
}

/** Returns the result of `work`. If it throws faults of the query, adds them to `faults` and returns `otherwise`. */
export function collectFaults<T>(faults: Faults, work: () => T, otherwise: T): T {
  try {
    return work();
  } catch (error) {
    // Missing rights take precedence over faults.
    if (!(error instanceof KindError) || error.status !== 400) throw error;
    faults.addAll(error);
    return otherwise;
  }
}

/** The fields of the unit to return, and the targets of the dotted paths in `include`. */
export function planAnswer(
  query: Pick<ListQuery, 'include' | 'exclude' | 'nest'>,
  names: Names,
): Pick<ReadPlan, 'fields' | 'paths' | 'nest' | 'related' | 'snippets'> {
  if (!query.include && !query.exclude) return { fields: everyField(names.visible) };
  const terms = query.include?.filter(isRelatedTerm) ?? [];
  const snippetTerms = terms.filter(isSnippetTerm);
  const relatedTerms = terms.filter((term) => !isSnippetTerm(term));
  const others = query.include?.filter((name) => !isRelatedTerm(name));
  const include = others?.filter((name) => !isPath(name));
  const dotted = others?.filter(isPath) ?? [];
  const faults = new Faults();
  const read = { include, exclude: query.exclude };
  const fields = collectFaults(faults, () => planFields(read, names), []);
  const paths = collectFaults(faults, () => planPaths(dotted, names), []);
  const related = collectFaults(faults, () => planRelated(relatedTerms, names, planOrder), []);
  const taken = related.map(({ name }) => name);
  const snippets = collectFaults(faults, () => planSnippets(snippetTerms, names, taken), []);
  faults.throwIfAny();
  return {
    fields,
    ...(paths.length > 0 && { paths, ...(query.nest && { nest: true }) }),
    ...(related.length > 0 && { related }),
    ...(snippets.length > 0 && { snippets }),
  };
}

function isPath(name: string): boolean {
  return /[."]/.test(name);
}

/** Resolves dotted paths. In the answer, each path has its canonical spelling. */
function planPaths(texts: readonly string[], names: Names): readonly ShownPath[] {
  if (texts.length > LIMITS.includedPaths) {
    throw refusal('query.bad_value', `include: at most ${LIMITS.includedPaths} dotted paths`, { parameter: 'include' });
  }
  const faults = new Faults();
  const found = new Map<string, ShownPath>();
  for (const text of texts) {
    const target = collectFaults(faults, () => targetOf(() => parsePath(text), names, 'include'), undefined);
    if (!target) continue;
    const name = printPath(segmentsOf(target));
    found.set(name, { name, target });
  }
  faults.throwIfAny();
  return [...found.values()];
}

/** The fields to return, in the order of the record: those in `include`, or all except those in `exclude`. */
export function planFields(
  query: Pick<ListQuery, 'include' | 'exclude'>,
  names: Omit<Names, 'reach'>,
): readonly Field[] {
  const { visible } = names;
  if (!query.include && !query.exclude) return everyField(visible);
  const faults = new Faults();
  const check = (given: readonly string[], parameter: string) => {
    for (const name of given.filter((each) => !visible.has(each))) {
      faults.add(
        'parameter.unknown',
        parameter === 'exclude' && isPath(name)
          ? `exclude: '${name.slice(0, 80)}' is in no record, unless include asks for it`
          : `${parameter}: no parameter '${name.slice(0, 80)}' in ${kindsText(names)}${faults.hint(name, visible.keys())}`,
        { parameter },
      );
    }
  };
  check(query.include?.filter((name) => name !== ALL_FIELDS) ?? [], 'include');
  check(query.exclude ?? [], 'exclude');
  faults.throwIfAny();
  const fields = everyField(visible);
  if (query.include?.includes(ALL_FIELDS)) return fields;
  if (query.include) return fields.filter(({ id }) => query.include?.includes(id));
  return query.exclude ? fields.filter(({ id }) => !query.exclude?.includes(id)) : fields;
}

/** The order of the query, followed by the id, so that it is total; without one, oldest first. */
function planOrder(query: Pick<ListQuery, 'order'>, names: Names): OrderTerm[] {
  const { kind } = names;
  const faults = new Faults();
  const terms = query.order.flatMap((by): OrderTerm[] => {
    const term = collectFaults(faults, () => orderTerm(by, names), undefined);
    const target = term && orderedField(term);
    // A constant field has no effect on the order.
    return term && (!target || target.through || target.field.constant === undefined) ? [term] : [];
  });
  faults.throwIfAny();
  if (query.order.length === 0 && kind.key !== 'uuid') {
    const inserted = kind.fields.get('inserted_at');
    if (inserted) terms.push(ascendingBy(inserted));
  }
  return terms.some((term) => isByKey(term, kind)) ? terms : [...terms, ascendingBy(kind.keyField)];
}

function ascendingBy(field: Field): OrderTerm {
  return { value: { type: 'field', target: { field, keys: [] } }, descending: false };
}

function isByKey(term: OrderTerm, kind: KindDef): boolean {
  const target = orderedField(term);
  return target !== undefined && !target.through && (target.field === kind.keyField || target.field === kind.primary);
}

export function orderTerm({ value, descending }: OrderBy, names: Names): OrderTerm {
  if (value.type === 'distance') {
    const place = named('order', () => resolvePlace(value, 'distance', (path) => resolveOperand(path, names)));
    return { value: { type: 'distance', ...place }, descending };
  }
  if (value.type === 'rank') {
    if (names.search) return { value: { type: 'rank', search: names.search }, descending };
    throw refusal('query.bad_value', 'order: rank() needs a search', { parameter: 'order' });
  }
  const target = targetOf(() => value.path, names, 'order');
  const { field, keys } = target;
  const sortable = !field.def.multiple && (field.type.sortable || keys.length > 0);
  if (sortable) return { value: { type: 'field', target }, descending };
  throw refusal(
    'query.bad_value',
    `order: '${field.id}' is ${field.def.multiple ? 'a list' : field.type.id}, which has no order`,
    { parameter: 'order' },
  );
}

/** Resolves a path in a query parameter. @throws KindError whose messages name the query parameter */
export function targetOf(path: () => Path, names: Names, parameter: QueryName): Target {
  return named(parameter, () => resolveOperand(path(), names));
}

/** Adds the query parameter to the message of a refusal. */
function named<T>(parameter: QueryName, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    const [{ code, text: message, parameter: path }] = error.messages;
    if (error.status !== 400 && path === undefined) throw error;
    const known = code === 'filter.unknown_parameter' ? 'parameter.unknown' : 'query.bad_value';
    throw refusal(error.status === 400 ? known : code, `${parameter}: ${message}`, { parameter });
  }
}

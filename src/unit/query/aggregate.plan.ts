/** Plans an aggregation for a caller: of one kind, or of several together. Pure. */
import type { AggregateQuery } from '../../filter/queries.js';
import type { AggregateTerm, ComputedTerm, GroupTerm, SelectTerm } from '../../filter/aggregate.ast.js';
import type { Filter, Path } from '../../filter/filter.ast.js';
import { printOperand } from '../../filter/filter.printer.js';
import { pathsIn } from '../../filter/filter.walk.js';
import type { OrderBy } from '../../filter/order.js';
import { isAbsent, resolveAbsent, sharedNames, type Absent } from '../../model/predicate/absent-parameter.js';
import { namesOfKinds, type Names } from '../../model/predicate/path.js';
import { resolveFilter } from '../../model/predicate/resolve-filter.js';
import { conjunction, selective, sourcesOf, type Predicate, type Target } from '../../model/predicate/predicate.js';
import type { QueryName } from '../../http/route/query-names.js';
import { Faults, KindError, refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { shortened } from '../../shared/texts.js';
import type {
  AggregateColumn,
  AggregateInput,
  AggregatePlan,
  AggregateSource,
} from '../../sql/aggregate/aggregate-plan.js';
import type { OrderTerm } from '../../sql/list/order.sql.js';
import { columnOf, computedColumn, countColumn } from './aggregate-column.js';
import { withListAccess } from './list-access.js';
import { checkLookups, checkRelated, LeastSize } from './query-limits.js';
import { namesInQuery } from './paths-in-query.js';
import { planSearch, searchCondition } from './search.plan.js';
import { collectFaults } from '../../shared/collect-faults.js';
import type { PlanContext } from './list.plan.js';
import { orderTerm, targetOf } from './order.plan.js';

/** A term, and the query parameter that it is from. */
interface Term {
  readonly parameter: 'select' | 'group';
  readonly term: GroupTerm | SelectTerm;
}

/** A term of values of units. */
type UnitTerm = Term & { readonly term: GroupTerm | AggregateTerm };

function isComputed(term: GroupTerm | SelectTerm): term is ComputedTerm {
  return 'computed' in term;
}

/** What a term takes of units; undefined for one that is computed of others. */
function unitTerm({ parameter, term }: Term): UnitTerm | undefined {
  return isComputed(term) ? undefined : { parameter, term };
}

/**
 * @param contexts the kinds, each with what the caller may read of it
 * @throws KindError 400 with all faults; 401 and 403 if a path leads to data that the caller may not read
 */
export function planAggregate(query: AggregateQuery, contexts: readonly PlanContext[], schema: string): AggregatePlan {
  const faults = new Faults();
  const terms = [
    ...query.group.map((term): Term => ({ parameter: 'group', term })),
    ...query.select.map((term): Term => ({ parameter: 'select', term })),
  ];
  collectFaults(faults, () => checkNumbers(query), undefined);
  collectFaults(faults, () => checkRelated({ ...query, order: [] }), undefined);
  const searchOf = collectFaults(
    faults,
    () => planSearch(query.search, contexts),
    () => undefined,
  );
  const namesOf = sharedNames(contexts, namesInQuery({ ...query, order: [] }));
  const size = new LeastSize();
  const values = terms.flatMap((each) => unitTerm(each)?.term.path ?? []).flatMap(pathsIn).length;
  const found = new Faults();
  const collect = <T>(work: () => T, otherwise: T): T => collectFaults(found, work, otherwise);
  const sourceOf = (context: PlanContext): AggregateSource => {
    const { visible, absent } = namesOf(context.visible);
    const names: Names = { ...context, visible, ...namesOfKinds(contexts) };
    const filter = collect(() => selective(query.filter && resolveFilter(query.filter, names)), undefined);
    const inputs = terms.map((each) => {
      const term = unitTerm(each);
      return term ? collect(() => resolveTerm(term, names, absent), NO_INPUT) : COMPUTED_INPUT;
    });
    collect(() => checkLookups(filter, targetsOf(inputs)), undefined);
    const { kind, access } = context;
    const resolved = conjunction(filter && resolveAbsent(filter, absent), searchCondition(searchOf(context)));
    size.add({ predicates: [access, resolved, ...inputs.map(({ condition }) => condition)], values });
    const source = { kind, access, filter: resolved, inputs };
    return collect(() => withListAccess(source), source);
  };
  const sources: AggregateSource[] = [];
  for (const context of contexts) {
    // Other kinds would have the same faults.
    if (!found.any) sources.push(sourceOf(context));
  }
  for (const { code, text, ...location } of found.messages) faults.add(code, text, location);
  const columns: AggregateColumn[] = [];
  for (const [at, each] of terms.entries()) {
    const inputs = sources.map((source) => source.inputs[at]);
    const targets = inputs.flatMap((input) => input?.target ?? []);
    const term = unitTerm(each);
    // What is computed of a column with a fault has no fault of its own.
    const isFaulty = term
      ? term.term.path !== undefined && targets.length === 0 && found.any
      : columns.includes(NO_COLUMN);
    const plan = () =>
      isComputed(each.term)
        ? columnOfColumns(each.term, columns, contexts)
        : columnFor({ ...each, term: each.term }, targets, query.timezone, at);
    columns.push(inputs.includes(NO_INPUT) || isFaulty ? NO_COLUMN : collectFaults(faults, plan, NO_COLUMN));
  }
  collectFaults(faults, () => checkNames(terms), undefined);
  // Faults of `having` and `order` are only known where the names of the answer are.
  const groups = columns.includes(NO_COLUMN)
    ? undefined
    : collectFaults(faults, () => planGroups(query, columns, contexts), undefined);
  faults.throwIfAny();
  if (!groups) throw new Error('an aggregation with faults was not refused');
  return { schema, sources, columns, ...groups };
}

/** In place of a column with a fault. */
const NO_COLUMN = countColumn('', 0);

const NO_INPUT: AggregateInput = { target: undefined, condition: undefined };

/** A column that is computed of others takes nothing of units. */
const COMPUTED_INPUT: AggregateInput = { target: undefined, condition: undefined };

/** The filter and the order of the groups, over the names of the answer. */
function planGroups(
  { having, order, limit, offset }: AggregateQuery,
  columns: readonly AggregateColumn[],
  contexts: readonly PlanContext[],
): Pick<AggregatePlan, 'having' | 'order' | 'limit' | 'offset'> {
  const names = namesOfAnswer(columns, contexts);
  if (!names) return { having: undefined, order: [], limit, offset };
  const faults = new Faults();
  const attempt = <T>(work: () => T, otherwise: T): T => collectFaults(faults, work, otherwise);
  const plan = {
    having: attempt(() => having && within('having', () => resolveFilter(having, names)), undefined),
    order: order.flatMap((term) => attempt(() => groupOrder(term, names), undefined) ?? []),
    limit,
    offset,
  };
  faults.throwIfAny();
  return plan;
}

/** The names of an answer with these columns; undefined without kinds. */
function namesOfAnswer(
  columns: readonly AggregateColumn[],
  [first]: readonly PlanContext[],
  called = 'the answer',
): Names | undefined {
  return first && { kind: first.kind, visible: new Map(columns.map(({ name, field }) => [name, field])), called };
}

/** The column of a term that is computed of the columns before it. */
function columnOfColumns(
  term: ComputedTerm,
  before: readonly AggregateColumn[],
  contexts: readonly PlanContext[],
): AggregateColumn {
  const [name, at] = [termName(term), before.length];
  const called = 'the answer before it (what is of each unit stands inside sum, avg, min or max)';
  const names = namesOfAnswer(before, contexts, called);
  if (!names) return countColumn(name, at);
  const target = targetOf(() => term.computed, names, 'select');
  const sources = sourcesOf(target).map(({ field }) => field);
  return computedColumn(
    target,
    { name, at },
    before.some(({ hidden, field }) => hidden && sources.includes(field)),
  );
}

function groupOrder(term: OrderBy, names: Names): OrderTerm {
  if (term.value.type !== 'rank') return orderTerm(term, names);
  throw refusal('query.bad_value', 'order: rank() is of units, not of groups', { parameter: 'order' });
}

function resolveTerm({ parameter, term }: UnitTerm, names: Names, absent: Absent): AggregateInput {
  const { path } = term;
  const target = path && targetOf(() => path, names, parameter);
  const condition = 'filter' in term && term.filter ? resolveCondition(term.filter, names, absent) : undefined;
  return { target: target && !isAbsent(target, absent) ? target : undefined, condition };
}

function resolveCondition(filter: Filter, names: Names, absent: Absent): Predicate {
  return resolveAbsent(
    within('select', () => resolveFilter(filter, names)),
    absent,
  );
}

function targetsOf(inputs: readonly AggregateInput[]): Target[] {
  return inputs.flatMap(({ target }) => (target ? sourcesOf(target) : []));
}

function columnFor({ parameter, term }: UnitTerm, targets: readonly Target[], timezone: string, at: number) {
  const name = termName(term);
  return within(parameter, () => columnOf(term, { name, targets, timezone, at }));
}

/** The name of a field of the answer; without one of its own `sum_population`, `country_name`. */
export function termName(term: GroupTerm | SelectTerm): string {
  if (term.name !== undefined) return term.name;
  if (isComputed(term)) return wordsOf(term.computed).join('_');
  const { counted, computed, segments: path = [] } = term.path ?? {};
  if (term.path && (counted ?? computed)) {
    return [...(term.function === undefined ? [] : [term.function]), ...wordsOf(term.path)].join('_');
  }
  return [...(term.function === undefined ? [] : [term.function]), ...path].join('_').replaceAll('.', '_');
}

function wordsOf(operand: Path): readonly string[] {
  return printOperand(operand).match(/[A-Za-z0-9]+/g) ?? [];
}

function checkNames(terms: readonly Term[]): void {
  const known = new Set<string>();
  const faults = new Faults();
  for (const { parameter, term } of terms) {
    const name = termName(term);
    if (known.has(name)) {
      const text = `${parameter}: two fields are named '${shortened(name)}'; give one another name before a colon`;
      faults.add('query.bad_value', text, { parameter });
    }
    known.add(name);
  }
  faults.throwIfAny();
}

function checkNumbers({ select, group }: AggregateQuery): void {
  const [distinct, lists] = [
    select.filter((term) => !isComputed(term) && term.function === 'count_distinct').length,
    group.filter((term) => term.function === 'each').length,
  ];
  const check = (parameter: QueryName, called: string, found: number, most: number) => {
    if (found <= most) return;
    throw refusal('query.too_large', `${parameter}: at most ${most} ${called}, got ${found}`, { parameter });
  };
  check('select', 'count_distinct', distinct, LIMITS.distinctCounts);
  check('group', 'each', lists, LIMITS.eachLists);
}

/** The names in the answer whose values come from hidden parameters. */
export function namesOfHidden({ columns }: Pick<AggregatePlan, 'columns'>): string[] {
  return columns.flatMap(({ name, hidden }) => (hidden ? [name] : []));
}

/** Adds the query parameter to the texts of faults. */
function within<T>(parameter: QueryName, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KindError) || error.status !== 400) throw error;
    const faults = new Faults();
    faults.addAllOf(parameter, error);
    faults.throwIfAny();
    throw error;
  }
}

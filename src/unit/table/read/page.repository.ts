/** Renders pages, and reads them: of lists, of lists over several kinds, of groups, and of traversals. */
import { Injectable } from '@nestjs/common';
import type { Executor } from '../../../database/database.js';
import { beyondRange, isBadArgument, isDatabaseFault, isTooManyPairs } from '../../../database/statement/sqlstate.js';
import type { Model } from '../../../model/model.js';
import { KindError, refusal } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import type { AggregatePlan } from '../../../sql/aggregate/aggregate-plan.js';
import { aggregateStatement, isStoredCount } from '../../../sql/aggregate/aggregate.sql.js';
import type { Statement } from '../../../sql/fragment.js';
import { estimateStatement, hasStoredCount, listStatement, type ListPlan } from '../../../sql/list/select.sql.js';
import { estimateUnionStatement, unionStatement, type UnionPlan } from '../../../sql/list/union.sql.js';
import { shortestPathStatement, type ShortestPathPlan } from '../../../sql/walk/shortest-path.sql.js';
import { walkStatement, type WalkPlan } from '../../../sql/walk/walk.sql.js';
import { namesOfHidden } from '../../query/aggregate.plan.js';
import { badCursor } from '../../query/cursor.js';
import { planOfTables, type QueryPlan } from '../../tuning/query-plan.js';
import { QueryStatistics } from '../../tuning/query-statistics.js';
import type { QueryCall } from '../../tuning/slow-queries.js';
import { CountChecker } from '../stored-counts.js';
import { checkVersion, type Versioned } from '../unit.repository.js';
import { GenericPlans } from './generic-plans.js';

/** The part that plans of all lists have in common. */
type Paged = Pick<ListPlan, 'schema' | 'offset' | 'limit' | 'count' | 'cursor'>;

/** A page that is ready to be read: what a repeated query needs of its plan. It refers to no model. */
export interface ReadyPage extends Paged {
  readonly statement: Statement;
  /** The ids of the kinds whose stored number of units is part of the total. */
  readonly storedCounts: readonly string[];
}

/** An aggregation that is ready to be read. */
export interface ReadyAggregate extends Pick<ReadyPage, 'statement' | 'storedCounts'> {
  readonly schema: string;
  /** The names in the answer whose values come from hidden parameters. */
  readonly hidden: readonly string[];
}

export function renderAggregate(plan: AggregatePlan): ReadyAggregate {
  const counted = isStoredCount(plan) ? plan.sources.map(({ kind }) => kind.id) : [];
  return {
    schema: plan.schema,
    statement: aggregateStatement(plan),
    storedCounts: counted,
    hidden: namesOfHidden(plan),
  };
}

/** A traversal that is ready to be read. */
export type ReadyWalk = Pick<ReadyPage, 'schema' | 'statement' | 'cursor'>;

export function renderWalk(plan: WalkPlan): ReadyWalk {
  const { schema, cursor } = plan;
  return { schema, cursor, statement: walkStatement(plan) };
}

/** Further statements that a page may need. */
interface FurtherStatements {
  /** The planner's estimate of the total, for `count=estimated`. */
  readonly estimate?: () => Statement;
  /** For a page that may be too large. */
  readonly measured?: () => Statement;
}

export function renderList(plan: ListPlan): ReadyPage {
  return { ...pagedOf(plan), statement: listStatement(plan), storedCounts: storedCounts([plan]) };
}

export function renderUnion(plan: UnionPlan): ReadyPage {
  return {
    ...pagedOf(plan),
    statement: unionStatement(plan),
    storedCounts: storedCounts(plan.parts),
  };
}

/** @param plan makes the plan when a statement is needed */
export function furtherOfList(plan: () => ListPlan): FurtherStatements {
  return { estimate: () => estimateStatement(plan()), measured: () => listStatement(plan(), true) };
}

/** @param plan makes the plan when a statement is needed */
export function furtherOfUnion(plan: () => UnionPlan): FurtherStatements {
  return { estimate: () => estimateUnionStatement(plan()) };
}

function pagedOf({ schema, offset, limit, count, cursor }: Paged): Paged {
  return { schema, offset, limit, count, cursor };
}

function storedCounts(parts: readonly Pick<ListPlan, 'kind' | 'access' | 'filter'>[]): string[] {
  return parts.filter(hasStoredCount).map(({ kind }) => kind.id);
}

/** A page of units. */
interface PageRow {
  readonly count: number;
  readonly items: string;
  /** Order values of the last unit; null if no page follows. */
  readonly last: readonly (string | null)[] | null;
}

type GroupRows = Pick<PageRow, 'count' | 'items'>;

export interface WalkRow {
  /** Whether the unit at which the walk starts exists and may be read by the caller. */
  readonly found: boolean;
  /** The walk would reach more units than a request may. */
  readonly over: boolean;
  readonly count: number;
  readonly items: string;
  /** Kinds of units in the page that the plan does not read. */
  readonly unmet: readonly string[] | null;
  /** With a cursor the values after which the next page begins; null if no page follows. */
  readonly last: readonly (string | null)[] | null;
}

interface ShortestPathRow extends WalkRow {
  readonly target_found: boolean;
  /** Whether there is a path. */
  readonly met: boolean;
}

type ListRow = Versioned & { count: string; items: string | null; last?: string | null };

function lastOf(row: Pick<ListRow, 'last'> | undefined): PageRow['last'] {
  return row?.last ? (JSON.parse(row.last) as (string | null)[]) : null;
}

/** The refusal of a cursor whose values PostgreSQL cannot read; undefined for other errors. */
function cursorFault({ cursor }: Pick<Paged, 'cursor'>, error: unknown): KindError | undefined {
  const isAfterOne = cursor !== undefined && cursor.length > 0;
  return isAfterOne && isDatabaseFault(error) && error.code.startsWith('22') ? badCursor() : undefined;
}

function tooManyPairs(): KindError {
  const text = `group: the elements of two lists make more than ${LIMITS.eachPairs.toLocaleString('en')} pairs; a filter for fewer units, or one each()`;
  return refusal('query.too_large', text, { parameter: 'group' });
}

@Injectable()
export class PageRepository {
  constructor(
    private readonly checker: CountChecker,
    private readonly statistics: QueryStatistics,
    private readonly plans: GenericPlans,
  ) {}

  /** The page of a query that was requested before. @param page the same object each time */
  fetchRepeated(executor: Executor, page: ReadyPage, further: FurtherStatements, model: Model): Promise<PageRow> {
    return this.fetchPage(executor, { ...page, statement: this.plans.statementFor(page.statement) }, further, model);
  }

  fetchPage(executor: Executor, page: ReadyPage, further: FurtherStatements, model: Model): Promise<PageRow> {
    this.#noteCounts(page, model);
    return this.#page(executor, page, further, model);
  }

  #noteCounts({ schema, storedCounts }: Pick<ReadyPage, 'schema' | 'storedCounts'>, model: Model): void {
    for (const id of storedCounts) {
      const kind = model.kinds.get(id);
      if (kind) this.checker.noteUse(schema, kind);
    }
  }

  async #page(
    executor: Executor,
    page: ReadyPage,
    { estimate, measured }: FurtherStatements,
    model: Model,
  ): Promise<PageRow> {
    const { schema, statement } = page;
    try {
      let row = await this.#query<ListRow>(executor, { schema, model, statement });
      if (row?.items === null && measured) {
        [row] = await executor.run<ListRow>(measured());
        checkVersion(row, model);
      }
      const counted = Number(row?.count);
      const isEstimated = page.count === 'estimated' && estimate !== undefined;
      const count = isEstimated ? await this.#estimate(executor, page, counted, estimate()) : counted;
      return { count, items: row?.items ?? '[]', last: lastOf(row) };
    } catch (error) {
      throw cursorFault(page, error) ?? beyondRange(error) ?? error;
    }
  }

  /** Runs a query, checks the version of the model, and records what the query took, also if the time limit ended it. */
  async #query<Row extends Versioned>(
    executor: Executor,
    query: Omit<QueryCall, 'milliseconds'>,
  ): Promise<Row | undefined> {
    const start = performance.now();
    const note = (): void => this.statistics.note({ ...query, milliseconds: performance.now() - start });
    try {
      const [row] = await executor.run<Row>(query.statement);
      checkVersion(row, query.model);
      note();
      return row;
    } catch (error) {
      if (error instanceof KindError && error.code === 'query.timeout') note();
      throw error;
    }
  }

  /** A page of groups that was requested before. @param aggregate the same object each time */
  fetchRepeatedAggregate(executor: Executor, aggregate: ReadyAggregate, model: Model): Promise<GroupRows> {
    const statement = this.plans.statementFor(aggregate.statement);
    return this.fetchAggregate(executor, { ...aggregate, statement }, model);
  }

  /** A page of groups. */
  async fetchAggregate(executor: Executor, aggregate: ReadyAggregate, model: Model): Promise<GroupRows> {
    const { schema, statement } = aggregate;
    this.#noteCounts(aggregate, model);
    try {
      const query = { schema, model, statement };
      const row = await this.#query<Versioned & { count: string; items: string }>(executor, query);
      return { count: Number(row?.count), items: row?.items ?? '[]' };
    } catch (error) {
      if (isTooManyPairs(error)) throw tooManyPairs();
      // The database may lack a time zone that this process knows.
      if (isBadArgument(error))
        throw refusal('query.bad_value', 'timezone: the database has no such time zone', { parameter: 'timezone' });
      throw beyondRange(error) ?? error;
    }
  }

  async fetchWalk(executor: Executor, walk: ReadyWalk, model: Model): Promise<WalkRow> {
    const { schema, statement } = walk;
    type Row = Versioned & Omit<WalkRow, 'count' | 'last'> & Pick<ListRow, 'count' | 'last'>;
    try {
      const row = await this.#query<Row>(executor, { schema, model, statement });
      if (!row) throw new Error('a walk answers one row');
      return { ...row, count: Number(row.count), last: lastOf(row) };
    } catch (error) {
      throw cursorFault(walk, error) ?? beyondRange(error) ?? error;
    }
  }

  async fetchShortestPath(executor: Executor, plan: ShortestPathPlan, model: Model): Promise<ShortestPathRow> {
    const query = { schema: plan.schema, model, statement: shortestPathStatement(plan) };
    const row = await this.#query<Versioned & Omit<ShortestPathRow, 'count'> & { count: string }>(executor, query);
    if (!row) throw new Error('a shortest path answers one row');
    return { ...row, count: Number(row.count) };
  }

  /**
   * PostgreSQL's estimate, but at least the units up to the end of this page. If the first page is not full, its count
   * is exact.
   */
  async #estimate(executor: Executor, plan: Paged, onPage: number, statement: Statement): Promise<number> {
    const seen = plan.offset + onPage;
    if (plan.offset === 0 && seen < plan.limit) return seen;
    const [row] = await executor.run<{ 'QUERY PLAN': [QueryPlan] }>(statement);
    return Math.max(seen, row ? Math.round(planOfTables(row['QUERY PLAN'][0]).Plan['Plan Rows']) : 0);
  }
}

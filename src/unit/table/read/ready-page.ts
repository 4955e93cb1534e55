/** Pages that are ready to be read: what a repeated query needs of its plan. They refer to no model. */
import type { AggregatePlan } from '../../../sql/aggregate/aggregate-plan.js';
import { aggregateStatement, isStoredCount } from '../../../sql/aggregate/aggregate.sql.js';
import type { Statement } from '../../../sql/fragment.js';
import { estimateStatement, hasStoredCount, listStatement, type ListPlan } from '../../../sql/list/select.sql.js';
import { estimateUnionStatement, unionStatement, type UnionPlan } from '../../../sql/list/union.sql.js';
import { walkStatement, type WalkPlan } from '../../../sql/walk/walk.sql.js';
import { namesOfHidden } from '../../query/aggregate.plan.js';

/** The part that plans of all lists have in common. */
export type Paged = Pick<ListPlan, 'schema' | 'offset' | 'limit' | 'count' | 'cursor'>;

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

export function readyAggregate(plan: AggregatePlan): ReadyAggregate {
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

export function readyWalk(plan: WalkPlan): ReadyWalk {
  const { schema, cursor } = plan;
  return { schema, cursor, statement: walkStatement(plan) };
}

/** Further statements that a page may need. */
export interface FurtherStatements {
  /** The planner's estimate of the total, for `count=estimated`. */
  readonly estimate?: () => Statement;
  /** For a page that may be too large. */
  readonly measured?: () => Statement;
}

export function readyList(plan: ListPlan): ReadyPage {
  return { ...pagedOf(plan), statement: listStatement(plan), storedCounts: storedCounts([plan]) };
}

export function readyUnion(plan: UnionPlan): ReadyPage {
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

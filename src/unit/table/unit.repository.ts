/** Runs the statements on units of tables, and reads their rows. */
import type { UnitRow } from '../store/unit-store.js';
import { Injectable } from '@nestjs/common';
import { trackContention, type ContentionTarget } from '../../database/transaction/contention.js';
import type { Executor } from '../../database/database.js';
import type { FieldExpression } from '../../model/expression.js';
import type { Field, Model } from '../../model/model.js';
import type { Statement } from '../../sql/fragment.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import {
  deleteStatement,
  insertStatement,
  lockAsEditStatement,
  insertUnansweredStatement,
  lockStatement,
  mayInsertStatement,
  type DeletePlan,
  type UpdatePlan,
  type WritePlan,
} from '../../sql/write/write.sql.js';
import { keptValuesStatement, resultsStatement, updateStatement } from '../../sql/write/update.sql.js';
import { rowParams } from '../../sql/write/new-rows.sql.js';
import { explainLinkStatement, explainStatement } from '../../sql/condition/explain.sql.js';
import { getByStatement, getStatement, type ReadPlan } from '../../sql/list/select.sql.js';
import type { KeyValue } from '../query/key-parameter.js';
import { getAnyStatement, type AnyKindPlan } from '../../sql/list/union.sql.js';
import { scalarText, type Json } from '../../shared/json.js';
import { modelVersionStatement } from '../../sql/model-version.sql.js';
import { checkVersion, type Versioned } from './check-version.js';
import type { WriteContext } from './violation/constraint-violations.js';
import { jsonTextOf, runWrite, type RowValues } from './write/run-write.js';
import type { Session } from '../../catalog/session/session.js';
import { StoredCounts } from './stored-counts.js';

/** A row of a write, which has no version of the model: it is written only if that is the one of the plan. */
type WrittenUnit = { tag: string | null; body: string | null };

type MaybeUnit = Versioned & WrittenUnit;

@Injectable()
export class UnitRepository {
  constructor(private readonly counts: StoredCounts) {}

  /** The unit of the first plan that finds one, and the position of that plan. */
  async fetchAny(
    executor: Executor,
    schema: string,
    plans: readonly AnyKindPlan[],
    model: Model,
  ): Promise<(UnitRow & { readonly at: number }) | undefined> {
    if (plans.length === 0) return undefined;
    const [row] = await executor.run<MaybeUnit & { n: number | null }>(getAnyStatement(schema, plans));
    checkVersion(row, model);
    const unit = unitOf(row);
    return unit && { ...unit, at: row?.n ?? 0 };
  }

  fetch(executor: Executor, plan: ReadPlan, id: unknown, model: Model): Promise<UnitRow | undefined> {
    return this.#fetch(executor, plan, getStatement(plan, id), model);
  }

  fetchBy(
    executor: Executor,
    plan: ReadPlan,
    { field, value }: Pick<KeyValue, 'field' | 'value'>,
    model: Model,
  ): Promise<UnitRow | undefined> {
    return this.#fetch(executor, plan, getByStatement(plan, field, value), model);
  }

  #fetch(executor: Executor, plan: ReadPlan, statement: Statement, model: Model): Promise<UnitRow | undefined> {
    return executor.run<MaybeUnit>(statement).then(([row]) => {
      if (!row) return this.#checkVersion(executor, plan, model);
      checkVersion(row, model);
      return unitOf(row);
    });
  }

  /**
   * After a statement that returned no row, and so no version. The version only grows: if it is that of the model now, it
   * was when that statement ran.
   */
  async #checkVersion(executor: Executor, { schema }: Pick<ReadPlan, 'schema'>, model: Model): Promise<undefined> {
    const [row] = await executor.run<Versioned>(modelVersionStatement(schema));
    checkVersion(row, model);
  }

  /** Which of the predicates hold for a unit; undefined if it does not exist. */
  async evaluate(
    executor: Executor,
    { schema, kind }: Pick<ReadPlan, 'schema' | 'kind'>,
    id: unknown,
    predicates: readonly Predicate[],
    model: Model,
  ): Promise<readonly boolean[] | undefined> {
    const [row] = await executor.run<Versioned & { holds: boolean[] | null }>(
      explainStatement(schema, kind, id, predicates),
    );
    checkVersion(row, model);
    return row?.holds ?? undefined;
  }

  /** The same for predicates over the two units of a link. */
  async evaluateLink(
    { project, executor, model }: Session,
    ends: Parameters<typeof explainLinkStatement>[1],
    predicates: readonly Predicate[],
  ): Promise<readonly boolean[]> {
    const statement = explainLinkStatement(project.schema, ends, predicates);
    const [row] = await executor.run<Versioned & { holds: boolean[] | null }>(statement);
    checkVersion(row, model);
    return row?.holds ?? [];
  }

  /** Whether all new rows satisfy the access rule of the plan; nothing is inserted. */
  async mayInsert(executor: Executor, plan: WritePlan, rows: readonly RowValues[], model: Model): Promise<boolean> {
    const [row] = await executor.run<Versioned & { allowed: boolean | null }>(
      mayInsertStatement(plan, await jsonTextOf(plan, rows)),
    );
    checkVersion(row, model);
    return row?.allowed !== false;
  }

  async insert(
    executor: Executor,
    plan: WritePlan,
    rows: readonly RowValues[],
    context: WriteContext,
  ): Promise<UnitRow[]> {
    const [row] = rows;
    const params = row && rows.length === 1 ? rowParams(plan.written, row) : undefined;
    const statement = insertStatement(plan, params ?? (await jsonTextOf(plan, rows)));
    const written = await runWrite<WrittenUnit>(executor, plan, statement, { ...context, rows });
    if (written.length === 0) {
      await this.#checkVersion(executor, plan, context.model);
      return [];
    }
    this.counts.noteWrite(plan.schema, plan.kind);
    return written.map(unitOf).filter((unit) => unit !== undefined);
  }

  /** The same, but returns only the number of new units. */
  async insertUnanswered(
    executor: Executor,
    plan: WritePlan,
    rows: readonly RowValues[],
    context: WriteContext,
  ): Promise<number> {
    const statement = insertUnansweredStatement(plan, await jsonTextOf(plan, rows));
    const [row] = await runWrite<{ created: number }>(executor, plan, statement, { ...context, rows });
    if (!row?.created) {
      await this.#checkVersion(executor, plan, context.model);
      return 0;
    }
    // An import keeps one of these for each statement: they refer to as little as possible.
    const { schema, kind } = plan;
    const note = (): void => this.counts.noteWrite(schema, kind);
    if (executor.tx) executor.tx.afterCommit(note);
    else note();
    return row.created;
  }

  async update(
    executor: Executor,
    plan: UpdatePlan,
    row: RowValues,
    context: WriteContext,
  ): Promise<UnitRow | undefined> {
    const contention = () => contentionOn(plan, { id: plan.id, forDelete: false });
    const writeContext = { ...context, rows: [row] };
    const statement = updateStatement(plan, rowParams(plan.written, row) ?? (await jsonTextOf(plan, [row])));
    const [written] = await runWrite<WrittenUnit>(executor, plan, statement, writeContext, contention);
    if (!written) return this.#checkVersion(executor, plan, context.model);
    return unitOf(written);
  }

  /** The results of expressions for a unit, and whether each may be stored; undefined if there is no such unit. */
  async results(
    executor: Executor,
    plan: Pick<UpdatePlan, 'schema' | 'kind' | 'id'>,
    expressions: readonly FieldExpression[],
  ): Promise<{ readonly body: string; readonly fits: readonly boolean[] } | undefined> {
    const [row] = await executor.run<{ body: string; fits: boolean[] }>(resultsStatement(plan, expressions));
    return row;
  }

  /** The fields that may be written once and have another value than an edit gives them. */
  async keptFields(executor: Executor, plan: UpdatePlan, row: RowValues): Promise<readonly Field[]> {
    if (plan.writeOnce.length === 0) return [];
    const statement = keptValuesStatement(plan, await jsonTextOf(plan, [row]));
    const [found] = await executor.run<{ kept: readonly boolean[] }>(statement);
    return plan.writeOnce.filter((_, at) => found?.kept[at] === false).map(({ field }) => field);
  }

  /**
   * Locks a unit until the transaction ends, so that no other transaction changes it; with `forDelete`, none can create
   * a reference to it either. Returns whether the unit exists and fits the plan.
   */
  async lock(executor: Executor, plan: DeletePlan, model: Model, forDelete: boolean): Promise<boolean> {
    const contention = () => contentionOn(plan, { id: plan.id, forDelete });
    const [row] = await trackContention(contention, () => executor.run(lockStatement(plan, forDelete)));
    if (!row) await this.#checkVersion(executor, plan, model);
    return row !== undefined;
  }

  /**
   * Locks a unit until the transaction ends: of several transactions that do so, each reads what those before it stored.
   * Returns whether the unit exists and fits the plan.
   */
  async lockAsEdit(executor: Executor, plan: DeletePlan, model: Model): Promise<boolean> {
    const contention = () => contentionOn(plan, { id: plan.id, forDelete: false });
    const [row] = await trackContention(contention, () => executor.run(lockAsEditStatement(plan)));
    if (!row) await this.#checkVersion(executor, plan, model);
    return row !== undefined;
  }

  /** Returns whether a unit was deleted. */
  async delete(executor: Executor, plan: DeletePlan, context: WriteContext): Promise<boolean> {
    const contention = () => contentionOn(plan, { id: plan.id, forDelete: true });
    const [row] = await runWrite(executor, plan, deleteStatement(plan), context, contention);
    if (!row) {
      await this.#checkVersion(executor, plan, context.model);
      return false;
    }
    this.counts.noteWrite(plan.schema, plan.kind);
    return true;
  }
}

/** The table and unit on which a statement may conflict with another transaction. */
function contentionOn(
  { schema, kind }: Pick<WritePlan, 'schema' | 'kind'>,
  { id, forDelete }: { readonly id: unknown; readonly forDelete: boolean },
): ContentionTarget {
  const units = { schema, kind, keys: [scalarText(id as Json)], forDelete };
  return { schema, table: kind.table, units };
}

function unitOf(row: WrittenUnit | undefined): UnitRow | undefined {
  return typeof row?.tag === 'string' && typeof row.body === 'string' ? { tag: row.tag, body: row.body } : undefined;
}

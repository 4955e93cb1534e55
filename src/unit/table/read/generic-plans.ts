/**
 * Decides which repeated queries are executed with a generic plan, which PostgreSQL makes once, instead of planning them
 * for their values each time. A generic plan treats rare values like common ones, so a query gets it only as long as it
 * is the plan for exactly its values too. Both are compared in the background, from time to time.
 */
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { isNotUnderstood } from '../../../database/statement/sqlstate.js';
import type { Statement } from '../../../sql/fragment.js';
import { withGenericPlan } from '../../../sql/model-version.sql.js';
import { comparedPlanStatement } from '../../../sql/server/query-plan.sql.js';
import { isSamePlan } from '../../tuning/query-plan.js';

/** After how many executions of a query its plans are compared. */
const FIRST_USES = 10;
/** Milliseconds after which plans are compared again: tables grow, and statistics change. */
const INTERVAL = 60_000;
/** Comparisons take at most this part of the time. */
const TIME_SHARE = 1 / 20;

interface Choice {
  /** The query as it is executed with a generic plan. */
  readonly generic: Statement;
  uses: number;
  /** Whether the generic plan is the same as that for the values. */
  isSame: boolean;
  /** When the plans are compared again. */
  dueAt: number;
}

@Injectable()
export class GenericPlans implements OnModuleDestroy {
  /** Null for a statement that is not planned for its values. */
  readonly #choices = new WeakMap<Statement, Choice | null>();
  #isSupported = true;
  #pausedUntil = 0;
  #comparing: Promise<void> | undefined;
  #stopped = false;

  constructor(private readonly database: Database) {}

  /**
   * The statement to execute for a repeated query.
   * @param statement the same object each time
   */
  statementFor(statement: Statement): Statement {
    if (!this.#isSupported) return statement;
    const choice = this.#choiceOf(statement);
    if (!choice) return statement;
    choice.uses += 1;
    if (choice.uses >= FIRST_USES) this.#compareIfDue(choice);
    return choice.isSame ? choice.generic : statement;
  }

  /** Waits for the comparison that runs. */
  async settled(): Promise<void> {
    await this.#comparing;
  }

  async onModuleDestroy(): Promise<void> {
    this.#stopped = true;
    await this.#comparing;
  }

  #choiceOf(statement: Statement): Choice | null {
    const known = this.#choices.get(statement);
    if (known !== undefined) return known;
    const generic = withGenericPlan(statement);
    const choice = generic ? { generic, uses: 0, isSame: false, dueAt: 0 } : null;
    this.#choices.set(statement, choice);
    return choice;
  }

  #compareIfDue(choice: Choice): void {
    if (this.#comparing || this.#stopped) return;
    const now = performance.now();
    if (choice.dueAt > now || this.#pausedUntil > now) return;
    choice.dueAt = now + INTERVAL;
    this.#comparing = this.#compare(choice).finally(() => {
      this.#comparing = undefined;
      this.#pausedUntil = performance.now() + (performance.now() - now) / TIME_SHARE;
    });
  }

  async #compare(choice: Choice): Promise<void> {
    try {
      const forValues = await this.database.run(comparedPlanStatement(choice.generic, { generic: false }));
      const forAll = await this.database.run(comparedPlanStatement(choice.generic, { generic: true }));
      choice.isSame = isSamePlan(forValues, forAll);
    } catch (error) {
      // The table may be gone, or the server be busy: the statement is planned for its values.
      choice.isSame = false;
      // PostgreSQL 15 shows no generic plans.
      if (isNotUnderstood(error)) this.#isSupported = false;
    }
  }
}

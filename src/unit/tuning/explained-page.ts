/** Answers a page and, for administrators who ask for it, why it takes as long as it does. */
import { checkAdministrator } from '../../access/access.js';
import { filterHints, type FilterHint } from '../../filter/filter.hints.js';
import { parseFilter } from '../../filter/filter.parser.js';
import { Answer, pageAnswer } from '../../http/answer/answer.js';
import type { QueryParameters } from '../../http/route/parse-list-query.js';
import type { KindDef, Model } from '../../model/model.js';
import { fieldsAlong } from '../../model/predicate/path.js';
import { refusal } from '../../shared/errors.js';
import { isWrite, type Statement } from '../../sql/fragment.js';
import { queryPlanStatement } from '../../sql/server/query-plan.sql.js';
import type { Executor } from '../../database/database.js';
import type { UnitPage } from '../store/unit-store.js';
import type { Session } from '../../catalog/session/session.js';
import { findingsOf } from './plan-findings.js';
import { planOfTables, type QueryPlan } from './query-plan.js';

const NAME = 'explain';

/**
 * The answer of `work`, with the plans of its statements if the query has `explain=true`. `work` gets the query without
 * it. The plans are those of the same statements with the same rights and limits, executed once more. An empty page has
 * hints why it may be. @param kinds of the units, as far as they are known @throws KindError 400, 401, 403
 */
export async function explainablePage(
  session: Session,
  parameters: QueryParameters,
  work: (session: Session, parameters: QueryParameters) => Promise<UnitPage>,
  kinds: Iterable<KindDef> = session.model.kinds.values(),
): Promise<Answer> {
  const asked = parameters.filter(([name]) => name === NAME).map(([, text]) => text);
  if (asked.length === 0) return pageAnswer(await work(session, parameters));
  checkAdministrator(session.caller, 'explain is for administrators');
  if (asked.length > 1 || (asked[0] !== 'true' && asked[0] !== 'false')) {
    throw refusal('query.bad_value', 'explain: wants true or false, once', { parameter: NAME });
  }
  const rest = parameters.filter(([name]) => name !== NAME);
  if (asked[0] === 'false') return pageAnswer(await work(session, rest));
  const executor = new RecordingExecutor(session.executor);
  const found = await work({ ...session, executor }, rest);
  const explanation = await explain(session, executor.statements);
  const messages = found.items === '[]' ? hintsFor(rest, [...kinds], session.model) : [];
  const content = pageAnswer(found).content.slice(0, -1);
  return new Answer(`${content},"explain":${JSON.stringify({ ...explanation, messages })}}`);
}

/** Values in the filter that no unit can have. It was parsed before. */
function hintsFor(parameters: QueryParameters, kinds: readonly KindDef[], model: Model): readonly FilterHint[] {
  const [, filter = ''] = parameters.find(([name]) => name === 'filter') ?? [];
  if (filter.trim() === '') return [];
  return filterHints(parseFilter(filter), (segments) => {
    const fields = kinds.flatMap((kind) => {
      const along = fieldsAlong(segments, kind, model);
      return along.length === segments.length ? (along.at(-1)?.field.def ?? []) : [];
    });
    if (fields.length === 0) return undefined;
    const values = fields.flatMap((def) => def.values ?? []);
    return {
      values: fields.every((def) => def.values) ? values : null,
      multiple: fields.every(({ multiple }) => multiple),
    };
  });
}

/** Keeps the statements that it runs. */
class RecordingExecutor implements Executor {
  readonly statements: Statement[] = [];

  constructor(private readonly executor: Executor) {}

  run<Row>(statement: Statement): Promise<Row[]> {
    this.statements.push(statement);
    return this.executor.run<Row>(statement);
  }
}

async function explain({ executor, model }: Session, statements: readonly Statement[]): Promise<object> {
  const plans: QueryPlan[] = [];
  for (const statement of statements.filter(isExplained)) {
    plans.push(await measuredPlan(executor, statement));
  }
  const findings = plans.map((plan) => findingsOf(plan, model));
  const milliseconds = plans.reduce((sum, plan) => sum + timeOf(plan), 0);
  const summary = findings.flatMap((each) => each.summary);
  return {
    milliseconds: rounded(milliseconds),
    summary:
      summary.length > 0 ? summary : ['Nothing is slow: no statement reads, sorts or counts many units in vain.'],
    missing_indexes: findings.flatMap(({ missing }) =>
      missing.map(({ kind, parameters, why }) => ({ kind, parameters, why })),
    ),
    statements: plans.map((plan) => ({ milliseconds: rounded(timeOf(plan)), plan: plan.Plan })),
  };
}

/** The plan of a read, which is executed to measure it. */
export async function measuredPlan(executor: Executor, statement: Statement): Promise<QueryPlan> {
  const [row] = await executor.run<{ 'QUERY PLAN': [QueryPlan] }>(queryPlanStatement(statement));
  if (!row) throw new Error('EXPLAIN answers one row');
  return planOfTables(row['QUERY PLAN'][0]);
}

/** `count=estimated` asks for a plan itself. */
function isExplained(statement: Statement): boolean {
  return !isWrite(statement) && !statement.text.startsWith('EXPLAIN');
}

function timeOf(plan: QueryPlan): number {
  return plan['Planning Time'] + plan['Execution Time'];
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

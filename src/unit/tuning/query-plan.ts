/** The plan of a statement, as PostgreSQL's EXPLAIN returns it. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { withoutShard } from '../../model/names.js';

/** The properties of a node that findings use; there are more. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Subplan Name'?: string;
  readonly Filter?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly 'Sort Key'?: readonly string[];
  readonly 'Presorted Key'?: readonly string[];
  readonly 'Sort Space Type'?: string;
  readonly 'Rows Removed by Filter'?: number;
  /** Of one loop, as are the rows. */
  readonly 'Actual Total Time': number;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  /** PostgreSQL's estimate. */
  readonly 'Plan Rows': number;
  readonly Plans?: readonly PlanNode[];
  /** Of Citus: the plans of the workers that run the statement. */
  readonly 'Distributed Query'?: {
    readonly Job: { readonly Tasks: readonly { readonly 'Remote Plan': readonly (readonly QueryPlan[])[] }[] };
  };
}

export interface QueryPlan {
  readonly Plan: PlanNode;
  /** Milliseconds. */
  readonly 'Planning Time': number;
  readonly 'Execution Time': number;
}

/**
 * The plan where the tables are. The one of Citus has that of the worker inside, in which names of tables and indexes end
 * in the number of a shard.
 */
export function planOfTables(plan: QueryPlan): QueryPlan {
  const remote = plan.Plan['Distributed Query']?.Job.Tasks[0]?.['Remote Plan'].flat()[0];
  return remote ? { ...remote, Plan: withoutShards(remote.Plan) } : plan;
}

function withoutShards(node: PlanNode): PlanNode {
  const { 'Relation Name': relation, 'Index Name': index, Plans: children } = node;
  return {
    ...node,
    ...(relation !== undefined && { 'Relation Name': withoutShard(relation) }),
    ...(index !== undefined && { 'Index Name': withoutShard(index) }),
    ...(children && { Plans: children.map(withoutShards) }),
  };
}

/** A node and all below it. */
export function* nodesOf(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const child of node.Plans ?? []) yield* nodesOf(child);
}

export function rowCount(node: PlanNode): number {
  return Math.round(node['Actual Rows'] * node['Actual Loops']);
}

/** How a condition tests a column. */
export type ColumnTest = 'equal' | 'range' | 'text' | 'list';

const TESTS: ReadonlyMap<string, ColumnTest> = new Map([
  ['=', 'equal'],
  ['<', 'range'],
  ['<=', 'range'],
  ['>', 'range'],
  ['>=', 'range'],
  ['~~', 'text'],
  ['@>', 'list'],
  ['&&', 'list'],
]);

/** The tests that follow a column: after the end of its function and its type. */
const OPERATOR = /^\)*(?:::[a-z ]+(?:\[\])?\)*)?\s*(=|<=|>=|<>|<|>|~~|@>|&&)(?=\s)/;
/** A name that is not that of a type or a function. */
const NAME = /(?<!::)(?<![\w".])(?:(?:"(?:[^"]|"")+"|[a-z_]\w*)\.)?("(?:[^"]|"")+"|[a-z_]\w*)(?![\w(.])/g;

/** The columns that a condition of a plan tests in a way that an index could serve. */
export function testedColumns(condition: string): Map<string, ColumnTest> {
  const text = condition.replace(/'(?:[^']|'')*'/g, "''").replace(/ COLLATE [\w".]+/g, '');
  // No index finds what does not match.
  if (/\bNOT\b/.test(text)) return new Map();
  const found = new Map<string, ColumnTest>();
  for (const match of text.matchAll(NAME)) {
    const rest = text.slice(match.index + match[0].length);
    const test = TESTS.get(OPERATOR.exec(rest)?.[1] ?? '');
    if (test) found.set(columnOf(match[1] ?? ''), test);
  }
  return found;
}

/** The column of a key of a sort that is a column; undefined for an expression. */
export function sortedColumn(key: string): string | undefined {
  const name = /^(?:(?:"(?:[^"]|"")+"|[a-z_]\w*)\.)?("(?:[^"]|"")+"|[a-z_]\w*)(?: DESC)?(?: NULLS \w+)?$/.exec(
    key,
  )?.[1];
  return name === undefined ? undefined : columnOf(name);
}

function columnOf(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

/** A constant as plans show it, with its type, or a parameter. */
const VALUE = /'(?:[^']|'')*'|\$\d+|(?<![\w".])-?\d+(?:\.\d+)?(?![\w"])|"(?:[^"]|"")*"/g;
const TYPE = /\?::[a-z_]+(?: [a-z_]+)*(?:\(\?(?:,\?)?\)|\?)?(?: with(?:out)? time zone)?(?:\[\])*/g;

/**
 * Whether two plans do the same: the same nodes, indexes and conditions. Where one of them was made for the values of a
 * statement, it has constants where the other one has parameters.
 * @param first, second plans in the JSON of EXPLAIN, without estimates
 */
export function isSamePlan(first: unknown, second: unknown): boolean {
  return isDeepStrictEqual(withoutValues(first), withoutValues(second));
}

function withoutValues(part: unknown): unknown {
  if (typeof part === 'string') return conditionWithoutValues(part);
  if (Array.isArray(part)) return part.map(withoutValues);
  if (part === null || typeof part !== 'object') return part;
  return Object.entries(part).map(([key, value]) => [key, withoutValues(value)]);
}

function conditionWithoutValues(text: string): string {
  const bare = text.replace(VALUE, (found) => (found.startsWith('"') ? found : '?')).replaceAll('(?)', '?');
  return bare.replace(TYPE, '?').replaceAll('(?)', '?');
}

/** Finds in the plan of a statement what is slow, and which index is missing. Pure. */
import type { Field, KindDef, Model } from '../../model/model.js';
import type { MissingIndex } from '../../sql/definition/query-statistics.sql.js';
import {
  nodesOf,
  rowCount,
  sortedColumn,
  testedColumns,
  type ColumnTest,
  type PlanNode,
  type QueryPlan,
} from './query-plan.js';

interface Findings {
  /** Sentences. */
  readonly summary: readonly string[];
  readonly missing: readonly MissingIndex[];
}

/** Fewer rows are read in a millisecond. */
const MANY_ROWS = 1000;
/** An index is not used if it would select more than one row of so many. */
const ROWS_PER_MATCH = 5;
/** The most parameters of a proposed index. */
const MAX_PARAMETERS = 3;

export function findingsOf({ Plan: root, 'Execution Time': milliseconds }: QueryPlan, model: Model): Findings {
  const kinds = new Map([...model.kinds.values()].filter((kind) => !kind.builtIn).map((kind) => [kind.table, kind]));
  const [summary, missing]: [string[], MissingIndex[]] = [[], []];
  for (const node of nodesOf(root)) {
    const found = scanFinding(node, kinds) ?? sortFinding(node, kinds) ?? countFinding(node, milliseconds);
    if (!found) continue;
    summary.push(found.text);
    if (found.missing) missing.push(found.missing);
  }
  return { summary: [...new Set(summary)], missing: distinct(missing) };
}

interface Finding {
  readonly text: string;
  readonly missing?: MissingIndex | undefined;
}

type KindsByTable = ReadonlyMap<string, KindDef>;

function kindOf(node: PlanNode, kinds: KindsByTable): KindDef | undefined {
  return kinds.get(node['Relation Name'] ?? '');
}

/** A scan that reads many rows which do not match. */
function scanFinding(node: PlanNode, kinds: KindsByTable): Finding | undefined {
  const kind = kindOf(node, kinds);
  const removed = Math.round((node['Rows Removed by Filter'] ?? 0) * node['Actual Loops']);
  const kept = rowCount(node);
  if (!kind || removed < MANY_ROWS || removed < kept * (ROWS_PER_MATCH - 1)) return undefined;
  const filter = node.Filter ?? '';
  const tests = fieldTests(filter, kind);
  const names = tests.map(({ field }) => field.id);
  const tested = names.length > 0 ? ` that the filter on ${names.join(', ')} selects` : '';
  const text = `${number(removed + kept)} units of '${kind.id}' are read to find the ${number(kept)}${tested}.`;
  const cause = `${number(removed)} units are read that do not match`;
  // Each alternative needs an index of its own.
  const served = filter.includes(' OR ') ? tests.slice(0, 1) : indexFor([...indexedTests(node, kind), ...tests]);
  const inside = served.some(({ test }) => isInside(test));
  const parameters = served.map(({ field }) => field.id);
  return { text, missing: missingIndex(kind, { parameters, inside, why: cause, read: removed + kept, found: kept }) };
}

interface FieldTest {
  readonly field: Field;
  readonly test: ColumnTest;
}

/** The parameters of a kind that a condition tests. */
function fieldTests(condition: string, kind: KindDef): FieldTest[] {
  const columns = testedColumns(condition);
  return [...kind.fields.values()].flatMap((field) => {
    const test = columns.get(field.column ?? '');
    return test && !field.system && field !== kind.keyField ? [{ field, test }] : [];
  });
}

/** Tests for one value that an index serves already. */
function indexedTests(node: PlanNode, kind: KindDef): FieldTest[] {
  return fieldTests(node['Index Cond'] ?? '', kind).filter(({ test }) => test === 'equal');
}

function isInside(test: ColumnTest): boolean {
  return test === 'text' || test === 'list';
}

/** The tests that an index serves: those of one value first, then one of a range. */
function indexFor(tests: readonly FieldTest[]): FieldTest[] {
  const other = tests.find(({ test }) => isInside(test));
  if (other && tests.every(({ test }) => test !== 'equal')) return [other];
  const equal = tests.filter(({ field, test }) => test === 'equal' && !field.def.multiple && field.type.sortable);
  const range = tests.filter(({ field, test }) => test === 'range' && field.type.sortable).slice(0, 1);
  return [...new Map([...equal, ...range].map((each) => [each.field, each])).values()].slice(0, MAX_PARAMETERS);
}

/** A sort of many rows. */
function sortFinding(node: PlanNode, kinds: KindsByTable): Finding | undefined {
  const [child] = node.Plans ?? [];
  if (!node['Sort Key'] || !child || node['Presorted Key']) return undefined;
  const rows = rowCount(child);
  if (rows < MANY_ROWS) return undefined;
  const scan = [...nodesOf(child)].find((each) => kindOf(each, kinds));
  const kind = scan && kindOf(scan, kinds);
  const [firstKey = ''] = node['Sort Key'];
  const first = fieldOf(sortedColumn(firstKey), kind);
  const by = first ? ` by ${first.id}` : '';
  const where = node['Sort Space Type'] === 'Disk' ? ' on disk, because they do not fit into memory' : '';
  const text = `${number(rows)} ${kind ? `units of '${kind.id}'` : 'rows'} are sorted${by}${where}.`;
  // An index has nulls where an order has them that does not say where.
  const isServed = !/ NULLS \w+$/.test(firstKey);
  if (!kind || !scan || !isServed || !first || first.system || first === kind.keyField) return { text };
  const conditions = [scan['Index Cond'], scan['Recheck Cond'], scan.Filter].filter((each) => each !== undefined);
  const equal = conditions.flatMap((each) => fieldTests(each, kind)).filter(({ test }) => test === 'equal');
  const parameters = [...new Set([...equal.map(({ field }) => field.id), first.id])].slice(-MAX_PARAMETERS);
  const why = `${number(rows)} units are sorted`;
  return { text, missing: missingIndex(kind, { parameters, inside: false, why, read: rows, found: rowCount(node) }) };
}

function fieldOf(column: string | undefined, kind: KindDef | undefined): Field | undefined {
  return [...(kind?.fields.values() ?? [])].find((field) => column !== undefined && field.column === column);
}

/** The count of a list, if it takes most of the time. */
function countFinding(node: PlanNode, milliseconds: number): Finding | undefined {
  const isCount = node['Node Type'] === 'Aggregate' && node['Subplan Name'] !== undefined;
  const [child] = node.Plans ?? [];
  if (!isCount || !child || rowCount(child) < MANY_ROWS || node['Actual Total Time'] < milliseconds / 2)
    return undefined;
  return {
    text: `Counting ${number(rowCount(child))} units takes more than half of the time: count=none or count=estimated avoids it.`,
  };
}

/** Undefined if the kind has such an index. */
function missingIndex(kind: KindDef, index: Omit<MissingIndex, 'kind'>): MissingIndex | undefined {
  return isMissing(kind, index) ? { kind: kind.id, ...index } : undefined;
}

/** Whether a kind lacks an index that it can have. */
export function isMissing(kind: KindDef, { parameters, inside }: Pick<MissingIndex, 'parameters' | 'inside'>): boolean {
  const [first] = parameters;
  const field = first === undefined ? undefined : kind.fields.get(first);
  if (!field || !parameters.every((id) => kind.parameters.includes(id))) return false;
  const { indexed, unique, multiple } = field.def;
  if (inside) return !indexed;
  if (startsList(kind, parameters)) return false;
  return parameters.length > 1 || !(indexed || (unique && !multiple) || field.reference !== undefined);
}

function startsList(kind: KindDef, parameters: readonly string[]): boolean {
  return [...kind.indexes, ...kind.unique].some((list) => parameters.every((id, at) => list[at] === id));
}

function distinct(indexes: readonly MissingIndex[]): MissingIndex[] {
  return [...new Map(indexes.map((each) => [`${each.kind} ${each.parameters.join()}`, each])).values()];
}

function number(value: number): string {
  return value.toLocaleString('en');
}

/** The two units of a link in statements: found, locked, and tested by the access of the caller. */
import type { Field, KindDef } from '../../model/model.js';
import type { LinkRecording } from '../write/recording.sql.js';
import { fieldTests, operandsOf, type Predicate } from '../../model/predicate/predicate.js';
import { all, ident, join, literal, param, sql, type Fragment } from '../fragment.js';
import { idText } from '../list/mixed-units.sql.js';
import { isModelVersion } from '../model-version.sql.js';
import { conditionOnRows, rowConditions } from '../condition/predicate.sql.js';
import { hasId, kindTable } from '../table.sql.js';

/** One end of a link: a unit, and the units of its kind that the caller may read. */
export interface LinkEnd {
  readonly kind: KindDef;
  readonly key: unknown;
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
}

export interface LinkPlan {
  readonly schema: string;
  /** The version that the model must have. */
  readonly version: number;
  readonly linkId: string;
  /** The fields of the answered record that are parameters of the link type. */
  readonly shown: readonly Field[];
  readonly parent: LinkEnd;
  /** The parents that the caller may link; undefined for all. */
  readonly allowed: Predicate | undefined;
  /** The links that the access of their type allows, as a predicate over `parent` and `child`; undefined for all. */
  readonly rule?: Predicate | undefined;
  readonly child: LinkEnd;
  /** Left out where changes are not recorded. */
  readonly recording?: LinkRecording | undefined;
}

/** The values of a plan that are parameters of its statement. */
export interface LinkStatementParams {
  readonly parent: Fragment;
  readonly child: Fragment;
  readonly linkId: Fragment;
  readonly version: Fragment;
}

export function linkParams({ parent, child, linkId, version }: LinkPlan): LinkStatementParams {
  return { parent: param(parent.key), child: param(child.key), linkId: param(linkId), version: param(version) };
}

function endQuery(
  schema: string,
  { kind, access }: LinkEnd,
  key: Fragment,
  version: Fragment,
  more: Fragment,
): Fragment {
  const where = all([hasId(kind, key), isModelVersion(schema, version), ...rowConditions(schema, kind, [access])]);
  return sql`
    SELECT ${idText(kind)} AS id${more}
    FROM ${kindTable(schema, kind)} AS t
    WHERE ${where}
  `;
}

/** The lock of a foreign key: a transaction that deletes one of the units waits until this one has ended. */
export const KEY_SHARE = sql` FOR KEY SHARE OF t`;
/** Edits wait too, so that a rule is tested on units as they are when the transaction ends. */
const SHARE = sql` FOR SHARE OF t`;

export function endCtes(plan: LinkPlan, params: LinkStatementParams, unruledLock: Fragment): Fragment {
  const { allowed, rule, schema, parent, child } = plan;
  const test = allowed ? sql`(${all(rowConditions(schema, parent.kind, [allowed]))}) IS TRUE` : sql`true`;
  const lock = rule ? SHARE : unruledLock;
  const tested = (end: End) => join(rule ? testedColumns(rule, end).map(keptColumn) : [], '');
  const parentMore = sql`, ${test} AS allowed${tested('parent')}`;
  const parentRow = endQuery(schema, parent, params.parent, params.version, parentMore);
  const childRow = endQuery(schema, child, params.child, params.version, tested('child'));
  const ends = sql`_p AS MATERIALIZED (${parentRow}${lock}), _c AS MATERIALIZED (${childRow}${lock})`;
  return rule ? sql`${ends}, _a AS MATERIALIZED (${ruleQuery(schema, rule)})` : ends;
}

/** One row `allowed`, if there are both units. */
function ruleQuery(schema: string, rule: Predicate): Fragment {
  const condition = conditionOnRows(schema, rule, { parent: '_pu', child: '_cu' });
  return sql`
    SELECT (${condition}) IS TRUE AS allowed
    FROM _p, _c, ${unitRow('_p', rule, 'parent', '_pu')}, ${unitRow('_c', rule, 'child', '_cu')}
  `;
}

type End = 'parent' | 'child';

/** The columns of a locked unit that a rule tests, as a row. */
function unitRow(cte: string, rule: Predicate, end: End, row: string): Fragment {
  const values = testedColumns(rule, end).map((column, at) => sql`${ident(cte, keptName(at))} AS ${ident(column)}`);
  return sql`LATERAL (SELECT ${values.length > 0 ? join(values) : sql`1`}) AS ${ident(row)}`;
}

/** A column of the row `t`, kept under a name that no parameter has. */
function keptColumn(column: string, at: number): Fragment {
  return sql`, ${ident('t', column)} AS ${ident(keptName(at))}`;
}

function keptName(at: number): string {
  return `_c${at}`;
}

function testedColumns(rule: Predicate, end: End): string[] {
  const fields = fieldTests(rule)
    .flatMap(operandsOf)
    .flatMap(({ field, through = [] }) => {
      const [first, next] = through;
      if (first?.reference.id !== end) return [];
      const tested = next?.reference ?? field;
      // A field that is not read from the row is tested with the key.
      return tested.column === undefined ? first.kind.keyField : tested;
    });
  return [...new Set(fields.flatMap(({ column }) => column ?? []))];
}

/** Whether the caller may do it; null where a rule cannot be tested. */
export function isAllowed({ rule }: LinkPlan): Fragment {
  return rule ? sql`(SELECT allowed FROM _a)` : sql`EXISTS (SELECT FROM _p WHERE allowed)`;
}

export function isThisLink({ parent, child }: LinkPlan, { linkId }: LinkStatementParams): Fragment {
  return sql`
    l."parent_kind" = ${literal(parent.kind.id)}
      AND l."parent_id" = (SELECT id FROM _p)
      AND l."child_kind" = ${literal(child.kind.id)}
      AND l."child_id" = (SELECT id FROM _c)
      AND l."link_id" = ${linkId}
  `;
}

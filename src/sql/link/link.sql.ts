/**
 * Links between units. A link may be between any two kinds, so there is no foreign key. Instead, a statement that
 * creates a link locks both units as a foreign key would; and a deletion of units deletes their links afterwards, in a
 * statement that sees all links created before.
 */
import type { Field } from '../../model/model.js';
import { columnRef, fieldJson, utcText } from '../columns.sql.js';
import { EMPTY_SQL, ident, join, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import {
  endCtes,
  isAllowed,
  isThisLink,
  KEY_SHARE,
  linkParams,
  type LinkPlan,
  type LinkStatementParams,
} from './link-ends.sql.js';
import { linkTable } from '../table.sql.js';
import { MODEL_TABLE } from '../model-version.sql.js';
import { columnNames, inputColumn, inputTable, paramsOf, type NewRows } from '../write/input-rows.sql.js';
import { fromTemplate, identityOf } from '../statement-template.js';
import { recordLinks } from '../write/recording.sql.js';

/** The values of a link that are written. */
export interface LinkValues {
  readonly written: readonly Field[];
  readonly rows: NewRows;
  /** Those of the written fields that an existing link must have with the same value. */
  readonly compared: readonly Field[];
  /** An existing link differs in any case: a comparison would reveal a value that the caller may not read. */
  readonly incomparable: boolean;
}

/** Whether the caller can read both units and may link them, and the record of the link, if there is one. */
export interface LinkRow {
  readonly v: string;
  readonly parent: boolean;
  /** Null where a rule over both units cannot be tested, because one of them is missing. */
  readonly allowed: boolean | null;
  readonly child: boolean;
  readonly body: string | null;
  /** Of a create: whether the link exists with another value of a compared field. */
  readonly differs?: boolean | null;
}

/** `{parent_id, child_id, type, …}` of the row `l`. */
const LINK_RECORD = sql`json_build_object(
  'parent_id', l."parent_id",
  'child_id', l."child_id",
  'type', 'link',
  'parent_kind_id', l."parent_kind",
  'child_kind_id', l."child_kind",
  'link_id', l."link_id",
  'inserted_at', ${utcText(sql`l."inserted_at"`)}
)::text`;

/** The record of the row `l` with the values of the link. */
export function linkRecord({ shown }: Pick<LinkPlan, 'shown'>): Fragment {
  if (shown.length === 0) return LINK_RECORD;
  const values = shown.map((field) => sql`${fieldJson(field, 'l')} AS ${ident(field.id)}`);
  return sql`(
    SELECT row_to_json(_r)
    FROM (
      SELECT
        l."parent_id",
        l."child_id",
        'link' AS "type",
        l."parent_kind" AS "parent_kind_id",
        l."child_kind" AS "child_kind_id",
        l."link_id",
        ${utcText(sql`l."inserted_at"`)} AS "inserted_at",
        ${join(values)}
    ) AS _r
  )::text`;
}

function linkAnswer(plan: LinkPlan, body: Fragment, more = EMPTY_SQL): Fragment {
  return sql`
    SELECT
      m."version" AS v,
      EXISTS (SELECT FROM _p) AS parent,
      ${isAllowed(plan)} AS allowed,
      EXISTS (SELECT FROM _c) AS child,
      ${body} AS body${more}
    FROM ${ident(plan.schema, MODEL_TABLE)} AS m
  `;
}

/**
 * Creates a link unless it exists. One row `LinkRow`; without a body if a unit or the right is missing, or if a
 * concurrent request creates or deletes the same link.
 */
export function insertLinkStatement(plan: LinkPlan, values?: LinkValues): Statement {
  const { schema, parent, child, allowed, linkId, version } = plan;
  if (values || plan.shown.length > 0 || parent.access || child.access || allowed || plan.rule || plan.recording)
    return render(insertLinkSql(plan, linkParams(plan), values), true);
  const shape = `link ${schema} ${identityOf(child.kind)}`;
  return fromTemplate(parent.kind, shape, [parent.key, child.key, linkId, version], ([one, other, type, expected]) =>
    insertLinkSql(plan, { parent: one, child: other, linkId: type, version: expected }),
  );
}

function insertLinkSql(plan: LinkPlan, params: LinkStatementParams, values?: LinkValues): Fragment {
  const { schema, parent, child } = plan;
  const table = linkTable(schema);
  const record = linkRecord(plan);
  const written = values?.written ?? [];
  const names = written.length > 0 ? sql`, ${join(columnNames(written))}` : EMPTY_SQL;
  const columns = written.length > 0 ? sql`, ${join(written.map(inputColumn))}` : EMPTY_SQL;
  const input = values && written.length > 0 ? sql`, ${valuesTable(values)}` : EMPTY_SQL;
  const inserted = sql`
    INSERT INTO ${table} AS l ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at"${names})
    SELECT ${literal(parent.kind.id)}, _p.id, ${literal(child.kind.id)}, _c.id, ${params.linkId}::text, now()${columns}
    FROM _p, _c${input}
    WHERE ${plan.rule ? isAllowed(plan) : sql`_p.allowed`}
    ON CONFLICT DO NOTHING
    RETURNING l.*
  `;
  const existing = sql`(
    SELECT ${record}
    FROM ${table} AS l
    WHERE ${isThisLink(plan, params)} AND ${isAllowed(plan)}
  )`;
  const body = sql`coalesce((SELECT ${record} FROM inserted AS l), ${existing})`;
  return sql`
    WITH
      ${endCtes(plan, params, KEY_SHARE)},
      ${join([sql`inserted AS (${inserted})`, ...recordLinks(schema, plan.recording, 'link', sql`inserted`)])}
    ${linkAnswer(plan, body, differs(plan, params, values))}
  `;
}

/** The values as a table `i`. */
function valuesTable({ written, rows }: LinkValues): Fragment {
  return inputTable(written, rows, paramsOf(rows).map(param));
}

/** The column `differs` of the answer of a create. Citus reads the table after the INSERT, and finds the new link. */
function differs(plan: LinkPlan, params: LinkStatementParams, values: LinkValues | undefined): Fragment {
  if (!values || (values.compared.length === 0 && !values.incomparable)) return EMPTY_SQL;
  const tests = values.compared.map((field) => sql`${columnRef(field, 'l')} IS DISTINCT FROM ${inputColumn(field)}`);
  if (values.incomparable) tests.push(sql`true`);
  return sql`,
      NOT EXISTS (SELECT FROM inserted) AND EXISTS (
        SELECT
        FROM ${linkTable(plan.schema)} AS l, ${valuesTable(values)}
        WHERE ${isThisLink(plan, params)} AND (${join(tests, ' OR ')})
      ) AS differs
  `;
}

/** Changes values of a link. One row `LinkRow`, without a body if there is no such link. */
export function updateLinkStatement(plan: LinkPlan, values: LinkValues): Statement {
  const params = linkParams(plan);
  const changes = values.written.map((field) => sql`${ident(field.column ?? field.id)} = ${inputColumn(field)}`);
  const updated = sql`
    UPDATE ${linkTable(plan.schema)} AS l
    SET ${join(changes)}
    FROM ${valuesTable(values)}
    WHERE ${isThisLink(plan, params)} AND ${isAllowed(plan)}
    RETURNING l.*
  `;
  return changeStatement(plan, params, { name: sql`updated`, change: updated, operation: 'link' });
}

interface LinkChange {
  readonly name: Fragment;
  readonly change: Fragment;
  readonly operation: 'link' | 'unlink';
}

/** Changes a link with a CTE that returns its row. */
function changeStatement(
  plan: LinkPlan,
  params: LinkStatementParams,
  { name, change, operation }: LinkChange,
): Statement {
  return render(
    sql`
      WITH
        ${endCtes(plan, params, EMPTY_SQL)},
        ${join([sql`${name} AS (${change})`, ...recordLinks(plan.schema, plan.recording, operation, name)])}
      ${linkAnswer(plan, sql`(SELECT ${linkRecord(plan)} FROM ${name} AS l)`)}
    `,
    true,
  );
}

/**
 * Waits for transactions that create links, and makes new ones wait until this transaction ends. PostgreSQL locks the
 * table before a statement takes its snapshot, so these see the model version that this transaction commits.
 */
export function lockLinksStatement(schema: string): Statement {
  return render(sql`LOCK TABLE ${linkTable(schema)} IN SHARE ROW EXCLUSIVE MODE`);
}

/** Reads a link. One row `LinkRow`. */
export function findLinkStatement(plan: LinkPlan): Statement {
  const params = linkParams(plan);
  const existing = sql`(
    SELECT ${linkRecord(plan)}
    FROM ${linkTable(plan.schema)} AS l
    WHERE ${isThisLink(plan, params)}
  )`;
  return render(sql`WITH ${endCtes(plan, params, EMPTY_SQL)} ${linkAnswer(plan, existing)}`);
}

/** Deletes a link. One row `LinkRow`; its body is the record of the deleted link. */
export function deleteLinkStatement(plan: LinkPlan): Statement {
  const params = linkParams(plan);
  const deleted = sql`
    DELETE FROM ${linkTable(plan.schema)} AS l
    WHERE ${isThisLink(plan, params)} AND ${isAllowed(plan)}
    RETURNING l.*
  `;
  return changeStatement(plan, params, { name: sql`deleted`, change: deleted, operation: 'unlink' });
}

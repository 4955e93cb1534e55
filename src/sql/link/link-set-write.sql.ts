/** Writes many links of one type between one unit and others, after `link-set.sql.ts` has locked them. */
import type { Field } from '../../model/model.js';
import { boundedInTotal } from '../answer-size.sql.js';
import { columnRef } from '../columns.sql.js';
import { all, EMPTY_SQL, ident, join, literal, param, render, sql } from '../fragment.js';
import type { Fragment, Statement } from '../fragment.js';
import { linkRecord } from './link.sql.js';
import { foundLink, unitRows, type LinkSet, type UnitList } from './link-set.sql.js';
import { linkTable } from '../table.sql.js';
import { isModelVersion, MODEL_TABLE } from '../model-version.sql.js';
import { columnNames, inputColumn, inputRows, type RowsText } from '../write/input-rows.sql.js';
import { recordLinks } from '../write/recording.sql.js';
import { columnsByDirection } from './traversal-step.sql.js';

/** The links to write. */
export interface NewLinks {
  /** The fields of the answered records that are parameters of the link type. */
  readonly shown: readonly Field[];
  /** The fields that new links have. */
  readonly inserted: readonly Field[];
  /** The fields that existing links are given. */
  readonly given: readonly Field[];
  /** Whether the given values replace those of existing links; otherwise they have to be the same. */
  readonly replace: boolean;
  /**
   * A row for each link: `_kind` and `_id` of the other unit, `_new`, `_given` (the columns of the fields that an
   * existing link is given), `_differs` (it differs in any case), and the values by column.
   */
  readonly rows: RowsText;
  /** The units whose links are deleted. */
  readonly deleted: UnitList | undefined;
}

/** The unit of a link, its record, and whether its values differ. A link that is missing was created or deleted meanwhile. */
export interface NewLinkRow {
  readonly v: string;
  readonly kind: string | null;
  readonly id: string | null;
  readonly body: string | null;
  readonly differs: boolean | null;
}

const ROW_COLUMNS = [
  { name: sql`"_kind"`, type: sql`text` },
  { name: sql`"_id"`, type: sql`text` },
  { name: sql`"_new"`, type: sql`boolean` },
  { name: sql`"_given"`, type: sql`text[]` },
  { name: sql`"_differs"`, type: sql`boolean` },
];

/**
 * Statements that delete links, change values of existing ones, and create others, to be run in this order in one
 * transaction. They are several because Citus has no INSERT in one statement with changes of rows by their place. The last
 * one has rows `NewLinkRow`; without links one row, whose `kind` is null. If the model is outdated, none writes anything.
 * Links are looked up one by one in the index: PostgreSQL may know nothing of how many a unit has.
 */
export function writeLinksStatements(set: LinkSet, links: NewLinks): Statement[] {
  const changes = links.replace && links.given.length > 0;
  return [
    ...(links.deleted === undefined ? [] : [deleteStatement(set, links.deleted)]),
    ...(changes ? [changeStatement(set, links)] : []),
    createStatement(set, links, changes),
  ];
}

/** The row `i` of a link, as its unit. */
const ROW = { kind: sql`i."_kind"`, id: sql`i."_id"` };

function isCurrent({ schema, version }: LinkSet): Fragment {
  return isModelVersion(schema, param(version));
}

/** The table `i`. */
function inputLinks({ inserted, given, rows }: NewLinks): Fragment {
  return inputRows([...new Set([...inserted, ...given])], param(rows.json), ROW_COLUMNS);
}

/** Whether an existing link `l` is to have other values. */
function isOther({ given }: NewLinks): Fragment {
  return sql`(${given.length > 0 ? differs(given) : sql`false`} OR i."_differs")`;
}

function deleteStatement(set: LinkSet, deleted: UnitList): Statement {
  const found = foundLink(set, { kind: sql`u.kind`, id: sql`u.id` }, sql`l.ctid`);
  const places = sql`SELECT e.ctid FROM ${unitRows(deleted)} CROSS JOIN LATERAL (${found}) AS e`;
  const change = sql`
    DELETE FROM ${linkTable(set.schema)} AS l WHERE l.ctid = ANY(ARRAY(${places})) AND ${isCurrent(set)}
  `;
  return render(recordedChange(set, 'unlink', change), true);
}

/** A change of links `l`, which is recorded. */
function recordedChange({ schema, recording }: LinkSet, operation: 'link' | 'unlink', change: Fragment): Fragment {
  if (!recording) return change;
  const changed = sql`_l AS (${change} RETURNING l.*)`;
  return sql`WITH ${join([changed, ...recordLinks(schema, recording, operation, sql`_l`)])} SELECT count(*) FROM _l`;
}

function changeStatement(set: LinkSet, links: NewLinks): Statement {
  const values = links.given.map((field) => sql`${ident(field.column ?? field.id)} = ${newValue(field)}`);
  const found = foundLink(set, ROW, sql`l.ctid`);
  const existing = sql`
    SELECT i.*, e.ctid AS "_at"
    FROM ${inputLinks(links)}
    CROSS JOIN LATERAL (${found}) AS e
    WHERE NOT i."_new"
  `;
  const change = sql`
    UPDATE ${linkTable(set.schema)} AS l
    SET ${join(values)}
    FROM (${existing}) AS i
    WHERE ${all([sql`l.ctid = i."_at"`, isCurrent(set), isOther(links)])}
  `;
  return render(recordedChange(set, 'link', change), true);
}

/** @param changed whether the existing links have their values */
function createStatement(set: LinkSet, links: NewLinks, changed: boolean): Statement {
  const record = linkRecord(links);
  const { far } = columnsByDirection(set.direction);
  const existing = foundLink(set, ROW, sql`${record} AS body, ${changed ? sql`false` : isOther(links)} AS differs`);
  return render(
    sql`
      WITH i AS MATERIALIZED (SELECT i.*, now() AS "_now" FROM ${inputLinks(links)}),
      ${join([sql`_i AS (${insertSql(set, links.inserted)})`, ...recordLinks(set.schema, set.recording, 'link', sql`_i`)])}
      SELECT m."version" AS v, a.kind, a.id, ${boundedInTotal(sql`a.body`)} AS body, a.differs
      FROM ${ident(set.schema, MODEL_TABLE)} AS m
      LEFT JOIN (
        SELECT ${far.kind} AS kind, ${far.id} AS id, ${record} AS body, false AS differs
        FROM _i AS l
        UNION ALL
        SELECT i."_kind", i."_id", e.body, e.differs
        FROM i
        CROSS JOIN LATERAL (${existing}) AS e
        WHERE NOT i."_new"
      ) AS a ON true
    `,
    true,
  );
}

/** Inserts the new links in the order of the other units. */
function insertSql(set: LinkSet, fields: readonly Field[]): Fragment {
  const { schema, linkId, direction, kind, id } = set;
  const own = sql`${literal(kind.id)}, ${param(id)}`;
  const other = sql`i."_kind", i."_id"`;
  const ends = direction === 'child' ? [own, other] : [other, own];
  const names = fields.length > 0 ? sql`, ${join(columnNames(fields))}` : EMPTY_SQL;
  const values = fields.length > 0 ? sql`, ${join(fields.map(inputColumn))}` : EMPTY_SQL;
  return sql`
    INSERT INTO ${linkTable(schema)} AS l
      ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at"${names})
    SELECT ${join(ends)}, ${param(linkId)}::text, i."_now"${values}
    FROM i
    WHERE i."_new" AND ${isCurrent(set)}
    ORDER BY i."_kind", i."_id"
    ON CONFLICT DO NOTHING
    RETURNING l.*
  `;
}

/** Whether the row `i` is given a value for a field of an existing link. */
function isGiven(field: Field): Fragment {
  return sql`${literal(field.column ?? field.id)} = ANY(i."_given")`;
}

function newValue(field: Field): Fragment {
  return sql`CASE WHEN ${isGiven(field)} THEN ${inputColumn(field)} ELSE ${columnRef(field, 'l')} END`;
}

/** Whether one of the values that the row `i` is given is not that of the link `l`. */
function differs(fields: readonly Field[]): Fragment {
  const tests = fields.map(
    (field) => sql`(${isGiven(field)} AND ${columnRef(field, 'l')} IS DISTINCT FROM ${inputColumn(field)})`,
  );
  return join(tests, ' OR ');
}

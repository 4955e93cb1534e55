/** Writes many links of one type between one unit and others, after `link-set.sql.ts` has locked them. */
import type { Field } from '../model/model.js';
import { boundedInTotal } from './answer-size.sql.js';
import { columnRef } from './columns.sql.js';
import { all, EMPTY_SQL, ident, join, literal, param, render, sql } from './fragment.js';
import type { Fragment, Statement } from './fragment.js';
import { linkRecord } from './link.sql.js';
import { inSet, unitRows, type LinkSet, type UnitList } from './link-set.sql.js';
import { linkTable } from './link-table.sql.js';
import { isModelVersion, MODEL_TABLE } from './model-version.sql.js';
import { columnNames, inputColumn, numberedInputRows, type RowsText } from './new-rows.sql.js';
import { columnsByDirection } from './traversal.sql.js';

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

/** One per link, in order: its record, null if it was created or deleted meanwhile, and whether its values differ. */
export interface NewLinkRow {
  readonly v: string;
  readonly n: string | null;
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
 * Creates links, changes values of existing ones, and deletes others. Rows `NewLinkRow`; without links one row, whose
 * `n` is null.
 */
export function writeLinksStatement(set: LinkSet, links: NewLinks): Statement {
  const { schema, direction } = set;
  const { shown, inserted, given, replace, rows, deleted } = links;
  const { far } = columnsByDirection(direction);
  const record = linkRecord({ shown });
  const table = linkTable(schema);
  const version = param(set.version);
  const isCurrent = isModelVersion(schema, version);
  const isSame = all([inSet(set), sql`${far.kind} = i."_kind"`, sql`${far.id} = i."_id"`]);
  const fields = [...new Set([...inserted, ...given])];
  const input = numberedInputRows(fields, param(rows.json), ROW_COLUMNS);
  const ctes = [sql`i AS MATERIALIZED (SELECT * FROM ${input})`];
  if (deleted !== undefined) {
    const where = all([inSet(set), sql`${far.kind} = u.kind`, sql`${far.id} = u.id`, isCurrent]);
    ctes.push(sql`_d AS (DELETE FROM ${table} AS l USING ${unitRows(deleted)} WHERE ${where})`);
  }
  const changes = replace && given.length > 0;
  if (changes) {
    const values = given.map((field) => sql`${ident(field.column ?? field.id)} = ${newValue(field)}`);
    const where = all([isSame, sql`NOT i."_new"`, isCurrent, sql`(${differs(given)})`]);
    const updated = sql`
      UPDATE ${table} AS l SET ${join(values)} FROM i WHERE ${where} RETURNING i._n, ${record} AS body
    `;
    ctes.push(sql`_u AS (${updated})`);
  }
  ctes.push(sql`_i AS (${insertSql(set, inserted, record, isCurrent)})`);
  const existing = sql`
    SELECT ${record} AS body, ${given.length > 0 ? differs(given) : sql`false`} OR i."_differs" AS differs
    FROM ${table} AS l
    WHERE ${isSame}
  `;
  const answers = sql`
    SELECT i._n AS n, coalesce(${changes ? sql`u.body, ` : EMPTY_SQL}n.body, e.body) AS body, e.differs
    FROM i
    LEFT JOIN _i AS n ON n.kind = i."_kind" AND n.id = i."_id"
    ${changes ? sql`LEFT JOIN _u AS u ON u._n = i._n` : EMPTY_SQL}
    LEFT JOIN LATERAL (${existing}) AS e ON true
    ORDER BY i._n
    OFFSET 0
  `;
  return render(
    sql`
      WITH ${join(ctes)}
      SELECT m."version" AS v, a.n, ${boundedInTotal(sql`a.body`)} AS body, a.differs
      FROM ${ident(schema, MODEL_TABLE)} AS m
      LEFT JOIN (${answers}) AS a ON true
      ORDER BY a.n
    `,
    true,
  );
}

/** Inserts the new links in the order of the other units. */
function insertSql(
  { schema, linkId, direction, kind, id }: LinkSet,
  fields: readonly Field[],
  record: Fragment,
  isCurrent: Fragment,
): Fragment {
  const { far } = columnsByDirection(direction);
  const own = sql`${literal(kind.id)}, ${param(id)}`;
  const other = sql`i."_kind", i."_id"`;
  const ends = direction === 'child' ? [own, other] : [other, own];
  const names = fields.length > 0 ? sql`, ${join(columnNames(fields))}` : EMPTY_SQL;
  const values = fields.length > 0 ? sql`, ${join(fields.map(inputColumn))}` : EMPTY_SQL;
  return sql`
    INSERT INTO ${linkTable(schema)} AS l
      ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at"${names})
    SELECT ${join(ends)}, ${param(linkId)}::text, now()${values}
    FROM i
    WHERE i."_new" AND ${isCurrent}
    ORDER BY i."_kind", i."_id"
    ON CONFLICT DO NOTHING
    RETURNING ${far.kind} AS kind, ${far.id} AS id, ${record} AS body
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

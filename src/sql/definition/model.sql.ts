/** Statements of a project's model as a whole: reading it, raising its version, upgrading its built-in rows. */
import { GROUP_KIND, KIND_KIND, LINK_KIND } from '../../model/built-in-traits.js';
import { BUILT_IN_KINDS, PARAMETER_TABLE } from '../../model/built-in/built-in.js';
import type { Field, KindDef } from '../../model/model.js';
import type { AccessDefault } from '../../model/access-levels.js';
import type { Changes } from '../../model/changes.js';
import { fieldType, SET_UPDATED_AT } from '../columns.sql.js';
import {
  type Fragment,
  ident,
  inOneMessage,
  integer,
  join,
  literal,
  param,
  render,
  sql,
  type Statement,
} from '../fragment.js';
import { MODEL_TABLE } from '../model-version.sql.js';
import { kindTable } from '../table.sql.js';
import { editRows, recordCreated, type RecordedPlan } from '../write/recording.sql.js';
import { TRIGRAM_SCHEMA } from './index.sql.js';

/** The size of the definitions in one row of `loadModelStatement`, which the last of them may exceed. */
const ROW_BYTES = 256 * 1024;

/**
 * A part of a model: `body` is a JSON array of records of a sort, `bytes` its size; null in the only row of an empty
 * model.
 */
export interface ModelRow {
  /** The version. */
  readonly v: string;
  readonly built_in: number;
  readonly access_default: AccessDefault;
  /** The schema of the extension pg_trgm. */
  readonly trigrams: string | null;
  readonly sort: 'kinds' | 'parameters' | 'groups' | 'links' | null;
  readonly body: string | null;
  readonly bytes: string | null;
}

/** The ids of all kinds. */
export function kindIdsStatement(schema: string): Statement {
  return render(sql`SELECT "id" FROM ${ident(schema, KIND_KIND)}`);
}

/** Rows `schema, id`: which of these kinds are active in projects. */
export function activeKindsStatement(schemas: readonly string[], ids: readonly string[]): Statement {
  const known = join(ids.map(literal));
  return inOneMessage(
    schemas.map((schema) =>
      render(sql`
        SELECT ${literal(schema)} AS schema, k."id"
        FROM ${ident(schema, KIND_KIND)} AS k
        WHERE k."id" IN (${known}) AND k."active"
      `),
    ),
  );
}

/** All definitions (`ModelRow`), by sort and in the order in which they were created. */
export function loadModelStatement(schema: string): Statement {
  const recordsOf = (sort: string, table: string) =>
    sql`
      SELECT
        ${literal(sort)} AS sort,
        row_to_json(r)::text AS body,
        r."inserted_at" AS inserted_at,
        r."id"::text AS id
      FROM ${ident(schema, table)} AS r
    `;
  const records = join(
    [
      recordsOf('kinds', KIND_KIND),
      recordsOf('parameters', PARAMETER_TABLE),
      recordsOf('groups', GROUP_KIND),
      recordsOf('links', LINK_KIND),
    ],
    ' UNION ALL ',
  );
  const numbered = sql`
    SELECT
      sort,
      body,
      inserted_at,
      id,
      sum(octet_length(body)) OVER (PARTITION BY sort ORDER BY inserted_at, id) / ${integer(ROW_BYTES)} AS piece
    FROM (${records}) AS r
  `;
  const pieces = sql`
    SELECT
      sort,
      piece,
      '[' || string_agg(body, ',' ORDER BY inserted_at, id) || ']' AS body,
      sum(octet_length(body)) AS bytes
    FROM (${numbered}) AS n
    GROUP BY sort, piece
  `;
  return render(
    sql`
      SELECT
        m."version" AS v,
        m."built_in" AS built_in,
        ${accessDefault(sql`m`)} AS access_default,
        (${TRIGRAM_SCHEMA}) AS trigrams,
        p.sort,
        p.body,
        p.bytes
      FROM ${ident(schema, MODEL_TABLE)} AS m
      LEFT JOIN (${pieces}) AS p ON true
      ORDER BY p.sort, p.piece
    `,
    true,
  );
}

/** A model without its definitions. */
export interface ModelSummaryRow {
  readonly schema: string;
  /** The version of the built-in model that its tables have. */
  readonly built_in: number;
  readonly access_default: AccessDefault;
}

/** Rows `ModelSummaryRow`. Each schema has a statement of its own, so that it may be on another server than the others. */
export function modelSummariesStatement(schemas: readonly string[]): Statement {
  const summaryOf = (schema: string) => sql`
    SELECT ${literal(schema)} AS schema, m."built_in" AS built_in, ${accessDefault(sql`m`)} AS access_default
    FROM ${ident(schema, MODEL_TABLE)} AS m
  `;
  return inOneMessage(schemas.map((schema) => render(summaryOf(schema))));
}

export function insertModelStatement(schema: string, { version, builtIn, accessDefault: value }: NewModel): Statement {
  return render(
    sql`
      INSERT INTO ${ident(schema, MODEL_TABLE)} ("version", "built_in", "access_default")
      VALUES (${integer(version)}, ${integer(builtIn)}, ${param(value)})
    `,
  );
}

interface NewModel {
  readonly version: number;
  readonly builtIn: number;
  readonly accessDefault: AccessDefault;
}

/**
 * Raises the version of the model. One row `v`: the new version. If this process has an older built-in model (`builtIn`)
 * than the tables, they get that version, so that a newer process upgrades them again.
 */
export function bumpVersionStatement(schema: string, builtIn: number): Statement {
  return incrementVersion(schema, sql`least("built_in", ${integer(builtIn)})`);
}

/** The same after an upgrade to the built-in model `builtIn`. */
export function recordUpgradeStatement(schema: string, builtIn: number): Statement {
  return incrementVersion(schema, integer(builtIn));
}

/**
 * Locks the version until the transaction ends. At REPEATABLE READ it fails if the version has changed since the
 * transaction's snapshot: statements that were planned with the old model may have written what the new one forbids.
 */
export function keepVersionStatement(schema: string): Statement {
  return render(sql`SELECT FROM ${ident(schema, MODEL_TABLE)} FOR SHARE`);
}

function incrementVersion(schema: string, builtIn: Fragment): Statement {
  return render(
    sql`
      UPDATE ${ident(schema, MODEL_TABLE)}
      SET "version" = "version" + 1, "built_in" = ${builtIn}
      RETURNING "version" AS v
    `,
  );
}

/** Makes changes of a project's definitions wait for each other. Held until the transaction ends. */
export function lockProjectStatement(schema: string): Statement {
  return render(sql`SELECT pg_advisory_xact_lock(hashtextextended(${param(schema)}, 7))`);
}

/**
 * Inserts the rows of a built-in kind into a new project, with times a microsecond apart, so that their order is kept.
 */
export function provisionRowsStatement(
  schema: string,
  { table, fields }: Pick<KindDef, 'table' | 'fields'>,
  rows: readonly Readonly<Record<string, unknown>>[],
): Statement {
  const written = [...fields.values()].filter(({ id, column }) => column !== undefined && id in (rows[0] ?? {}));
  const names = written.map(({ id, column }) => ident(column ?? id));
  const values = written.map(({ id }) => sql`i.${ident(id)}`);
  const types = [...written.map((field) => sql`${ident(field.id)} ${fieldType(field)}`), sql`"n" int`];
  const stamps = sql`now() + i.n * interval '1 microsecond'`;
  const numbered = recordset(
    rows.map((row, n) => ({ ...row, n })),
    join(types),
  );
  return render(
    sql`
      INSERT INTO ${ident(schema, table)} (${join(names)}, "metadata", "inserted_at", "updated_at")
      SELECT ${join(values)}, '{}', ${stamps}, ${stamps}
      FROM ${numbered}
      ON CONFLICT ("id") DO NOTHING
      RETURNING "id"
    `,
  );
}

/** Rows as a table `i`. */
export function recordset(rows: readonly object[], columns: Fragment): Fragment {
  return sql`json_to_recordset(${param(JSON.stringify(rows))}::json) AS i(${columns})`;
}

/** Which of some kinds are no built-in ones, whose lists of parameters begin with `id`: rows `id`. */
export function ownKindsStatement(schema: string, ids: readonly string[]): Statement {
  return render(sql`
    SELECT "id"
    FROM ${ident(schema, KIND_KIND)}
    WHERE "id" = ANY(${param(ids)}::text[]) AND NOT 'id' = ANY("parameters")
  `);
}

/** The kinds of a group that have a parameter of that name, although the group grants it: rows `id`. */
export function ownParameterStatement(schema: string, group: string, name: string): Statement {
  return render(sql`
    SELECT k."id"
    FROM ${ident(schema, GROUP_KIND)} AS g
    JOIN ${ident(schema, KIND_KIND)} AS k ON k."id" = ANY(g."kind_list")
    JOIN ${ident(schema, PARAMETER_TABLE)} AS p ON p."id" IN (${param(name)}, k."id" || '.' || ${param(name)})
    WHERE g."id" = ${param(group)} AND ${param(name)} = ANY(k."parameters") AND NOT 'id' = ANY(k."parameters")
    ORDER BY k."id"
  `);
}

/** Sets the parameter lists of kinds. Rows `id`: the kinds whose list has changed. */
export function updateParametersStatement(
  schema: string,
  kinds: readonly { readonly id: string; readonly parameters: readonly string[] }[],
): Statement {
  const rows = recordset(
    kinds.map(({ id, parameters }) => ({ id, parameters })),
    sql`"id" text, "parameters" text[]`,
  );
  return render(
    sql`
      UPDATE ${ident(schema, KIND_KIND)} AS t
      SET "parameters" = i."parameters", ${SET_UPDATED_AT}
      FROM ${rows}
      WHERE t."id" = i."id" AND t."parameters" IS DISTINCT FROM i."parameters"
      RETURNING t."id"
    `,
  );
}

/** Adds missing kinds to built-in groups, before the kinds that users have added. Rows `id`: the changed groups. */
export function extendGroupsStatement(
  schema: string,
  groups: readonly { readonly id: string; readonly kind_list: readonly string[] }[],
): Statement {
  const rows = recordset(
    groups.map(({ id, kind_list }) => ({ id, kind_list })),
    sql`"id" text, "kind_list" text[]`,
  );
  const others = sql`ARRAY(
    SELECT k
    FROM unnest(t."kind_list") WITH ORDINALITY AS u(k, n)
    WHERE k <> ALL(i."kind_list")
    ORDER BY n
  )`;
  return render(
    sql`
      UPDATE ${ident(schema, GROUP_KIND)} AS t
      SET "kind_list" = i."kind_list" || ${others}, ${SET_UPDATED_AT}
      FROM ${rows}
      WHERE t."id" = i."id" AND NOT t."kind_list" @> i."kind_list"
      RETURNING t."id"
    `,
  );
}

/** The version of a model, and the number of its definitions by sort. */
export interface ModelState {
  readonly v: string;
  readonly kinds: number;
  readonly parameters: number;
  readonly groups: number;
  readonly links: number;
}

/** One row `ModelState`; none while the project is created or restored. */
export function readStateStatement(schema: string): Statement {
  const count = (table: string) => sql`(SELECT count(*)::int FROM ${ident(schema, table)})`;
  return render(
    sql`
      SELECT
        "version" AS v,
        ${count(KIND_KIND)} AS kinds,
        ${count(PARAMETER_TABLE)} AS parameters,
        ${count(GROUP_KIND)} AS groups,
        ${count(LINK_KIND)} AS links
      FROM ${ident(schema, MODEL_TABLE)}
    `,
    true,
  );
}

/** The setting `access_default` in the row of `MODEL_TABLE`; tables of versions without it have no such column. */
export function accessDefault(row: Fragment): Fragment {
  return sql`coalesce(to_jsonb(${row}) ->> 'access_default', 'open')`;
}

export function setAccessDefaultStatement(schema: string, value: AccessDefault): Statement {
  return render(sql`UPDATE ${ident(schema, MODEL_TABLE)} SET "access_default" = ${param(value)}`);
}

/** A setting of definitions that is an object or a list. */
type JsonSetting = 'access' | 'checks' | 'accepted' | 'transitions';

/** Replaces a setting of a kind, a link type or a parameter. Its version stays: it is the one that was answered. */
export function setJsonStatement(plan: RecordedPlan, setting: JsonSetting, id: string, value: unknown): Statement {
  const set = sql`${ident(setting)} = ${param(JSON.stringify(value))}::jsonb`;
  return render(editRows(plan, fieldsOf(plan, [setting]), set, sql`t."id" = ${param(id)}`));
}

/** Sets what is recorded of the changes of kinds of which nothing is. One row `edited`: of how many. */
export function recordChangesStatement(plan: RecordedPlan, ids: readonly string[], changes: Changes): Statement {
  const where = sql`t."id" = ANY(${param(ids)}::text[]) AND t."changes" = 'none'`;
  return render(editRows(plan, fieldsOf(plan, ['changes']), sql`"changes" = ${param(changes)}`, where));
}

function fieldsOf({ kind }: RecordedPlan, ids: readonly string[]): readonly Field[] {
  return ids.flatMap((id) => kind.fields.get(id) ?? []);
}

/** Sets fields of a parameter, which had rules, to `nobody`. */
export function closeFieldAccessStatement(
  plan: RecordedPlan,
  id: string,
  fields: readonly ('read_access' | 'write_access')[],
): Statement {
  const changes = join(fields.map((field) => sql`${ident(field)} = 'nobody'`));
  return render(editRows(plan, fieldsOf(plan, fields), changes, sql`t."id" = ${param(id)}`));
}

/** Adds to parameters the definition in whose body they were defined. */
export function recordDefinedInStatement(schema: string, kinds: ReadonlyMap<string, string>): Statement {
  const rows = recordset(
    [...kinds].map(([id, kind]) => ({ id, kind })),
    sql`"id" text, "kind" text`,
  );
  return render(
    sql`
      UPDATE ${ident(schema, PARAMETER_TABLE)} AS t
      SET "defined_in" = array_append(array_remove(t."defined_in", i."kind"), i."kind")
      FROM ${rows}
      WHERE t."id" = i."id"
    `,
  );
}

const TYPE_COLUMNS = BUILT_IN_KINDS.filter(({ table }) => table === PARAMETER_TABLE).flatMap(({ fields }) =>
  fields.flatMap(({ column }) => (column === undefined || column === 'own' ? [] : [column])),
);
/** The columns of parameters that a copy has too. */
const COPIED_COLUMNS = [...new Set(['kind_id', ...TYPE_COLUMNS, 'metadata', 'inserted_at', 'updated_at'])];

/** Gives each of these kinds a parameter of its own that equals a shared one. */
export function copyParameterStatement(plan: RecordedPlan, id: string, kinds: readonly string[]): Statement {
  const table = kindTable(plan.schema, plan.kind);
  const copied = COPIED_COLUMNS.map((column) => ident(column));
  const copies = sql`
    INSERT INTO ${table} AS t ("id", "own", ${join(copied)})
    SELECT k || '.' || p."id", true, ${join(COPIED_COLUMNS.map((column) => ident('p', column)))}
    FROM ${table} AS p
    CROSS JOIN unnest(${param(kinds)}::text[]) AS k
    WHERE p."id" = ${param(id)}
  `;
  const recorded = recordCreated(plan, sql`copies`);
  return render(recorded ? sql`WITH copies AS (${copies} RETURNING t.*) ${recorded}` : copies);
}

/** Removes deleted kinds and link types from the lists of those in which parameters were defined. */
export function forgetDefinedInStatement(schema: string, deleted: readonly string[]): Statement {
  const owners = sql`${param(deleted)}::text[]`;
  return render(sql`
    UPDATE ${ident(schema, PARAMETER_TABLE)} AS t
    SET "defined_in" = ARRAY(SELECT e FROM unnest(t."defined_in") AS e WHERE e <> ALL(${owners}))
    WHERE t."defined_in" && ${owners}
  `);
}

/**
 * Records changes of units in the statement that makes them, as `appendCount` counts them: a row of `OUTBOX_TABLE` for
 * each unit, which is rolled back with the change. They get their numbers when somebody reads them (`sql/changes/`).
 */
import type { Field, KindDef } from '../../model/model.js';
import { OUTBOX_TABLE } from '../../model/table/internal-tables.js';
import { columnRef, microseconds, UPDATED_AT } from '../columns.sql.js';
import { EMPTY_SQL, ident, join, literal, param, recordingTable, sql, type Fragment } from '../fragment.js';
import { rowLock } from '../lock.sql.js';
import { kindTable } from '../table.sql.js';

/** How the writes of a plan are recorded. */
export interface Recording {
  /** The fields whose values are kept (`recordedFields`). */
  readonly fields: readonly Field[];
  /** Who writes, and in which way: an object as JSON. */
  readonly origin: string;
}

/** How the writes of links are recorded. */
export interface LinkRecording {
  /** The kinds whose units' links to children are recorded. */
  readonly parents: readonly string[];
  readonly origin: string;
}

export interface RecordedPlan {
  readonly schema: string;
  readonly kind: KindDef;
  /** Left out where nothing is recorded. */
  readonly recording?: Recording | undefined;
}

/** The columns of rows `t` that were written. */
interface Recorded {
  readonly operation: 'create' | 'update' | 'delete';
  /** The name of the CTE that returns them. */
  readonly rows: Fragment;
  readonly version: Fragment;
  readonly before: Fragment;
  readonly after: Fragment;
}

const NOTHING = sql`NULL::jsonb`;
const VERSION = microseconds(sql`t."updated_at"`);

/** Records the new units that the CTE `rows` returns as `t.*`. @param origin as a parameter of the statement */
export function recordCreated(plan: RecordedPlan, rows: Fragment, origin?: Fragment): Fragment | undefined {
  const after = (fields: readonly Field[]) => object(fields.map((field) => [field, columnRef(field)]));
  return record(plan, origin, (fields) => ({
    operation: 'create',
    rows,
    version: VERSION,
    before: NOTHING,
    after: after(fields),
  }));
}

/** Records edits of the units that the CTE `rows` returns as `t.*` and the columns of `oldColumns`. */
export function recordUpdated(
  plan: RecordedPlan,
  written: readonly Field[],
  rows: Fragment,
  origin?: Fragment,
): Fragment | undefined {
  return record(plan, origin, () => {
    const fields = editedFields(plan, written);
    return {
      operation: 'update',
      rows,
      version: VERSION,
      before: object(fields.map((field, at) => [field, oldColumn('t', at)])),
      after: object(fields.map((field) => [field, columnRef(field)])),
    };
  });
}

/** Records deletions of the units that the CTE `rows` returns as `t.*`. The statement has the CTE `WRITE_TIME`. */
export function recordDeleted(plan: RecordedPlan, rows: Fragment): Fragment | undefined {
  return record(plan, undefined, (fields) => ({
    operation: 'delete',
    rows: sql`${rows} AS t, _now`,
    version: sql`greatest(${microseconds(sql`_now.at`)}, ${VERSION} + 1)`,
    before: object(fields.map((field) => [field, columnRef(field)])),
    after: NOTHING,
  }));
}

/** The CTE with the time of a write that gives no row a version. Citus runs no function such as now() in an INSERT that reads a table. */
export const WRITE_TIME = sql`_now AS MATERIALIZED (SELECT statement_timestamp() AS at)`;

function record(
  { schema, kind, recording }: RecordedPlan,
  origin: Fragment | undefined,
  of: (fields: readonly Field[]) => Recorded,
): Fragment | undefined {
  if (!recording) return undefined;
  const { operation, rows, version, before, after } = of(recording.fields);
  const source = operation === 'delete' ? rows : sql`${rows} AS t`;
  return sql`
    ${intoOutbox(schema)}
    SELECT
      ${origin ?? param(recording.origin)}::jsonb,
      ${literal(operation)},
      ${literal(kind.id)},
      t."id"::text,
      ${version},
      ${before},
      ${after}
    FROM ${source}
  `;
}

function intoOutbox(schema: string): Fragment {
  const columns = sql`"origin", "operation", "kind", "unit", "version", "before", "after"`;
  return sql`INSERT INTO ${recordingTable(schema, OUTBOX_TABLE)} (${columns})`;
}

/** Edits the units `t` of which a condition holds, and records it. One row `edited`: how many, however many there are. */
export function editRows(plan: RecordedPlan, fields: readonly Field[], set: Fragment, where: Fragment): Fragment {
  const table = kindTable(plan.schema, plan.kind);
  const edited = sql`SELECT count(*)::int AS edited FROM affected`;
  if (!plan.recording) {
    return sql`WITH affected AS (UPDATE ${table} AS t SET ${set} WHERE ${where} RETURNING 1) ${edited}`;
  }
  const recorded = recordUpdated(plan, fields, sql`affected`) ?? EMPTY_SQL;
  return sql`
    WITH
      old AS MATERIALIZED (SELECT t.* FROM ${table} AS t WHERE ${where} ${rowLock(false)}),
      affected AS (
        UPDATE ${table} AS t
        SET ${set}
        FROM old
        WHERE t."id" = old."id"
        RETURNING ${join([sql`t.*`, ...oldColumns(plan, fields, 'old')])}
      ),
      recorded AS (${recorded})
    ${edited}
  `;
}

/**
 * CTEs that record new, changed or deleted links: a change of the parent for each.
 * @param rows the name of the CTE that returns them as `l.*`
 */
export function recordLinks(
  schema: string,
  recording: LinkRecording | undefined,
  operation: 'link' | 'unlink',
  rows: Fragment,
): readonly Fragment[] {
  if (!recording) return [];
  const link = sql`jsonb_build_object(
    'link_id', l."link_id", 'child_kind_id', l."child_kind", 'child_id', l."child_id"
  )`;
  const [before, after] = operation === 'link' ? [NOTHING, link] : [link, NOTHING];
  const recorded = sql`
    ${intoOutbox(schema)}
    SELECT
      ${param(recording.origin)}::jsonb,
      ${literal(operation)},
      l."parent_kind",
      l."parent_id",
      ${microseconds(sql`_now.at`)},
      ${before},
      ${after}
    FROM ${rows} AS l, _now
    WHERE l."parent_kind" = ANY(${param(recording.parents)}::text[])
  `;
  return [WRITE_TIME, sql`recorded AS (${recorded})`];
}

/** The columns of the row `old` that an edit changes, for the RETURNING of the edit. */
export function oldColumns(plan: RecordedPlan, written: readonly Field[], old: string): readonly Fragment[] {
  return editedFields(plan, written).map((field, at) => sql`${ident(old, nameOf(field))} AS ${ident(oldName(at))}`);
}

/** The columns of `oldColumns` in a row that has them. */
export function keptOldColumns(plan: RecordedPlan, written: readonly Field[], row: string): readonly Fragment[] {
  return editedFields(plan, written).map((_, at) => oldColumn(row, at));
}

function oldColumn(row: string, at: number): Fragment {
  return ident(row, oldName(at));
}

/** No column of a unit has such a name. */
function oldName(at: number): string {
  return `_old${at}`;
}

/** The recorded fields that an edit changes. */
function editedFields({ recording }: RecordedPlan, written: readonly Field[]): readonly Field[] {
  const changed = new Set([UPDATED_AT, ...written.map(nameOf)]);
  return recording?.fields.filter((field) => changed.has(nameOf(field))) ?? [];
}

/** An object of columns. */
function object(values: readonly (readonly [Field, Fragment])[]): Fragment {
  const columns = values.map(([field, value]) => sql`${value} AS ${ident(nameOf(field))}`);
  return sql`(SELECT to_jsonb(_r) FROM (SELECT ${join(columns)}) AS _r)`;
}

function nameOf(field: Field): string {
  return field.column ?? field.id;
}

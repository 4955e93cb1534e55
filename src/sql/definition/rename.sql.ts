/** Gives definitions other ids or types, in all tables of a project that name them, and tables, columns and indexes other names. */
import { API_KEY_KIND, CREDENTIAL_KIND, IDENTITY_PROVIDER_KIND, WEBHOOK_KIND } from '../../model/built-in-traits.js';
import { PARAMETER_TABLE } from '../../model/built-in/built-in.js';
import type { Field } from '../../model/model.js';
import { constraintName, LINK_TABLE } from '../../model/names.js';
import type { Renames } from '../../model/rename/renames.js';
import {
  CHANGE_TABLE,
  COUNT_TABLE,
  FOLLOWER_TABLE,
  IDEMPOTENCY_TABLE,
  OUTBOX_TABLE,
  QUERY_TABLE,
  AGENT_CALL_TABLE,
  RUN_TABLE,
  SESSION_TABLE,
  TASK_TABLE,
} from '../../model/table/internal-tables.js';
import type { NewName, RenamedTable } from '../../model/table/renamed-tables.js';
import type { Json } from '../../shared/json.js';
import { followerOf } from '../changes/failure.sql.js';
import { fieldType, SET_UPDATED_AT } from '../columns.sql.js';
import { awaitCountStatement } from '../count.sql.js';
import { ident, join, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { rowLock } from '../lock.sql.js';
import { kindTable } from '../table.sql.js';
import { editRows, recordCreated, recordDeleted, WRITE_TIME, type RecordedPlan } from '../write/recording.sql.js';
import { recordset } from './model.sql.js';

/** Columns that hold the id of a kind. */
const KIND_COLUMNS = [
  [LINK_TABLE, 'parent_kind'],
  [LINK_TABLE, 'child_kind'],
  [OUTBOX_TABLE, 'kind'],
  [CHANGE_TABLE, 'kind'],
  [TASK_TABLE, 'kind'],
  [COUNT_TABLE, 'table'],
  [RUN_TABLE, 'kind_id'],
  [AGENT_CALL_TABLE, 'kind_id'],
  [SESSION_TABLE, 'member_kind'],
  [CREDENTIAL_KIND, 'member_kind'],
] as const;

/** Tables of what was recorded of changes. */
const RECORDED = [OUTBOX_TABLE, CHANGE_TABLE] as const;
/** The keys in what was recorded of a change that hold the id of a kind or a link type. */
const LINK_KEYS = { kinds: 'child_kind_id', linkTypes: 'link_id' } as const;

/**
 * The same renames, in steps of which each has no new id that is an old one too: where two change places, the first step
 * gives them ids that nothing has.
 */
export function inSteps(ids: ReadonlyMap<string, string>): ReadonlyMap<string, string>[] {
  if (ids.size === 0) return [];
  if (![...ids.values()].some((id) => ids.has(id))) return [ids];
  const passing = [...ids.keys()].map((id, at): [string, string] => [id, `_renamed_${at}`]);
  return [new Map(passing), new Map([...ids.values()].map((id, at) => [`_renamed_${at}`, id]))];
}

/** A record of a definition that a change edits beside what its body says. */
interface EditedRecord {
  readonly id: string;
  /** What changes of it, by column. */
  readonly values: Readonly<Record<string, Json>>;
}

/** Edits a record, and records that. */
export function editDefinitionStatement(plan: RecordedPlan, { id, values }: EditedRecord): Statement {
  const fields = [...plan.kind.fields.values()].filter(({ column }) => column !== undefined && column in values);
  const set = fields.map((field) => sql`${ident(columnOf(field))} = ${stored(field, values[columnOf(field)] ?? null)}`);
  return render(editRows(plan, fields, join([...set, SET_UPDATED_AT]), sql`t."id" = ${param(id)}`));
}

/**
 * Gives a parameter another type. Its record goes to the kind of the new one: for whoever follows the two kinds it is
 * deleted there and made here.
 * @param values what changes of it beside that, by column
 */
export function retypeParameterStatement(
  from: RecordedPlan,
  to: RecordedPlan,
  { id, values }: EditedRecord,
): Statement {
  const table = kindTable(to.schema, to.kind);
  const edited = [...from.kind.fields.values()].filter(({ column }) => column !== undefined && column in values);
  const set = edited.map((field) => sql`${ident(columnOf(field))} = ${stored(field, values[columnOf(field)] ?? null)}`);
  const old = sql`old AS MATERIALIZED (SELECT t.* FROM ${table} AS t WHERE t."id" = ${param(id)} ${rowLock(false)})`;
  const written = sql`
    UPDATE ${table} AS t
    SET ${join([sql`"kind_id" = ${param(to.kind.id)}`, ...set, SET_UPDATED_AT])}
    FROM old
    WHERE t."id" = old."id"
    RETURNING t.*
  `;
  const recorded = [recordDeleted(from, sql`old`), recordCreated(to, sql`written`)].flatMap((each, at) =>
    each ? [sql`${ident(`recorded_${at}`)} AS (${each})`] : [],
  );
  return render(sql`
    WITH ${join([WRITE_TIME, old, sql`written AS (${written})`, ...recorded])}
    SELECT count(*)::int AS edited FROM written
  `);
}

/** One step of new ids of records. */
export function renameRecordsStatement(schema: string, table: string, step: ReadonlyMap<string, string>): Statement {
  return renameValues(schema, table, 'id', step);
}

function columnOf({ column, id }: Field): string {
  return column ?? id;
}

function stored(field: Field, value: Json): Fragment {
  const isJson = field.columnType === 'jsonb' && value !== null;
  return sql`${param(isJson ? JSON.stringify(value) : value)}::${fieldType(field)}`;
}

/** Gives the definitions in whose bodies parameters were defined their new ids. */
export function renameDefinedInStatement(schema: string, owners: ReadonlyMap<string, readonly string[]>): Statement {
  const rows = recordset(
    [...owners].map(([id, list]) => ({ id, list })),
    sql`"id" text, "list" text[]`,
  );
  return render(sql`
    UPDATE ${ident(schema, PARAMETER_TABLE)} AS t SET "defined_in" = i."list" FROM ${rows} WHERE t."id" = i."id"
  `);
}

/** One step of renames, in everything that is stored beside definitions. */
export function renameStoredStatements(schema: string, step: Pick<Renames, 'kinds' | 'linkTypes'>): Statement[] {
  const { kinds, linkTypes } = step;
  const statements: Statement[] = [];
  if (kinds.size > 0) {
    for (const kind of kinds.keys()) statements.push(awaitCountStatement(schema, kind));
    statements.push(...renameFollowersStatements(schema, kinds), renameKeysStatement(schema, kinds));
    for (const [table, column] of KIND_COLUMNS) statements.push(renameValues(schema, table, column, kinds));
  }
  if (linkTypes.size > 0) statements.push(renameValues(schema, LINK_TABLE, 'link_id', linkTypes));
  for (const [of, key] of Object.entries(LINK_KEYS) as [keyof typeof LINK_KEYS, string][]) {
    if (step[of].size > 0) for (const table of RECORDED) statements.push(renameInLinks(schema, table, key, step[of]));
  }
  return statements;
}

/**
 * One step of renames, in units of built-in kinds that name definitions. To be done after the version of the model was
 * raised: then none of them can be written with the old ids any more.
 */
export function renameNamedStatements(schema: string, { kinds }: Pick<Renames, 'kinds'>): Statement[] {
  if (kinds.size === 0) return [];
  return [
    renameValues(schema, IDENTITY_PROVIDER_KIND, 'member_kind', kinds),
    renameInLists(schema, WEBHOOK_KIND, 'kinds', kinds),
    renameInScopes(schema, kinds),
  ];
}

/**
 * One step of renames of member kinds, in what was recorded of their changes. To be done after the version of the model was
 * raised: changes that are being recorded are waited for, and later ones see that version.
 */
export function renameRecordedMembersStatements(schema: string, kinds: ReadonlyMap<string, string>): Statement[] {
  return [
    render(sql`LOCK TABLE ${ident(schema, OUTBOX_TABLE)} IN SHARE ROW EXCLUSIVE MODE`),
    ...RECORDED.map((table) => renameOfMembers(schema, table, kinds)),
  ];
}

/** Rows `id`, `kinds`, `filter`: the webhooks that have a filter. */
export function hookFiltersStatement(schema: string): Statement {
  return render(sql`
    SELECT w."id", w."kinds", w."filter" FROM ${ident(schema, WEBHOOK_KIND)} AS w WHERE w."filter" IS NOT NULL
  `);
}

/** Rows `id`, `member_kind`, `claims`: of identity providers that fill parameters. */
export function providerClaimsStatement(schema: string): Statement {
  return render(sql`
    SELECT p."id", p."member_kind", p."claims"
    FROM ${ident(schema, IDENTITY_PROVIDER_KIND)} AS p
    WHERE p."claims" <> '{}'
  `);
}

/** Gives recorded changes of definitions the new ids of these. @param kinds those of their records */
export function renameUnitsStatements(
  schema: string,
  kinds: readonly string[],
  ids: ReadonlyMap<string, string>,
): Statement[] {
  return [...RECORDED, TASK_TABLE].map((table) => {
    const of = sql`t."kind" = ANY(${param(kinds)}::text[])`;
    return render(sql`
      UPDATE ${ident(schema, table)} AS t SET "unit" = i."now" FROM ${pairs(ids)} WHERE t."unit" = i."old" AND ${of}
    `);
  });
}

/** Gives the values in recorded changes of a kind the new names of their columns. */
export function renameColumnsStatements(schema: string, kind: string, columns: readonly NewName[]): Statement[] {
  const old = param(columns.map(([name]) => name));
  const names = pairs(new Map(columns));
  const renamed = (column: string): Fragment => sql`(
    SELECT jsonb_object_agg(coalesce(i."now", e.key), e.value)
    FROM jsonb_each(${ident('t', column)}) AS e
    LEFT JOIN ${names} ON i."old" = e.key
  )`;
  return RECORDED.map((table) =>
    render(sql`
      UPDATE ${ident(schema, table)} AS t
      SET "before" = ${renamed('before')}, "after" = ${renamed('after')}
      WHERE t."kind" = ${literal(kind)} AND t."operation" NOT IN ('link', 'unlink')
        AND (
          jsonb_exists_any(coalesce(t."before", '{}'), ${old}::text[])
          OR jsonb_exists_any(coalesce(t."after", '{}'), ${old}::text[])
        )
    `),
  );
}

/** What slow queries lack is learnt again. */
export function forgetQueriesStatement(schema: string): Statement {
  return render(sql`DELETE FROM ${ident(schema, QUERY_TABLE)}`);
}

function renameValues(schema: string, table: string, column: string, ids: ReadonlyMap<string, string>): Statement {
  const name = ident(column);
  return render(
    sql`UPDATE ${ident(schema, table)} AS t SET ${name} = i."now" FROM ${pairs(ids)} WHERE t.${name} = i."old"`,
  );
}

function renameInScopes(schema: string, ids: ReadonlyMap<string, string>): Statement {
  const kinds = sql`(
    SELECT jsonb_agg(coalesce(i."now", e.id) ORDER BY e.n)
    FROM jsonb_array_elements_text(p.part -> 'kinds') WITH ORDINALITY AS e(id, n)
    LEFT JOIN ${pairs(ids)} ON i."old" = e.id
  )`;
  const names = join(
    [...ids.keys()].map((id) => sql`t."scope" @> ${param(JSON.stringify([{ kinds: [id] }]))}::jsonb`),
    ' OR ',
  );
  return render(sql`
    UPDATE ${ident(schema, API_KEY_KIND)} AS t
    SET "scope" = (
      SELECT jsonb_agg(p.part || jsonb_build_object('kinds', ${kinds}) ORDER BY p.n)
      FROM jsonb_array_elements(t."scope") WITH ORDINALITY AS p(part, n)
    ), ${SET_UPDATED_AT}
    WHERE ${names}
  `);
}

/** An entry that is a new id already is that of a definition which is gone. */
function renameInLists(schema: string, table: string, column: string, ids: ReadonlyMap<string, string>): Statement {
  const list = ident('t', column);
  return render(sql`
    UPDATE ${ident(schema, table)} AS t
    SET ${ident(column)} = ARRAY(
      SELECT coalesce(i."now", e.id)
      FROM unnest(${list}) WITH ORDINALITY AS e(id, n)
      LEFT JOIN ${pairs(ids)} ON i."old" = e.id
      WHERE e.id <> ALL(${param([...ids.values()])}::text[])
      ORDER BY e.n
    )
    WHERE ${list} && ${param([...ids.keys()])}::text[]
  `);
}

/**
 * Those who follow the changes of kinds, which they go on with where they are. Tasks that are being added have the old
 * ids: they are waited for, and further ones wait.
 */
function renameFollowersStatements(schema: string, kinds: ReadonlyMap<string, string>): Statement[] {
  const followers = new Map([...kinds].map(([old, now]) => [followerOf(old), followerOf(now)]));
  const left = param([...followers.values()]);
  return [
    render(sql`LOCK TABLE ${ident(schema, TASK_TABLE)} IN SHARE ROW EXCLUSIVE MODE`),
    // Of kinds that are gone.
    render(sql`DELETE FROM ${ident(schema, FOLLOWER_TABLE)} WHERE "id" = ANY(${left}::text[])`),
    renameValues(schema, FOLLOWER_TABLE, 'id', followers),
    renameValues(schema, TASK_TABLE, 'follower', followers),
  ];
}

/** The idempotency keys of members, whose ids begin with the kind: see `keyId`. */
function renameKeysStatement(schema: string, kinds: ReadonlyMap<string, string>): Statement {
  return render(sql`
    UPDATE ${ident(schema, IDEMPOTENCY_TABLE)} AS t
    SET "id" = i."now" || substr(t."id", length(i."old") + 1)
    FROM ${pairs(kinds)}
    WHERE starts_with(t."id", i."old" || ' ')
  `);
}

/** The kinds of the members who have made recorded changes. */
function renameOfMembers(schema: string, table: string, ids: ReadonlyMap<string, string>): Statement {
  return render(sql`
    UPDATE ${ident(schema, table)} AS t
    SET "origin" = t."origin" || jsonb_build_object('member_kind', i."now")
    FROM ${pairs(ids)}
    WHERE t."origin" ->> 'member_kind' = i."old"
  `);
}

function renameInLinks(schema: string, table: string, key: string, ids: ReadonlyMap<string, string>): Statement {
  const name = literal(key);
  const renamed = (column: string): Fragment => sql`${ident('t', column)} || jsonb_build_object(${name}, i."now")`;
  return render(sql`
    UPDATE ${ident(schema, table)} AS t
    SET "before" = ${renamed('before')}, "after" = ${renamed('after')}
    FROM ${pairs(ids)}
    WHERE t."operation" IN ('link', 'unlink') AND coalesce(t."after", t."before") ->> ${name} = i."old"
  `);
}

/** Ids as a table `i` of `old` and `now`. */
function pairs(ids: ReadonlyMap<string, string>): Fragment {
  const rows = [...ids].map(([old, now]) => ({ old, now }));
  return recordset(rows, sql`"old" text, "now" text`);
}

/** Renames tables and what is in them. */
export function renameTablesStatements(schema: string, tables: readonly RenamedTable[]): Statement[] {
  const statements: Fragment[] = [];
  for (const { table, columns, constraints } of tables) {
    const old = ident(schema, table[0]);
    const all = (names: readonly NewName[], what: Fragment): void => {
      for (const step of inSteps(new Map(names))) {
        for (const [name, now] of step)
          statements.push(sql`ALTER TABLE ${old} RENAME ${what} ${ident(name)} TO ${ident(now)}`);
      }
    };
    all(columns, sql`COLUMN`);
    all(constraints, sql`CONSTRAINT`);
  }
  const relations = tables.flatMap(({ table, indexes, sequences }) => [
    ...[...indexes, ...keyOf(table)].map((name) => ({ type: sql`INDEX IF EXISTS`, name })),
    ...sequences.map((name) => ({ type: sql`SEQUENCE`, name })),
    ...(table[0] === table[1] ? [] : [{ type: sql`TABLE`, name: table }]),
  ]);
  const types = new Map(relations.map(({ type, name: [old] }) => [old, type]));
  for (const step of inSteps(new Map(relations.map(({ name }) => name)))) {
    for (const [name, now] of step) {
      const type = types.get(name) ?? sql`TABLE`;
      types.set(now, type);
      statements.push(sql`ALTER ${type} ${ident(schema, name)} RENAME TO ${ident(now)}`);
    }
  }
  return statements.map((each) => render(each));
}

/** The index of the primary key. */
function keyOf([old, now]: NewName): NewName[] {
  return old === now ? [] : [[constraintName(old, ['id'], 'pkey'), constraintName(now, ['id'], 'pkey')]];
}

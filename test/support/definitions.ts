/** The definitions of a project, from its rows and from PostgreSQL's catalogue, to compare before and after. */
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { readTableShapes } from '../../src/catalog/project/introspection.js';
import { recordsInPieces } from '../../src/catalog/model/model-store.js';
import { buildModel } from '../../src/model/build/build-model.js';
import type { Model } from '../../src/model/model.js';
import { schemaName } from '../../src/model/names.js';
import { getOrInsert, keepNewest } from '../../src/shared/maps.js';
import type { ModelRecords } from '../../src/model/build/definition-records.js';
import { tableShapes, type TableShape } from '../../src/model/table/required-tables.js';
import { ident, render, sql, type Statement } from '../../src/sql/fragment.js';
import { isInSchema } from '../../src/sql/definition/schema.sql.js';
import { runSync } from '../../src/shared/work-in-pieces.js';
import { loadModelStatement, type ModelRow } from '../../src/sql/definition/model.sql.js';
import type { Reply, TestProject } from './service.js';

export interface Definitions {
  readonly version: number;
  readonly records: Omit<ModelRecords, 'version'>;
  readonly tables: Map<string, TableShape>;
}

/** SQL of a time that much earlier than `time`. In UTC, because Citus takes nothing in an UPDATE that depends on a setting. */
export const earlier = (time: string, by: string): string => `(${time} AT TIME ZONE 'UTC' - ${by}) AT TIME ZONE 'UTC'`;

/** Reads the rows of the definitions and the tables that stand. */
export async function definitionsOf(project: TestProject): Promise<Definitions> {
  const schema = schemaName(project.id);
  const { database } = project.service;
  const rows = await database.run<ModelRow>(loadModelStatement(schema));
  const records = runSync(recordsInPieces(rows));
  return { version: Number(rows[0]?.v), records, tables: await tablesOf(project) };
}

interface KnownTables {
  readonly catalogue: string;
  readonly tables: Map<string, TableShape>;
}

/** Projects whose tables are remembered. */
const REMEMBERED = 4;
/** The tables as they were last read, by database and project. */
const known = new WeakMap<object, Map<string, KnownTables>>();

/**
 * The tables that stand. They are read again only if PostgreSQL's catalogue has changed, which takes a small part of the
 * time to see: after a refusal it has not.
 */
async function tablesOf({ id, service: { database } }: TestProject): Promise<Map<string, TableShape>> {
  const [{ catalogue } = { catalogue: '' }] = await database.run<{ catalogue: string }>(catalogueStatement(id));
  const ofDatabase = getOrInsert(known, database, () => new Map<string, KnownTables>());
  const before = ofDatabase.get(id);
  if (before?.catalogue === catalogue) return before.tables;
  const tables = await readTableShapes(database, schemaName(id));
  keepNewest(ofDatabase, id, { catalogue, tables }, REMEMBERED);
  return tables;
}

/** One row: a digest of which versions of their rows describe the relations of a project. A change writes new versions. */
function catalogueStatement(id: string): Statement {
  const rowsOf = (table: string, relation: string) => sql`
    SELECT t.tableoid, t.ctid, t.xmin
    FROM relation AS r
    JOIN pg_catalog.${ident(table)} AS t ON t.${ident(relation)} = r.oid
  `;
  return render(sql`
    WITH own AS MATERIALIZED (
      SELECT c.oid FROM pg_catalog.pg_class AS c WHERE ${isInSchema(sql`c.oid`, schemaName(id))}
    ), relation AS MATERIALIZED (
      SELECT oid FROM own UNION SELECT x.indexrelid FROM own JOIN pg_catalog.pg_index AS x ON x.indrelid = own.oid
    )
    SELECT md5(string_agg(concat_ws(',', v.tableoid, v.ctid, v.xmin), ';' ORDER BY v.tableoid, v.ctid)) AS catalogue
    FROM (
      ${rowsOf('pg_class', 'oid')} UNION ALL ${rowsOf('pg_attribute', 'attrelid')}
      UNION ALL ${rowsOf('pg_index', 'indexrelid')} UNION ALL ${rowsOf('pg_constraint', 'conrelid')}
    ) AS v
  `);
}

export async function modelOf(project: TestProject): Promise<Model> {
  const { records, version } = await definitionsOf(project);
  return buildModel({ ...records, version });
}

/** The tables that stand are those that the stored definitions ask for. */
export async function expectNoDrift(project: TestProject): Promise<void> {
  const { records, version, tables } = await definitionsOf(project);
  const wanted = [...tableShapes(buildModel({ ...records, version }))];
  // Of the checks that stand, only the names are known, which have a hash of the filter.
  const named = wanted.map(([name, { checks, ...table }]) => {
    const names = [...checks.keys()].map((check) => [check, { name: check }] as const);
    return [name, { ...table, checks: new Map(names) }] as const;
  });
  expectEqual(tables, new Map(named));
}

/** Runs SQL in the project's schema: `$schema` in the text is its quoted name. */
export function query<Row>(project: TestProject, text: string, values: unknown[] = []): Promise<Row[]> {
  const statement: Statement = { text: text.replaceAll('$schema', `"${schemaName(project.id)}"`), values };
  return project.service.database.run<Row>(statement);
}

/** A refusal: its status, and what its messages say at least. */
export interface Refusal {
  readonly status: number;
  /** `code`, or `code parameter`, of every message, in order. */
  readonly messages: readonly string[];
  readonly text?: RegExp;
}

export function refusalOf({ status, body }: Reply): Pick<Refusal, 'status' | 'messages'> {
  const messages = body?.messages ?? [];
  return {
    status,
    messages: messages.map(({ code, parameter }) => (parameter === undefined ? code : `${code} ${parameter}`)),
  };
}

/** Large values that are mostly equal: that takes Node a tenth of the time that the matcher takes. */
function expectEqual(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
}

/** Expects a refusal, and that it changed nothing of the definitions, which it answers. @param before the definitions, if known */
export async function expectRefused(
  project: TestProject,
  call: () => Promise<Reply>,
  { status, messages, text }: Refusal,
  before?: Definitions,
): Promise<Definitions> {
  before ??= await definitionsOf(project);
  const reply = await call();
  expect(refusalOf(reply)).toEqual({ status, messages });
  if (text) expect(reply.body.messages.map((message) => message.text).join('\n')).toMatch(text);
  expect(reply.body.content).toBeNull();
  const after = await definitionsOf(project);
  expectEqual(after, before);
  return after;
}

/** The content of an answer that must be a success. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- contents are whatever the service answers
export async function ok(call: Promise<Reply>): Promise<any> {
  const reply = await call;
  expect({ status: reply.status, messages: reply.body?.messages }).toEqual({ status: 200, messages: [] });

  return reply.body.content;
}

/** The id of the unit that a call made. */
export async function createdId(call: Promise<Reply>): Promise<string> {
  return ((await ok(call)) as { id: string }).id;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One row of a table of refusals: a call, and what it must answer while nothing changes. */
export interface RefusalRow extends Refusal {
  readonly name: string;
  readonly call: readonly [method: Method, path: string, body?: unknown];
}

/** One test per row. What is there after a refusal is there before the next one. */
export function itRefuses(project: TestProject, rows: readonly RefusalRow[]): void {
  let known: Definitions | undefined;
  it.each(rows)('$name', async ({ call: [method, path, body], ...refusal }) => {
    const before = known;
    known = undefined;
    known = await expectRefused(project, () => project.call(method, path, body), refusal, before);
  });
}

/** A value of a filter in quotes, percent-encoded. */
export const inQuotes = (text: string): string => encodeURIComponent(`"${text.replace(/["\\\\]/g, '\\$&')}"`);

export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

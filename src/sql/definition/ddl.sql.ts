/** The steps of a model change as DDL, and its guards: counts of the units that are in the way of a change. */
import type { ColumnChange, Condition, Guard, NumberedRows, SchemaStep } from '../../model/table/diff.js';
import type { CheckShape, ColumnShape, ForeignKeyShape, TableShape } from '../../model/table/required-tables.js';
import type { Field } from '../../model/model.js';
import { constraintName } from '../../model/names.js';
import type { Json } from '../../shared/json.js';
import { columnType, defaultLiteral, ROW_OF_CONSTRAINT } from '../columns.sql.js';
import { violation } from '../condition/constraint.sql.js';
import { predicateSql } from '../condition/predicate.sql.js';
import {
  all,
  EMPTY_SQL,
  ident,
  integer,
  join,
  literal,
  param,
  render,
  sql,
  type Fragment,
  type Statement,
  withLiterals,
} from '../fragment.js';
import { createIndex } from './index.sql.js';

/** @param trigrams the schema of the extension pg_trgm, for an index that needs it */
export function stepStatements(step: SchemaStep, schema: string, trigrams?: string): Statement[] {
  const statement = render(stepSql(step, schema, trigrams));
  const keyless = step.type === 'create_table' && step.table.key.length === 0;
  return keyless ? [statement, identifyByRowStatement(schema, step.table.name)] : [statement];
}

/**
 * Lets logical replication identify rows of a table without a key by all of their values. Citus moves projects that way
 * while they are written to. It costs nothing but for deleted rows, where `wal_level` is `logical`.
 */
function identifyByRowStatement(schema: string, table: string): Statement {
  return render(sql`ALTER TABLE ${ident(schema, table)} REPLICA IDENTITY FULL`);
}

function stepSql(step: SchemaStep, schema: string, trigrams?: string): Fragment {
  switch (step.type) {
    case 'drop_foreign_key':
      return sql`ALTER TABLE ${ident(schema, step.table)} DROP CONSTRAINT ${ident(step.name)}`;
    case 'drop_index':
      // One that is still to be built does not exist.
      return sql`DROP INDEX IF EXISTS ${ident(schema, step.name)}`;
    case 'drop_table':
      return sql`DROP TABLE ${ident(schema, step.table)}`;
    case 'create_table':
      return createTable(step.table, schema);
    case 'alter_table':
      return sql`ALTER TABLE ${ident(schema, step.table)} ${join(step.changes.flatMap(columnChange))}`;
    case 'create_sequence':
      return createSequence(schema, step.name, 1);
    case 'drop_sequence':
      return sql`DROP SEQUENCE IF EXISTS ${ident(schema, step.name)}`;
    case 'create_index':
      return createIndex(step.table, step.index, schema, { trigrams });
    case 'add_check':
      // The guard has counted the units under a lock that this change holds: to read them again would block readers.
      return sql`
        ALTER TABLE ${ident(schema, step.table)}
        ADD ${checkConstraint(step.check, schema)} NOT VALID
      `;
    case 'drop_check':
      return sql`ALTER TABLE ${ident(schema, step.table)} DROP CONSTRAINT ${ident(step.check.name)}`;
    case 'add_foreign_key':
      return addForeignKey(step.table, step.key, schema);
  }
}

function createTable(table: TableShape, schema: string): Fragment {
  const columns = [...table.columns.values()].map(columnDefinition);
  const checks = [...table.checks.values()].map((check) => checkConstraint(check, schema));
  return sql`CREATE TABLE ${ident(schema, table.name)} (${join([...columns, ...primaryKey(table), ...checks])})`;
}

function checkConstraint({ name, check }: CheckShape, schema: string): Fragment {
  if (!check) throw new Error('a check that was read from PostgreSQL is there already');
  const holds = predicateSql(check.condition, { schema, row: ROW_OF_CONSTRAINT, threeValued: true });
  return sql`CONSTRAINT ${ident(name)} CHECK (${withLiterals(holds)})`;
}

function primaryKey({ name, key }: TableShape): Fragment[] {
  if (key.length === 0) return [];
  const columns = join(key.map((column) => ident(column)));
  return [sql`CONSTRAINT ${ident(primaryKeyName(name))} PRIMARY KEY (${columns})`];
}

export function primaryKeyName(table: string): string {
  return constraintName(table, ['id'], 'pkey');
}

function columnDefinition(column: ColumnShape): Fragment {
  const collation = column.type === 'text' ? sql` COLLATE "C"` : sql``;
  const notNull = column.notNull ? sql` NOT NULL` : EMPTY_SQL;
  return sql`${ident(column.name)} ${columnType(column.type, column.array)}${collation}${notNull}`;
}

function columnChange(change: ColumnChange): Fragment[] {
  switch (change.type) {
    case 'drop':
      return [sql`DROP COLUMN ${ident(change.column)}`];
    case 'not_null':
      return [sql`ALTER COLUMN ${ident(change.column)} ${change.notNull ? sql`SET` : sql`DROP`} NOT NULL`];
    case 'add': {
      const { column } = change;
      const value = change.default === null ? sql`` : sql` DEFAULT ${defaultLiteral(change.default, column)}`;
      const add = sql`ADD COLUMN ${columnDefinition(column)}${value}`;
      return change.replace ? [sql`DROP COLUMN ${ident(column.name)}`, add] : [add];
    }
  }
}

/**
 * No column owns the sequence, and none has it as a default: Citus would then keep it on workers, where each hands out
 * numbers of its own.
 */
function createSequence(schema: string, name: string, start: number): Fragment {
  return sql`CREATE SEQUENCE ${ident(schema, name)} MAXVALUE ${integer(LAST_NUMBER)} START ${integer(start)}`;
}

/** The largest integer of the API. */
const LAST_NUMBER = Number.MAX_SAFE_INTEGER;

/** @param after the highest number that is taken */
export function createSequenceStatement(schema: string, name: string, after: number): Statement {
  return render(createSequence(schema, name, Math.min(Math.max(after, 0) + 1, LAST_NUMBER)));
}

export function setNotNullStatement(schema: string, { table, column }: NumberedRows): Statement {
  return render(sql`ALTER TABLE ${ident(schema, table)} ALTER COLUMN ${ident(column)} SET NOT NULL`);
}

/** Numbers the rows without a number after the highest one, in the order in which they were created. */
export function numberRowsStatement(schema: string, { table, column }: NumberedRows): Statement {
  const [rows, number] = [ident(schema, table), ident(column)];
  const highest = sql`(SELECT greatest(max(h.${number}), 0) FROM ${rows} AS h)`;
  return render(sql`
    UPDATE ${rows} AS t
    SET ${number} = n.number
    FROM (
      SELECT
        i."id",
        ${highest} + row_number() OVER (ORDER BY i."inserted_at", i."id") AS number
      FROM ${rows} AS i
      WHERE i.${number} IS NULL
    ) AS n
    WHERE t."id" = n."id"
  `);
}

export function dropDefaultsStatement(table: string, columns: readonly string[], schema: string): Statement {
  const changes = columns.map((column) => sql`ALTER COLUMN ${ident(column)} DROP DEFAULT`);
  return render(sql`ALTER TABLE ${ident(schema, table)} ${join(changes)}`);
}

const ON_DELETE = { restrict: sql`RESTRICT`, set_null: sql`SET NULL`, cascade: sql`CASCADE` } as const;

function addForeignKey(table: string, key: ForeignKeyShape, schema: string): Fragment {
  return sql`
    ALTER TABLE ${ident(schema, table)}
    ADD CONSTRAINT ${ident(key.name)} FOREIGN KEY (${ident(key.column)})
    REFERENCES ${ident(schema, key.target)} ("id")
    ON DELETE ${ON_DELETE[key.onDelete]}
  `;
}

/** Locks tables against writes while guards count and columns change. Reads go on. */
export function lockForDefinitionChangeStatement(schema: string, tables: readonly string[]): Statement {
  return render(sql`LOCK TABLE ${join(tables.map((table) => ident(schema, table)))} IN SHARE ROW EXCLUSIVE MODE`);
}

/** A row `count` per guard, in order. Guards of patterns count 0 here: see `patternValuesStatement`. */
export function guardStatement(guards: readonly Guard[], schema: string): Statement {
  const counts = guards.map(
    (guard, at) =>
      sql`SELECT ${integer(at)} AS at, ${countMatching(guard.condition, guardedRows(guard, schema), schema)} AS count`,
  );
  return render(sql`
    SELECT at, count::int AS count
    FROM (${join(counts, ' UNION ALL ')}) AS guards
    ORDER BY at
  `);
}

/** The table of a guard, or the links of its type. */
function guardedRows({ table, linkType }: Pick<Guard, 'table' | 'linkType'>, schema: string): Fragment {
  const rows = ident(schema, table);
  return linkType === undefined ? rows : sql`(SELECT * FROM ${rows} WHERE "link_id" = ${literal(linkType)})`;
}

/** The value that existing rows get in a new column. */
function filledValue(value: Json, { columnType: type, def }: Field): Fragment {
  const column = { type, array: def.multiple };
  return value === null ? sql`NULL::${columnType(type, column.array)}` : defaultLiteral(value, column);
}

function countMatching(condition: Condition, table: Fragment, schema: string): Fragment {
  const where = (test: Fragment) => sql`(SELECT count(*) FROM ${table} AS t WHERE ${test})`;
  switch (condition.type) {
    case 'any':
      return where(sql`true`);
    case 'more_than_one':
      return sql`(SELECT CASE WHEN count(*) > 1 THEN count(*) ELSE 0 END FROM ${table})`;
    case 'has_value':
      return where(sql`${ident('t', condition.column)} IS NOT NULL`);
    case 'is_null':
      return where(sql`${ident('t', condition.column)} IS NULL`);
    case 'duplicate_elements': {
      const column = ident('t', condition.column);
      return where(sql`cardinality(${column}) > (SELECT count(DISTINCT e) FROM unnest(${column}) AS e)`);
    }
    case 'duplicates': {
      const columns = condition.columns.map((name) => ident(name));
      const present = all(columns.map((name) => sql`${name} IS NOT NULL`));
      return sql`(
        SELECT coalesce(sum(n), 0)
        FROM (
          SELECT count(*) AS n
          FROM ${table}
          WHERE ${present}
          GROUP BY ${join(columns)}
          HAVING count(*) > 1
        ) AS d
      )`;
    }
    case 'fails': {
      const filled = condition.columns.map(({ field, value }) => {
        const column = ident(field.column ?? field.id);
        if (value === undefined) return column;
        return sql`${filledValue(value, field)} AS ${column}`;
      });
      const rows = sql`(SELECT ${join(filled)} FROM ${table}) AS t`;
      const holds = predicateSql(condition.check.condition, { schema, row: 't', threeValued: true });
      return sql`(SELECT count(*) FROM ${rows} WHERE (${holds}) IS FALSE)`;
    }
    case 'violates': {
      const column = ident('t', condition.column);
      if (!condition.array) return where(violation(column, condition.constraint));
      return where(
        sql`EXISTS (SELECT FROM unnest(${column}) AS e WHERE ${violation(ident('e'), condition.constraint)})`,
      );
    }
  }
}

/**
 * The size of a slice of `patternValuesStatement`: units, bytes, and the bytes that each element of a list counts
 * besides.
 */
const PATTERN_SLICE = { units: 10_000, bytes: 8 * 1024 * 1024, element: 100 } as const;

/**
 * A slice of a column's values after the unit `after`, for patterns, which are RE2's and not PostgreSQL's. The key is
 * compared in its own type, so that its index leads from slice to slice.
 */
export function patternValuesStatement(
  schema: string,
  { table, linkType }: Pick<Guard, 'table' | 'linkType'>,
  columnName: string,
  array: boolean,
  after: string | null,
): Statement {
  const column = ident('t', columnName);
  const values = array ? ident('s', 'value') : sql`ARRAY[${ident('s', 'value')}]`;
  const bytes = array
    ? sql`(SELECT sum(octet_length(e) + ${integer(PATTERN_SLICE.element)}) FROM unnest(${column}) AS e)`
    : sql`octet_length(${column})`;
  // Links have no id; nothing else writes to the table meanwhile.
  const key = linkType === undefined ? 'id' : 'ctid';
  const id = ident('t', key);
  const before = sql`sum(${bytes}) OVER (ORDER BY ${id} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`;
  const beyond =
    after === null
      ? sql`true`
      : linkType === undefined
        ? sql`${id} > ${param(after)}`
        : sql`${id} > ${param(after)}::tid`;
  const ofType = linkType === undefined ? undefined : sql`t."link_id" = ${literal(linkType)}`;
  const slice = sql`
    SELECT ${id} AS id, ${column} AS value, ${before} AS before
    FROM ${ident(schema, table)} AS t
    WHERE ${all([sql`${column} IS NOT NULL`, beyond, ofType])}
    ORDER BY ${id}
    LIMIT ${integer(PATTERN_SLICE.units)}
  `;
  return render(
    sql`
      SELECT s."id"::text AS id, ${values} AS values
      FROM (${slice}) AS s
      WHERE coalesce(s.before, 0) < ${integer(PATTERN_SLICE.bytes)}
      ORDER BY s."id"
    `,
  );
}

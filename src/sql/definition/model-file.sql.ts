/** Reads the records of built-in kinds as a model file has them. */
import type { Field, KindDef } from '../../model/model.js';
import { selectList } from '../columns.sql.js';
import { EMPTY_SQL, ident, join, literal, render, sql, type Statement } from '../fragment.js';
import { modelVersion } from '../model-version.sql.js';

/** The records of a kind, and the fields that are read of them. */
interface ReadRecords {
  readonly kind: KindDef;
  readonly fields: readonly Field[];
}

/** A record: `body` is JSON; `v` the version of the model. */
export interface RecordRow {
  readonly v: string;
  readonly kind: string;
  readonly body: string;
}

/** Rows `RecordRow`, at one moment. */
export function recordsStatement(schema: string, read: readonly ReadRecords[]): Statement {
  const records = read.map(({ kind: { id, table, discriminated }, fields }) => {
    const where = discriminated ? sql` WHERE t."kind_id" = ${literal(id)}` : EMPTY_SQL;
    const row = sql`SELECT ${selectList(fields)} FROM ${ident(schema, table)} AS t${where}`;
    return sql`SELECT ${literal(id)} AS kind, row_to_json(_r)::text AS body FROM (${row}) AS _r`;
  });
  return render(sql`SELECT ${modelVersion(schema)} AS v, r.* FROM (${join(records, ' UNION ALL ')}) AS r`);
}

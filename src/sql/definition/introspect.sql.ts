/** Reads PostgreSQL's catalogue of one schema. */
import { render, sql, type Statement } from '../fragment.js';
import { isInSchema } from './schema.sql.js';

/** The columns of the index `x` in their order, as rows `k(attnum, n)`. */
const KEYS_OF_INDEX = sql`unnest(x.indkey::int2[]) WITH ORDINALITY AS k(attnum, n)`;

/** The columns that the expression of the index `x` reads. */
const COLUMNS_OF_EXPRESSION = sql`(
  SELECT d.refobjsubid
  FROM pg_catalog.pg_depend AS d
  WHERE d.classid = 'pg_class'::regclass
    AND d.objid = x.indexrelid
    AND d.refobjid = x.indrelid
    AND d.refobjsubid > 0
)`;

const SOURCE_OF_EXPRESSION = sql`pg_get_expr(x.indexprs, x.indrelid)`;

/**
 * One row `body` per table: its columns, all sequences of the schema, its primary key, foreign keys, checks, and its other
 * indexes that are valid.
 */
export function introspectStatement(schema: string): Statement {
  return render(sql`
    SELECT json_build_object(
      'name', c.relname,
      'columns', (
        SELECT coalesce(
          json_agg(
            json_build_object(
              'name', a.attname,
              'notNull', a.attnotnull,
              'identity', a.attidentity <> '',
              'array', t.typelem <> 0 AND t.typlen = -1 AND t.typcategory = 'A',
              'type', regexp_replace(format_type(a.atttypid, NULL), '[[]]$', '')
            )
            ORDER BY a.attnum
          ),
          '[]'
        )
        FROM pg_catalog.pg_attribute AS a
        JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      ),
      'sequences', (
        SELECT coalesce(json_agg(s.relname), '[]')
        FROM pg_catalog.pg_class AS s
        WHERE s.relkind = 'S' AND ${isInSchema(sql`s.oid`, schema)}
      ),
      'key', (
        SELECT coalesce(json_agg(a.attname ORDER BY k.n), '[]')
        FROM pg_catalog.pg_index AS x
        CROSS JOIN ${KEYS_OF_INDEX}
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.attnum
        WHERE x.indrelid = c.oid AND x.indisprimary
      ),
      'indexes', (
        SELECT coalesce(
          json_agg(
            json_build_object(
              'name', i.relname,
              'unique', x.indisunique,
              'method', CASE o.opcname
                WHEN 'gin_trgm_ops' THEN 'trigram'
                WHEN 'tsvector_ops' THEN 'search'
                ELSE m.amname
              END,
              'configuration', substring(${SOURCE_OF_EXPRESSION} FROM 'to_tsvector\\(''([a-z]+)'''),
              'columns', (
                SELECT json_agg(a.attname ORDER BY k.n, a.attname)
                FROM ${KEYS_OF_INDEX}
                JOIN pg_catalog.pg_attribute AS a
                  ON a.attrelid = c.oid
                  AND (a.attnum = k.attnum OR k.attnum = 0 AND a.attnum IN ${COLUMNS_OF_EXPRESSION})
              )
            )
          ),
          '[]'
        )
        FROM pg_catalog.pg_index AS x
        JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid
        JOIN pg_catalog.pg_am AS m ON m.oid = i.relam
        JOIN pg_catalog.pg_opclass AS o ON o.oid = x.indclass[0]
        WHERE x.indrelid = c.oid AND NOT x.indisprimary AND x.indisvalid
      ),
      'foreignKeys', (
        SELECT coalesce(
          json_agg(
            json_build_object(
              'name', f.conname,
              'action', f.confdeltype,
              'target', target.relname,
              'column', (
                SELECT a.attname
                FROM pg_catalog.pg_attribute AS a
                WHERE a.attrelid = c.oid AND a.attnum = f.conkey[1]
              )
            )
          ),
          '[]'
        )
        FROM pg_catalog.pg_constraint AS f
        JOIN pg_catalog.pg_class AS target ON target.oid = f.confrelid
        WHERE f.conrelid = c.oid AND f.contype = 'f'
      ),
      'checks', (
        SELECT coalesce(json_agg(f.conname), '[]')
        FROM pg_catalog.pg_constraint AS f
        WHERE f.conrelid = c.oid AND f.contype = 'c'
      )
    ) AS body
    FROM pg_catalog.pg_class AS c
    WHERE c.relkind = 'r' AND ${isInSchema(sql`c.oid`, schema)}
    ORDER BY c.relname
  `);
}

/** The statements of the bare handler: what somebody would write by hand for these tables. PostgreSQL builds the JSON. */

const TIMESTAMP = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

const SHOWN = `t.id, 'KIND' AS kind_id, t.name, t.alt_name, t.country, t.feature_code, t.admin_code, t.population,
  t.latitude, t.longitude, t.metadata, to_char(t.inserted_at AT TIME ZONE 'UTC', ${TIMESTAMP}) AS inserted_at,
  to_char(t.updated_at AT TIME ZONE 'UTC', ${TIMESTAMP}) AS updated_at`;

const INPUT = `name text, alt_name text, country text, feature_code text, admin_code text, population bigint,
  latitude double precision, longitude double precision`;

const COLUMNS = 'name, alt_name, country, feature_code, admin_code, population, latitude, longitude';

/**
 * A page of 50 and the number of all that match.
 * @param {string} where
 * @param {string} order
 */
function list(where, order) {
  return `WITH page AS (SELECT ${SHOWN} FROM TABLE AS t WHERE ${where} ORDER BY ${order} LIMIT 50)
    SELECT (SELECT count(*) FROM TABLE AS t WHERE ${where}) AS count, (SELECT json_agg(page)::text FROM page) AS items`;
}

const JSON_OF_UNIT = `(SELECT row_to_json(r) FROM (SELECT ${SHOWN}) AS r)`;

const NEW = `uuidv7(), ${COLUMNS}, '{}', now(), now()`;

const STATEMENTS = {
  get: `SELECT row_to_json(r)::text AS body FROM (SELECT ${SHOWN} FROM TABLE AS t WHERE t.id = $1) AS r`,
  listByCountry: list('t.country = $1', 't.population DESC, t.id'),
  listAll: list('true', 't.id'),
  listContains: list(`t.name ILIKE $1`, 't.id'),
  listLarge: list('t.population > $1 AND t.country = ANY($2)', 't.name, t.id'),
  create: `INSERT INTO TABLE AS t (id, ${COLUMNS}, metadata, inserted_at, updated_at)
    VALUES (uuidv7(), $1, $2, $3, $4, $5, $6, $7, $8, '{}', now(), now()) RETURNING ${JSON_OF_UNIT}::text AS body`,
  edit: `UPDATE TABLE AS t SET population = $2, updated_at = now() WHERE t.id = $1
    RETURNING ${JSON_OF_UNIT}::text AS body`,
  createMany: `WITH made AS (INSERT INTO TABLE AS t (id, ${COLUMNS}, metadata, inserted_at, updated_at)
      SELECT ${NEW} FROM json_to_recordset($1::json) AS i(${INPUT}) RETURNING ${JSON_OF_UNIT} AS body)
    SELECT count(*) AS count, json_agg(body)::text AS items FROM made`,
};

/**
 * A named statement for one kind.
 * @param {keyof typeof STATEMENTS} name
 * @param {string} schema
 * @param {string} kind
 */
export function statement(name, schema, kind) {
  const text = STATEMENTS[name].replaceAll('TABLE', `"${schema}"."${kind}"`).replaceAll('KIND', kind);
  return { name: `${name}_${kind}`, text };
}

/** The hand-written statements of the bare handler. PostgreSQL builds the JSON. */

const TIMESTAMP = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

const SHOWN = `t.id, 'KIND' AS kind_id, t.name, t.alt_name, t.country, t.feature_code, t.admin_code, t.population,
  t.latitude, t.longitude, t.metadata, to_char(t.inserted_at AT TIME ZONE 'UTC', ${TIMESTAMP}) AS inserted_at,
  to_char(t.updated_at AT TIME ZONE 'UTC', ${TIMESTAMP}) AS updated_at`;

const INPUT = `name text, alt_name text, country text, feature_code text, admin_code text, population bigint,
  latitude double precision, longitude double precision`;

const COLUMNS = 'name, alt_name, country, feature_code, admin_code, population, latitude, longitude';

/**
 * A page of 50, and the number of all matching rows.
 * @param {string} where
 * @param {string} order
 */
function list(where, order) {
  return `WITH page AS (SELECT ${SHOWN} FROM TABLE AS t WHERE ${where} ORDER BY ${order} LIMIT 50)
    SELECT (SELECT count(*) FROM TABLE AS t WHERE ${where}) AS count, (SELECT json_agg(page)::text FROM page) AS items`;
}

const JSON_OF_UNIT = `(SELECT row_to_json(r) FROM (SELECT ${SHOWN}) AS r)`;

const NEW = `uuidv7(), ${COLUMNS}, '{}', now(), now()`;

/** The units of graph.mjs. */
const NODE = `t.id, 'KIND' AS kind_id, t.label, t.number, t.metadata,
  to_char(t.inserted_at AT TIME ZONE 'UTC', ${TIMESTAMP}) AS inserted_at,
  to_char(t.updated_at AT TIME ZONE 'UTC', ${TIMESTAMP}) AS updated_at`;

const OF_KIND = `l.parent_kind = 'KIND' AND l.child_kind = 'KIND'`;

/** @param {string} depth */
function linkOf(depth) {
  return `json_build_object('link_id', p.link_id, 'parent_id', p.parent_id, 'child_id', p.child_id, 'depth', ${depth},
    'inserted_at', to_char(p.inserted_at AT TIME ZONE 'UTC', ${TIMESTAMP})) AS link`;
}

/** The links of the unit `t` by their type. @param {'parent' | 'child'} near its end @param {'parent' | 'child'} far the other */
function countsOf(near, far) {
  return `(SELECT coalesce(json_object_agg(c.link_id, c.n ORDER BY c.link_id), '{}') FROM
    (SELECT l.link_id, count(*) AS n FROM LINKS AS l
      WHERE l.${near}_kind = 'KIND' AND l.${near}_id = t.id::text AND l.${far}_kind = 'KIND' GROUP BY l.link_id) AS c)`;
}

/** The units of towns.mjs. */
const TOWN = `r.id, 'town' AS kind_id, r.title, r.inhabitants, r.land, r.metadata,
  to_char(r.inserted_at AT TIME ZONE 'UTC', ${TIMESTAMP}) AS inserted_at,
  to_char(r.updated_at AT TIME ZONE 'UTC', ${TIMESTAMP}) AS updated_at`;

/** The units of upserts.mjs. */
const UPSERTED = `t.id, 'KIND' AS kind_id, t.external_id, t.town_name, t.inhabitants, t.metadata,
  to_char(t.inserted_at AT TIME ZONE 'UTC', ${TIMESTAMP}) AS inserted_at,
  to_char(t.updated_at AT TIME ZONE 'UTC', ${TIMESTAMP}) AS updated_at`;
const FOUND = `to_tsvector('pg_catalog.simple', lower(left(coalesce(r.title, ''), 100000) COLLATE SCHEMA."_fold"))
  @@ websearch_to_tsquery('pg_catalog.simple', lower($1::text COLLATE SCHEMA."_fold"))`;
const HAS_LARGE = 'EXISTS (SELECT FROM SCHEMA."town" AS r WHERE r.land = t.id AND r.inhabitants > $1)';

const STATEMENTS = {
  exists: `WITH page AS (SELECT t.code FROM TABLE AS t WHERE ${HAS_LARGE} ORDER BY t.id LIMIT 50)
    SELECT (SELECT count(*) FROM TABLE AS t WHERE ${HAS_LARGE}) AS count, (SELECT json_agg(page)::text FROM page) AS items`,
  countRelated: `WITH page AS (SELECT t.code, (SELECT count(*) FROM SCHEMA."town" AS r WHERE r.land = t.id) AS towns
      FROM TABLE AS t ORDER BY towns DESC, t.id LIMIT 50)
    SELECT (SELECT count(*) FROM TABLE) AS count, (SELECT json_agg(page)::text FROM page) AS items`,
  related: `WITH page AS (SELECT t.code, (SELECT json_agg(x) FROM (SELECT ${TOWN} FROM SCHEMA."town" AS r
        WHERE r.land = t.id ORDER BY r.inhabitants DESC, r.id LIMIT 3) AS x) AS largest
      FROM TABLE AS t ORDER BY t.id LIMIT 50)
    SELECT (SELECT count(*) FROM TABLE) AS count, (SELECT json_agg(page)::text FROM page) AS items`,
  search: `WITH page AS (SELECT ${TOWN} FROM TABLE AS r WHERE ${FOUND} ORDER BY r.id LIMIT 50)
    SELECT (SELECT count(*) FROM TABLE AS r WHERE ${FOUND}) AS count, (SELECT json_agg(page)::text FROM page) AS items`,
  neighbours: `WITH page AS MATERIALIZED (SELECT * FROM LINKS AS l WHERE ${OF_KIND} AND l.parent_id = $1
      ORDER BY l.child_id LIMIT 100)
    SELECT (SELECT count(*) FROM LINKS AS l WHERE ${OF_KIND} AND l.parent_id = $1) AS count,
      (SELECT json_agg(row_to_json(r) ORDER BY r.id)::text FROM
        (SELECT ${NODE}, ${linkOf('0')} FROM page AS p JOIN TABLE AS t ON t.id = p.child_id::uuid) AS r) AS items`,
  walk: `WITH RECURSIVE walk(id, depth) AS (SELECT $1::text COLLATE "C", -1
      UNION SELECT l.child_id, w.depth + 1 FROM walk AS w JOIN LINKS AS l ON ${OF_KIND} AND l.parent_id = w.id
      WHERE w.depth < $2),
    near AS MATERIALIZED (SELECT id, min(depth) AS depth FROM walk GROUP BY id),
    nearest AS MATERIALIZED (SELECT * FROM near WHERE depth >= 0 ORDER BY depth, id LIMIT 100),
    page AS MATERIALIZED (SELECT DISTINCT ON (n.depth, n.id) n.depth, l.* FROM nearest AS n
      JOIN LINKS AS l ON ${OF_KIND} AND l.child_id = n.id
      JOIN near AS w ON w.id = l.parent_id AND w.depth = n.depth - 1 ORDER BY n.depth, n.id, l.link_id, l.parent_id)
    SELECT (SELECT count(*) FROM near WHERE depth >= 0) AS count,
      (SELECT json_agg(r.item)::text FROM (SELECT p.depth, (SELECT row_to_json(i) FROM
        (SELECT ${NODE}, ${linkOf('p.depth')} FROM TABLE AS t WHERE t.id = p.child_id::uuid) AS i) AS item
        FROM page AS p ORDER BY p.depth, p.child_id) AS r) AS items`,
  countLinks: `WITH page AS (SELECT t.id, json_build_object('parent', ${countsOf('child', 'parent')},
      'child', ${countsOf('parent', 'child')}) AS links FROM TABLE AS t ORDER BY t.id LIMIT 100)
    SELECT -1 AS count, (SELECT json_agg(page)::text FROM page) AS items`,
  link: `INSERT INTO LINKS AS l (parent_kind, parent_id, child_kind, child_id, link_id, inserted_at)
    VALUES ('KIND', $1, $3, $4, $2, now())
    ON CONFLICT (parent_kind, parent_id, child_kind, child_id, link_id) DO UPDATE SET link_id = excluded.link_id
    RETURNING json_build_object('parent_id', l.parent_id, 'child_id', l.child_id, 'type', 'link',
      'parent_kind_id', l.parent_kind, 'child_kind_id', l.child_kind, 'link_id', l.link_id,
      'inserted_at', to_char(l.inserted_at AT TIME ZONE 'UTC', ${TIMESTAMP}))::text AS body`,
  linkMany: `WITH i AS (SELECT i.id, row_number() OVER () AS n FROM json_to_recordset($3::json->'items') AS i(id text)),
    made AS (INSERT INTO LINKS AS l (parent_kind, parent_id, child_kind, child_id, link_id, inserted_at)
      SELECT 'KIND', $1, 'KIND', t.id::text, $2, now() FROM i JOIN TABLE AS t ON t.id = i.id::uuid
      ON CONFLICT (parent_kind, parent_id, child_kind, child_id, link_id) DO UPDATE SET link_id = excluded.link_id
      RETURNING l.child_id, json_build_object('parent_id', l.parent_id, 'child_id', l.child_id, 'type', 'link',
        'parent_kind_id', l.parent_kind, 'child_kind_id', l.child_kind, 'link_id', l.link_id,
        'inserted_at', to_char(l.inserted_at AT TIME ZONE 'UTC', ${TIMESTAMP})) AS body)
    SELECT count(*) AS count, json_agg(made.body ORDER BY i.n)::text AS items FROM made JOIN i ON i.id = made.child_id`,
  get: `SELECT row_to_json(r)::text AS body FROM (SELECT ${SHOWN} FROM TABLE AS t WHERE t.id = $1) AS r`,
  listByCountry: list('t.country = $1', 't.population DESC, t.id'),
  listAll: list('true', 't.id'),
  // The condition of the service's index.
  listContains: list(`lower(t.name COLLATE SCHEMA."_fold") LIKE lower($1)`, 't.id'),
  listLarge: list('t.population > $1 AND t.country = ANY($2)', 't.name, t.id'),
  groupByCountry: `WITH groups AS MATERIALIZED (SELECT t.country, count(*) AS count, sum(t.population) AS sum_population,
      trim_scale(avg(t.population))::text AS avg_population FROM TABLE AS t GROUP BY t.country)
    SELECT (SELECT count(*) FROM groups) AS count,
      (SELECT json_agg(page)::text FROM (SELECT * FROM groups ORDER BY country LIMIT 1000) AS page) AS items`,
  create: `INSERT INTO TABLE AS t (id, ${COLUMNS}, metadata, inserted_at, updated_at)
    VALUES (uuidv7(), $1, $2, $3, $4, $5, $6, $7, $8, '{}', now(), now()) RETURNING ${JSON_OF_UNIT}::text AS body`,
  edit: `UPDATE TABLE AS t SET population = $2, updated_at = now() WHERE t.id = $1
    RETURNING ${JSON_OF_UNIT}::text AS body`,
  createMany: `WITH made AS (INSERT INTO TABLE AS t (id, ${COLUMNS}, metadata, inserted_at, updated_at)
      SELECT ${NEW} FROM json_to_recordset($1::json) AS i(${INPUT}) RETURNING ${JSON_OF_UNIT} AS body)
    SELECT count(*) AS count, json_agg(body)::text AS items FROM made`,
  upsertMany: `WITH made AS (INSERT INTO TABLE AS t (id, external_id, town_name, inhabitants, metadata, inserted_at, updated_at)
      SELECT uuidv7(), external_id, town_name, inhabitants, '{}', now(), now()
      FROM json_to_recordset($1::json) AS i(external_id text, town_name text, inhabitants bigint)
      ON CONFLICT (external_id) DO UPDATE
        SET town_name = excluded.town_name, inhabitants = excluded.inhabitants, updated_at = excluded.updated_at
      RETURNING (SELECT row_to_json(r) FROM (SELECT ${UPSERTED}) AS r) AS body)
    SELECT count(*) AS count, json_agg(body)::text AS items FROM made`,
};

/**
 * A named statement for one kind.
 * @param {keyof typeof STATEMENTS} name
 * @param {string} schema
 * @param {string} kind
 */
export function statement(name, schema, kind) {
  const text = STATEMENTS[name]
    .replaceAll('SCHEMA', `"${schema}"`)
    .replaceAll('TABLE', `"${schema}"."${kind}"`)
    .replaceAll('LINKS', `"${schema}"."_link"`)
    .replaceAll('KIND', kind);
  return { name: `${name}_${kind}`, text };
}

-- a test
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" = $1::text) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" = $1::text)) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = "Italy"
-- $2 = true

-- its complement
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE NOT EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" = $1::text) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE NOT EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" = $1::text)) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = "Italy"
-- $2 = true

-- a null
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE NOT EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" IS NOT NULL) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($1::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE NOT EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" IS NOT NULL)) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = true

-- no null
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" IS NOT NULL) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($1::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" IS NOT NULL)) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = true

-- two references
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE EXISTS (SELECT FROM "project_demo"."land" AS "t_1", "project_demo"."part" AS "t_2" WHERE "t_1"."id" = "t"."land" AND "t_2"."id" = "t_1"."part" AND "t_2"."title" = $1::text) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE EXISTS (SELECT FROM "project_demo"."land" AS "t_1", "project_demo"."part" AS "t_2" WHERE "t_1"."id" = "t"."land" AND "t_2"."id" = "t_1"."part" AND "t_2"."title" = $1::text)) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = "South"
-- $2 = true

-- a list, and a key inside JSON
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE (EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND ("t_1"."tags" @> $1::text[] OR "t_1"."extra" #>> $2::text[] = $3))) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($4::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE (EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND ("t_1"."tags" @> $1::text[] OR "t_1"."extra" #>> $2::text[] = $3)))) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = ["a"]
-- $2 = ["a","b"]
-- $3 = "1"
-- $4 = true

-- units that count
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE EXISTS (SELECT FROM "project_demo"."land" AS "t_1", "project_demo"."part" AS "t_2" WHERE "t_1"."id" = "t"."land" AND "t_1"."id" = $1::text AND "t_2"."id" = "t_1"."part" AND "t_2"."title" = $2::text) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($3::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE EXISTS (SELECT FROM "project_demo"."land" AS "t_1", "project_demo"."part" AS "t_2" WHERE "t_1"."id" = "t"."land" AND "t_1"."id" = $1::text AND "t_2"."id" = "t_1"."part" AND "t_2"."title" = $2::text)) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = "IT"
-- $2 = "South"
-- $3 = true

-- tests of one unit
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE (EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" = $1::text AND "t_1"."title" > $2::text) AND NOT EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND ("t_1"."title" = $3::text OR "t_1"."title" = $4::text)) AND "t"."name" = $5::text) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($6::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE (EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" = $1::text AND "t_1"."title" > $2::text) AND NOT EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND ("t_1"."title" = $3::text OR "t_1"."title" = $4::text)) AND "t"."name" = $5::text)) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = "a"
-- $2 = "b"
-- $3 = "c"
-- $4 = "d"
-- $5 = "e"
-- $6 = true

-- alternatives of one unit
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE (EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND ("t_1"."title" = $1::text OR "t_1"."title" > $2::text)) OR NOT EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" = $3::text AND "t_1"."title" = $4::text)) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($5::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE (EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND ("t_1"."title" = $1::text OR "t_1"."title" > $2::text)) OR NOT EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" = $3::text AND "t_1"."title" = $4::text))) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = "a"
-- $2 = "b"
-- $3 = "c"
-- $4 = "d"
-- $5 = true

-- the negation of an alternative
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE (((EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" = $1::text) OR NOT EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" IS NOT NULL))) IS NOT TRUE) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE (((EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" = $1::text) OR NOT EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" IS NOT NULL))) IS NOT TRUE)) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = "a"
-- $2 = true

-- many references
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE ((EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" = $1::text)) IS TRUE AND (EXISTS (SELECT FROM "project_demo"."city" AS "t_1" WHERE "t_1"."id" = "t"."twin" AND "t_1"."name" = $2::text)) IS TRUE AND (EXISTS (SELECT FROM "project_demo"."city" AS "t_1", "project_demo"."city" AS "t_2" WHERE "t_1"."id" = "t"."twin" AND "t_2"."id" = "t_1"."twin" AND "t_2"."name" = $3::text)) IS TRUE AND (EXISTS (SELECT FROM "project_demo"."city" AS "t_1", "project_demo"."land" AS "t_2" WHERE "t_1"."id" = "t"."twin" AND "t_2"."id" = "t_1"."land" AND "t_2"."title" = $4::text)) IS TRUE AND (EXISTS (SELECT FROM "project_demo"."city" AS "t_1", "project_demo"."city" AS "t_2", "project_demo"."land" AS "t_3" WHERE "t_1"."id" = "t"."twin" AND "t_2"."id" = "t_1"."twin" AND "t_3"."id" = "t_2"."land" AND "t_3"."title" = $5::text)) IS TRUE AND (EXISTS (SELECT FROM "project_demo"."land" AS "t_1", "project_demo"."part" AS "t_2" WHERE "t_1"."id" = "t"."land" AND "t_2"."id" = "t_1"."part" AND "t_2"."title" = $6::text)) IS TRUE AND (EXISTS (SELECT FROM "project_demo"."city" AS "t_1", "project_demo"."land" AS "t_2", "project_demo"."part" AS "t_3" WHERE "t_1"."id" = "t"."twin" AND "t_2"."id" = "t_1"."land" AND "t_3"."id" = "t_2"."part" AND "t_3"."title" = $7::text)) IS TRUE) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($8::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE ((EXISTS (SELECT FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."title" = $1::text)) IS TRUE AND (EXISTS (SELECT FROM "project_demo"."city" AS "t_1" WHERE "t_1"."id" = "t"."twin" AND "t_1"."name" = $2::text)) IS TRUE AND (EXISTS (SELECT FROM "project_demo"."city" AS "t_1", "project_demo"."city" AS "t_2" WHERE "t_1"."id" = "t"."twin" AND "t_2"."id" = "t_1"."twin" AND "t_2"."name" = $3::text)) IS TRUE AND (EXISTS (SELECT FROM "project_demo"."city" AS "t_1", "project_demo"."land" AS "t_2" WHERE "t_1"."id" = "t"."twin" AND "t_2"."id" = "t_1"."land" AND "t_2"."title" = $4::text)) IS TRUE AND (EXISTS (SELECT FROM "project_demo"."city" AS "t_1", "project_demo"."city" AS "t_2", "project_demo"."land" AS "t_3" WHERE "t_1"."id" = "t"."twin" AND "t_2"."id" = "t_1"."twin" AND "t_3"."id" = "t_2"."land" AND "t_3"."title" = $5::text)) IS TRUE AND (EXISTS (SELECT FROM "project_demo"."land" AS "t_1", "project_demo"."part" AS "t_2" WHERE "t_1"."id" = "t"."land" AND "t_2"."id" = "t_1"."part" AND "t_2"."title" = $6::text)) IS TRUE AND (EXISTS (SELECT FROM "project_demo"."city" AS "t_1", "project_demo"."land" AS "t_2", "project_demo"."part" AS "t_3" WHERE "t_1"."id" = "t"."twin" AND "t_2"."id" = "t_1"."land" AND "t_3"."id" = "t_2"."part" AND "t_3"."title" = $7::text)) IS TRUE)) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = "x"
-- $2 = "x"
-- $3 = "x"
-- $4 = "x"
-- $5 = "x"
-- $6 = "x"
-- $7 = "x"
-- $8 = true

-- an order
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t LEFT JOIN "project_demo"."land" AS "r1" ON "r1"."id" = "t"."land" LEFT JOIN "project_demo"."part" AS "r2" ON "r2"."id" = "r1"."part" WHERE true ORDER BY "r1"."title" DESC, "r2"."title", ("r1"."extra" #>> $1::text[]) COLLATE "C", "t"."id" LIMIT 10) AS t) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, CASE WHEN (SELECT count(*) FROM _page) < 10 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE true) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = ["a"]

-- an order by units that count
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t LEFT JOIN "project_demo"."land" AS "r1" ON "r1"."id" = "t"."land" AND "r1"."id" = $1::text WHERE true ORDER BY CASE WHEN "r1"."id" IS NOT NULL THEN 'land'::text END, "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE true) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = "IT"
-- $2 = true

-- an order by cursor
WITH page AS (SELECT row_number() OVER (ORDER BY "r1"."title", "t"."id") AS n, ARRAY["r1"."title"::text, "t"."id"::text] AS keys, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id") AS _r) AS item FROM "project_demo"."city" AS t LEFT JOIN "project_demo"."land" AS "r1" ON "r1"."id" = "t"."land" WHERE true ORDER BY "r1"."title", "t"."id" LIMIT 101) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, (SELECT count(*) FROM "project_demo"."city" AS t WHERE true) AS count, (SELECT coalesce(json_agg(item ORDER BY n) FILTER (WHERE n <= 100), '[]')::text FROM page) AS items, (SELECT to_json(keys)::text FROM page WHERE n = 100 AND EXISTS (SELECT FROM page WHERE n > 100)) AS last

-- what paths lead to
WITH _page AS (SELECT "t"."name" AS "name", (SELECT "t_1"."title" FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."id" = $1::text) AS "land.title", (SELECT "t_2"."title" FROM "project_demo"."land" AS "t_1", "project_demo"."part" AS "t_2" WHERE "t_1"."id" = "t"."land" AND "t_1"."id" = $2::text AND "t_2"."id" = "t_1"."part") AS "land.part.title", (SELECT "t_1"."tags" FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."id" = $3::text) AS "land.tags", (SELECT "t_1"."extra" #> $4::text[] FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."id" = $5::text) AS "land.extra.a", (SELECT 'land'::text FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land" AND "t_1"."id" = $6::text) AS "land.kind_id" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE true ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE true) END AS count, (SELECT coalesce(json_agg(_page), '[]')::text FROM _page) AS items
-- $1 = "IT"
-- $2 = "IT"
-- $3 = "IT"
-- $4 = ["a"]
-- $5 = "IT"
-- $6 = "IT"

-- a path whose name is too long for a column
WITH _page AS (SELECT (SELECT "t_1"."name_of_a_parameter_that_is_nearly_as_long_as_any_name_may_be" FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land") AS "_0" FROM (SELECT "t"."id", "t"."name", "t"."land", "t"."twin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE true ORDER BY "t"."id" LIMIT 10) AS t) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, CASE WHEN (SELECT count(*) FROM _page) < 10 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE true) END AS count, (SELECT coalesce(json_agg((SELECT json_object_agg(coalesce($1::json ->> _e.key, _e.key), _e.value) FROM json_each(to_json(_page)) AS _e)), '[]')::text FROM _page) AS items
-- $1 = "{\"_0\":\"land.name_of_a_parameter_that_is_nearly_as_long_as_any_name_may_be\"}"

-- one unit
SELECT m."version" AS v, u.tag, u.body FROM "project_demo"."_model" AS m LEFT JOIN LATERAL (SELECT (extract(epoch FROM t."updated_at") * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT (SELECT "t_1"."title" FROM "project_demo"."land" AS "t_1" WHERE "t_1"."id" = "t"."land") AS "land.title") AS _r)::text AS body FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid) AS u ON true
-- $1 = "0198c0de-0000-7000-8000-000000000001"
